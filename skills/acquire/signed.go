package acquire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"aead.dev/minisign"
)

// mostProof is how long a signature or an attestation may be.
const mostProof = 4 << 20

// signed checks that the one whom the entry names signed the package, and says who that is. An entry
// without an identity asks for no signature: the pin stands alone.
func (s Shop) signed(ctx context.Context, e Entry, version, file string) (string, error) {
	switch id := e.Identity; {
	case id == nil:
		return "", nil
	case id.Minisign != "":
		proof, _, err := s.proof(ctx, e, version, ".minisig")
		if err != nil {
			return "", err
		}
		return byMinisign(id.Minisign, file, proof)
	case id.Attestation != "":
		proof, _, err := s.proof(ctx, e, version, ".sigstore.json", ".intoto.json")
		if err != nil {
			return "", err
		}
		return byAttestation(id.Attestation, file, proof)
	case id.Sigstore != nil:
		proof, ext, err := s.proof(ctx, e, version, ".sigstore.json", ".bundle")
		if err != nil {
			return "", err
		}
		return s.byVerifier(ctx, *id.Sigstore, file, proof, ext)
	}
	return "", refuse(CodeTrustEntry, "give minisign, attestation or sigstore", "the identity of %s names nobody", e.Slug)
}

// proof fetches what stands beside a package under one of the endings.
func (s Shop) proof(ctx context.Context, e Entry, version string, endings ...string) ([]byte, string, error) {
	source := s.sources()[e.Source]
	var tried []error
	for _, place := range source.Places(e, version) {
		for _, ext := range endings {
			body, _, _, err := source.Open(ctx, place+ext, 0)
			if err != nil {
				tried = append(tried, fmt.Errorf("%s%s: %w", place, ext, err))
				continue
			}
			text, err := io.ReadAll(io.LimitReader(body, mostProof+1))
			if err = errors.Join(err, body.Close()); err == nil && len(text) <= mostProof {
				return text, ext, nil
			}
			tried = append(tried, fmt.Errorf("%s%s: it cannot be read, or is too long: %w", place, ext, err))
		}
	}
	err := errors.Join(tried...)
	if errors.Is(err, errRetry) && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", refuse(CodeUnreachable, "check the network, then `baton acquire resume`", "the signature of %s %s could not be fetched: %v", e.Slug, version, err)
	}
	return nil, "", refuse(CodeUnsigned, "ask its author for a signed release", "the table of trust wants %s %s signed, and no signature is there: %v", e.Slug, version, err)
}

// byMinisign checks a signature of minisign, in either of its two forms.
func byMinisign(key, file string, proof []byte) (string, error) {
	var public minisign.PublicKey
	if err := public.UnmarshalText([]byte(key)); err != nil {
		return "", refuse(CodeTrustEntry, "give the key as minisign prints it", "the minisign key in the table of trust cannot be read: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", diskFault("read the package", err)
	}
	if !minisign.Verify(public, text, proof) {
		return "", wrongSignature("minisign key " + public.String())
	}
	return "minisign " + public.String(), nil
}

func wrongSignature(who string) error {
	return refuse(CodeSignature, "do not use it, and ask its author", "the package is not signed by the %s that the table of trust names", who)
}

// byVerifier has an installed cosign check a signature without a key. With roots of its own it asks
// nothing of the network.
func (s Shop) byVerifier(ctx context.Context, id Sigstore, file string, proof []byte, ext string) (string, error) {
	cosign, err := exec.LookPath("cosign")
	if err != nil {
		return "", refuse(CodeVerifier, "install cosign, or have the author sign with minisign", "the table of trust wants a Sigstore signature, and no verifier is installed")
	}
	bundle := filepath.Join(s.work(), "proof"+ext)
	if err := os.WriteFile(bundle, proof, 0o600); err != nil {
		return "", diskFault("keep the signature", err)
	}
	defer os.Remove(bundle)
	args := []string{"verify-blob", "--new-bundle-format", "--bundle", bundle, "--certificate-oidc-issuer", id.Issuer, "--certificate-identity", id.Subject}
	if id.TrustedRoot != "" {
		args = append(args, "--offline", "--trusted-root", id.TrustedRoot)
	}
	out, err := exec.CommandContext(ctx, cosign, append(args, file)...).CombinedOutput()
	if err != nil {
		return "", refuse(CodeSignature, "do not use it, and ask its author", "cosign does not accept the signature: %v: %.300s", err, out)
	}
	return "sigstore " + id.Subject, nil
}

// String names the signer with the fingerprint of its key; "" for nobody.
func (id *Identity) String() string {
	switch {
	case id == nil:
		return ""
	case id.Minisign != "":
		return "minisign key " + id.Minisign
	case id.Attestation != "":
		_, name, err := publicKey(id.Attestation)
		if err != nil {
			return "a key that cannot be read"
		}
		return "key " + name
	}
	return id.Sigstore.Subject + " (" + id.Sigstore.Issuer + ")"
}
