//go:build unix

package jetstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/batonflow/baton/stream/jetstream/natstest"
)

// TestOverTLS: nodes and clients show certificates of one authority. Without it, or by another one, nobody
// gets in, and nobody is believed.
func TestOverTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three servers")
	}
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	node, client := ours.certificate(t, "node"), ours.certificate(t, "client")
	c := natstest.New(t, natstest.Config{Conf: "node-tls.conf", Env: []string{
		"BATON_TLS_CA=" + strconv.Quote(ours.file), "BATON_TLS_CERT=" + strconv.Quote(node.cert), "BATON_TLS_KEY=" + strconv.Quote(node.key),
	}})
	works(t, clusterStore(t, c, "server", Config{New: "01TESTINSTALLATION", TLS: TLS{CA: ours.file, Cert: client.cert, Key: client.key}}), "server")
	stranger := theirs.certificate(t, "client")
	for name, shown := range map[string]TLS{
		"nothing":                   {},
		"no certificate":            {CA: ours.file},
		"another authority's":       {CA: ours.file, Cert: stranger.cert, Key: stranger.key},
		"who believes another":      {CA: theirs.file, Cert: client.cert, Key: client.key},
		"who believes the system's": {Cert: client.cert, Key: client.key},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), apiTimeout)
		s, err := Open(ctx, Config{URL: c.URL("server"), TLS: shown, Logger: testLogger(t)})
		cancel()
		if err == nil {
			_ = s.Close()
			t.Errorf("%s: it got in", name)
		}
	}
}

// authority signs certificates for the loopback.
type authority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sheet := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tests"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, sheet, sheet, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{pemFile(t, "ca.pem", "CERTIFICATE", der), cert, key}
}

// pair is a certificate with its key, as files.
type pair struct{ cert, key string }

func (a authority) certificate(t *testing.T, name string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sheet := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, sheet, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{pemFile(t, name+".pem", "CERTIFICATE", der), pemFile(t, name+".key", "EC PRIVATE KEY", secret)}
}

func pemFile(t *testing.T, name, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
