package rest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
)

// certificate writes a certificate of its own for baton.example, and its key.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "baton.example"}, DNSNames: []string{"baton.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	return cert, key, pool
}

// TestOverTLS: other machines may reach it, under its address and the names of the certificate alone.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	cert, key, pool := certificate(t)
	w := newWorld(t, func(o *host.Options) {
		o.HTTP, o.TLSCert, o.TLSKey, o.HTTPNames = "0.0.0.0:0", cert, key, []string{"other.example"}
	})
	if !strings.HasPrefix(w.url, "https://127.0.0.1:") {
		t.Fatalf("it is reached at %s", w.url)
	}
	w.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	w.call("GET", "/v1/sessions", "")
	for name, want := range map[string]int{"baton.example": 200, "other.example": 200, "192.0.2.1": 200, "evil.example": 421} {
		if status, body, _ := w.do(w.request("GET", "/v1/sessions", nil, append(w.bearer(), "Host", name)...)); status != want {
			t.Errorf("as %s: %d %s, want %d", name, status, body, want)
		}
	}
	if status, _, h := w.do(w.request("GET", w.oneTime()[len(w.url):], nil)); status != 200 || !strings.Contains(h.Get("Set-Cookie"), "Secure") {
		t.Errorf("the link: %d %v", status, h)
	}
	if status, body, _ := w.do(w.request("GET", "/v1/sessions", nil, append(w.bearer(), "Origin", strings.Replace(w.url, "https", "http", 1))...)); status != 403 {
		t.Errorf("its own page in the clear: %d %s", status, body)
	}
}

// TestRequestsMadeTwice: one request id is one request; pages of a list follow one another.
func TestRequestsMadeTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.call("POST", "/v1/sessions", `{"goal":"g"}`, "Idempotency-Key", "k-1")
	if again := w.call("POST", "/v1/sessions", `{"goal":"g"}`, "Idempotency-Key", `"k-1"`); again != first {
		t.Errorf("again: %s, first %s", again, first)
	}
	status, body, _ := w.do(w.request("POST", "/v1/sessions", strings.NewReader(`{"goal":"g"}`), append(w.bearer(), "Content-Type", "application/json", "Idempotency-Key", "two words")...))
	if status != 400 || codeOf(body) != "bad_request_id" {
		t.Errorf("a key that is none: %d %s", status, body)
	}
	for range 4 {
		w.session()
	}
	path, seen := "/v1/sessions?limit=2", 0
	for path != "" {
		status, body, h := w.do(w.request("GET", path, nil, w.bearer()...))
		if status != 200 {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		seen += strings.Count(body, `"session":`)
		next, _, more := strings.Cut(strings.TrimPrefix(h.Get("Link"), "<"), ">")
		if path = next; !more {
			path = ""
		}
	}
	if seen != 5 {
		t.Errorf("%d sessions are on the pages, there are 5", seen)
	}
}
