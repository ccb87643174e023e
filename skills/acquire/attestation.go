package acquire

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
)

// bundle is what of a Sigstore bundle is needed where the key is known: a signed in-toto statement.
type bundle struct {
	Envelope envelope `json:"dsseEnvelope"`
}

// envelope is a DSSE envelope.
type envelope struct {
	Type       string `json:"payloadType"`
	Payload    []byte `json:"payload"`
	Signatures []struct {
		Sig []byte `json:"sig"`
	} `json:"signatures"`
}

const inToto = "application/vnd.in-toto+json"

// byAttestation checks, without the network, that an in-toto statement about the package was signed
// with a pinned key.
func byAttestation(key, file string, proof []byte) (string, error) {
	public, name, err := publicKey(key)
	if err != nil {
		return "", refuse(CodeTrustEntry, "give a public key in PEM: Ed25519, ECDSA or RSA", "the key in the table of trust cannot be read: %v", err)
	}
	env, err := openEnvelope(proof)
	if err != nil {
		return "", refuse(CodeSignature, "ask its author for an attestation in the form of a Sigstore bundle", "the attestation cannot be read: %v", err)
	}
	if !env.signedBy(public) {
		return "", wrongSignature("key " + name)
	}
	digest, _, err := fileDigest(file)
	if err != nil {
		return "", diskFault("read the package", err)
	}
	if !env.about(digest) {
		return "", refuse(CodeSignature, "do not use it, and ask its author", "the attestation is about another file than %s", digest)
	}
	return "attestation " + name, nil
}

// publicKey reads a key, and names it by its fingerprint.
func publicKey(text string) (crypto.PublicKey, string, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, "", errors.New("it is no PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, "", err
	}
	print := sha256.Sum256(block.Bytes)
	return key, "SHA256:" + hex.EncodeToString(print[:8]), nil
}

// openEnvelope reads an envelope, by itself or within a bundle.
func openEnvelope(proof []byte) (envelope, error) {
	var b bundle
	if err := json.Unmarshal(proof, &b); err != nil {
		return envelope{}, err
	}
	if len(b.Envelope.Signatures) == 0 {
		if err := json.Unmarshal(proof, &b.Envelope); err != nil {
			return envelope{}, err
		}
	}
	switch env := b.Envelope; {
	case len(env.Signatures) == 0:
		return envelope{}, errors.New("it holds no signature")
	case env.Type != inToto:
		return envelope{}, fmt.Errorf("it holds a %q, not an in-toto statement", env.Type)
	}
	return b.Envelope, nil
}

// signedBy says whether one of the signatures is that of a key.
func (e envelope) signedBy(key crypto.PublicKey) bool {
	message := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.Type), e.Type, len(e.Payload), e.Payload)
	sum := sha256.Sum256(message)
	for _, s := range e.Signatures {
		ok := false
		switch k := key.(type) {
		case ed25519.PublicKey:
			ok = ed25519.Verify(k, message, s.Sig)
		case *ecdsa.PublicKey:
			ok = ecdsa.VerifyASN1(k, sum[:], s.Sig)
		case *rsa.PublicKey:
			ok = rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], s.Sig) == nil
		}
		if ok {
			return true
		}
	}
	return false
}

// about says whether the statement speaks of a file with this digest.
func (e envelope) about(digest string) bool {
	var statement struct {
		Subject []struct {
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
	}
	if json.Unmarshal(e.Payload, &statement) != nil {
		return false
	}
	for _, s := range statement.Subject {
		if s.Digest["sha256"] == digest {
			return true
		}
	}
	return false
}
