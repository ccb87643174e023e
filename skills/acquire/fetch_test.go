package acquire

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"
)

// releases is a server that serves releases, in the ways that a test wants.
type releases struct {
	*httptest.Server
	mu     sync.Mutex
	files  map[string][]byte
	asked  []string // paths with the range that was asked for
	cut    int      // bytes after which an answer is cut off, once
	fail   int      // how many answers are a 503
	ranges bool     // the server can go on in the middle
}

func newReleases(t *testing.T) *releases {
	t.Helper()
	r := &releases{files: map[string][]byte{}, ranges: true}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *releases) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, strings.TrimSpace(q.URL.Path+" "+q.Header.Get("Range")))
	data, ok := r.files[q.URL.Path]
	switch {
	case r.fail > 0:
		r.fail--
		http.Error(w, "later", http.StatusServiceUnavailable)
	case !ok:
		http.NotFound(w, q)
	case r.cut > 0:
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:r.cut]) // and then the connection is closed
		r.cut = 0
	case r.ranges:
		http.ServeContent(w, q, "", time.Time{}, bytes.NewReader(data))
	default:
		_, _ = w.Write(data) // the client may be gone
	}
}

func (r *releases) put(path string, data []byte) { r.files[path] = data }

// served makes a world whose demo comes from a server.
func served(t *testing.T, r *releases, pin []byte) *world {
	t.Helper()
	w := newWorld(t)
	w.trusts(Entry{Slug: "demo", URL: r.URL + "/{slug}/{version}/{slug}.zip", Versions: map[string]string{"v1": hexOf(pin)}})
	return w
}

var demo = Candidate{Slug: "demo", Version: "v1"}

func TestFetchFromAServer(t *testing.T) {
	t.Parallel()
	r, data := newReleases(t), good(t)
	r.put("/demo/v1/demo.zip", data)
	w := served(t, r, data)
	got, err := w.Fetch(t.Context(), demo, nil)
	if err != nil || got.SHA256 != hexOf(data) || got.Size != int64(len(data)) {
		t.Fatalf("got %+v, %v", got, err)
	}
	asked := len(r.asked)
	if _, err := w.Fetch(t.Context(), demo, nil); err != nil || len(r.asked) != asked {
		t.Errorf("a repeated attempt downloads again: %v, %v", r.asked, err)
	}
}

func TestFetchGoesOnWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	for name, ranges := range map[string]bool{"with ranges": true, "without": false} {
		r, data := newReleases(t), good(t)
		r.put("/demo/v1/demo.zip", data)
		r.cut, r.ranges = 100, ranges
		w := served(t, r, data)
		_, err := w.Fetch(t.Context(), demo, nil)
		wants(t, name, err, CodeUnreachable)
		if f := FailureOf(err); f.Class != "retryable" {
			t.Errorf("%s: a cut-off download is %s", name, f.Class)
		}
		got, err := w.Fetch(t.Context(), demo, nil)
		if err != nil || got.Resumed != ranges {
			t.Errorf("%s: got %+v, %v; asked %v", name, got, err, r.asked)
		}
	}
}

func TestFetchStartsAnewWhenThePartIsAnotherFile(t *testing.T) {
	t.Parallel()
	r, data := newReleases(t), good(t)
	r.put("/demo/v1/demo.zip", data)
	w := served(t, r, data)
	for _, part := range [][]byte{[]byte("something else"), bytes.Repeat([]byte("x"), 2*len(data)), data} {
		if err := os.MkdirAll(w.work(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.work(), partFile), part, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Fetch(t.Context(), demo, nil); err != nil || got.SHA256 != hexOf(data) {
			t.Errorf("after a part of %d bytes: got %+v, %v", len(part), got, err)
		}
		if err := w.drop(packageFile); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsNotPinnedIsNotAskedFor(t *testing.T) {
	t.Parallel()
	r, data := newReleases(t), good(t)
	r.put("/demo/v2/demo.zip", data)
	w := served(t, r, data)
	_, err := w.Fetch(t.Context(), Candidate{Slug: "demo", Version: "v2", Pinned: hexOf(data)}, nil)
	wants(t, "no pin for the version", err, CodeNoPin)
	_, err = w.Fetch(t.Context(), Candidate{Slug: "other", Version: "v1"}, nil)
	wants(t, "no entry", err, CodeNoPin)
	if len(r.asked) > 0 {
		t.Errorf("asked for %v", r.asked)
	}
}

func TestAMismatchIsDeletedAndNothingElse(t *testing.T) {
	t.Parallel()
	r, data := newReleases(t), good(t)
	r.put("/demo/v1/demo.zip", append(bytes.Clone(data), 0))
	w := served(t, r, data)
	if err := os.MkdirAll(w.work(), 0o700); err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(w.work(), "beside")
	if err := os.WriteFile(beside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := w.Fetch(t.Context(), demo, nil)
	wants(t, "mismatch", err, CodeDigest)
	if entries, err := os.ReadDir(w.work()); err != nil || len(entries) != 1 || entries[0].Name() != "beside" {
		t.Errorf("left: %v %v", entries, err)
	}
}

func TestFetchTellsWhatIsWrongWithTheSource(t *testing.T) {
	t.Parallel()
	data := good(t)
	r := newReleases(t)
	w := served(t, r, data)
	_, err := w.Fetch(t.Context(), demo, nil)
	wants(t, "404", err, CodeGone)
	r.put("/demo/v1/demo.zip", data)
	r.fail = 1
	_, err = w.Fetch(t.Context(), demo, nil)
	wants(t, "503", err, CodeUnreachable)
	r.put("/demo/v1/demo.zip", make([]byte, MaxPackage+1))
	_, err = w.Fetch(t.Context(), demo, nil)
	wants(t, "too large", err, CodeLarge)
	w.trusts(Entry{Slug: "demo", URL: "http://skills.example/a.zip", Versions: map[string]string{"v1": hexOf(data)}})
	if _, err = w.Fetch(t.Context(), demo, nil); err == nil || !strings.Contains(err.Error(), "is not https") {
		t.Errorf("in the clear: got %v", err)
	}
	r.Close()
	_, err = served(t, r, data).Fetch(t.Context(), demo, nil)
	wants(t, "nobody there", err, CodeUnreachable)
}

func TestMirrorsAreTriedInOrder(t *testing.T) {
	t.Parallel()
	first, second, data := newReleases(t), newReleases(t), good(t)
	second.put("/owner/demo/releases/download/v1/demo-v1.skill.zip", data)
	w := newWorld(t)
	w.trusts(Entry{Slug: "demo", Repo: "owner/demo", Versions: map[string]string{"v1": hexOf(data)}})
	w.Mirrors = []string{first.URL, second.URL + "/"}
	got, err := w.Fetch(t.Context(), demo, nil)
	if err != nil || !strings.HasPrefix(got.From, second.URL) || len(first.asked) != 1 {
		t.Errorf("got %+v, %v; the first was asked %v", got, err, first.asked)
	}
	places := w.sources()["github"].Places(w.Trust.Entries[0], "v1")
	if want := "https://github.com/owner/demo/releases/download/v1/demo-v1.skill.zip"; places[len(places)-1] != want {
		t.Errorf("got %v, want %s last", places, want)
	}
}

func TestFetchThroughAProxy(t *testing.T) {
	t.Parallel()
	data := good(t)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Host != "localhost:1" {
			http.Error(w, "not a proxy's request", http.StatusBadRequest)
			return
		}
		_, _ = w.Write(data) // the client may be gone
	}))
	t.Cleanup(proxy.Close)
	w := newWorld(t)
	w.trusts(Entry{Slug: "demo", URL: "http://localhost:1/a.zip", Versions: map[string]string{"v1": hexOf(data)}})
	w.Env = map[string]string{"GITHUB_PROXY": proxy.URL}
	if _, err := w.Fetch(t.Context(), demo, nil); err != nil {
		t.Error(err)
	}
}

func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	tell := &teller{to: &said, size: 3 << 20}
	if _, err := io.Copy(tell, bytes.NewReader(make([]byte, 3<<20))); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "of 3.0 MiB") {
		t.Errorf("said %q", said.String())
	}
}

func TestMinisign(t *testing.T) {
	t.Parallel()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	data := good(t)
	r := newReleases(t)
	r.put("/demo/v1/demo.zip", data)
	w := served(t, r, data)
	signs := func(key minisign.PublicKey) {
		w.trusts(Entry{Slug: "demo", Identity: &Identity{Minisign: key.String()}})
	}
	signs(public)
	_, err = w.Fetch(t.Context(), demo, nil)
	wants(t, "no signature", err, CodeUnsigned)
	r.put("/demo/v1/demo.zip.minisig", minisign.Sign(private, append(bytes.Clone(data), 0)))
	_, err = w.Fetch(t.Context(), demo, nil)
	wants(t, "signature of another file", err, CodeSignature)
	r.put("/demo/v1/demo.zip.minisig", minisign.Sign(private, data))
	signs(other)
	_, err = w.Fetch(t.Context(), demo, nil)
	wants(t, "another signer", err, CodeSignature)
	if _, err := os.Stat(filepath.Join(w.work(), packageFile)); err == nil {
		t.Error("a package with a wrong signature is kept")
	}
	signs(public)
	if got, err := w.Fetch(t.Context(), demo, nil); err != nil || got.SignedBy != "minisign "+public.String() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// attest signs an in-toto statement about a digest.
func attest(t *testing.T, digest string, sign func(message []byte) []byte) []byte {
	t.Helper()
	payload := fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"demo","digest":{"sha256":%q}}],"predicateType":"https://slsa.dev/provenance/v1","predicate":{}}`, digest)
	message := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(inToto), inToto, len(payload), payload)
	raw, err := json.Marshal(map[string]any{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "dsseEnvelope": map[string]any{
		"payloadType": inToto, "payload": payload, "signatures": []map[string]any{{"sig": sign(message)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func pemOf(t *testing.T, key crypto.PublicKey) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func TestAttestationIsCheckedOffline(t *testing.T) {
	t.Parallel()
	data := good(t)
	edPublic, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	byEd := func(m []byte) []byte { return ed25519.Sign(edPrivate, m) }
	byEC := func(m []byte) []byte {
		sum := sha256.Sum256(m)
		sig, err := ecdsa.SignASN1(rand.Reader, ec, sum[:])
		if err != nil {
			t.Error(err)
		}
		return sig
	}
	for name, c := range map[string]struct {
		key   crypto.PublicKey
		proof []byte
		code  string
	}{
		"Ed25519":      {edPublic, attest(t, hexOf(data), byEd), ""},
		"ECDSA":        {ec.Public(), attest(t, hexOf(data), byEC), ""},
		"another key":  {ec.Public(), attest(t, hexOf(data), byEd), CodeSignature},
		"another file": {edPublic, attest(t, hexOf([]byte("x")), byEd), CodeSignature},
		"no bundle":    {edPublic, []byte("hello"), CodeSignature},
		"nothing":      {edPublic, nil, CodeUnsigned},
	} {
		w := newWorld(t)
		w.pin("demo", "v1", data)
		w.trusts(Entry{Slug: "demo", Identity: &Identity{Attestation: pemOf(t, c.key)}})
		if c.proof != nil {
			if err := os.WriteFile(filepath.Join(w.release, "demo-v1.skill.zip.sigstore.json"), c.proof, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := w.Fetch(t.Context(), demo, nil)
		wants(t, name, err, c.code)
		if c.code == "" && !strings.HasPrefix(got.SignedBy, "attestation SHA256:") {
			t.Errorf("%s: signed by %q", name, got.SignedBy)
		}
	}
}

func FuzzAttestation(f *testing.F) {
	f.Add([]byte(`{"dsseEnvelope":{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"sig":"AA=="}]}}`))
	key, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, proof []byte) {
		if env, err := openEnvelope(proof); err == nil && env.signedBy(key) {
			t.Error("signed by a key that signed nothing")
		}
	})
}
