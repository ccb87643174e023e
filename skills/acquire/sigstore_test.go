//go:build unix

package acquire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSigstoreIsLeftToAnInstalledVerifier: a stand-in for cosign shows what it is asked, and that its
// answer counts.
func TestSigstoreIsLeftToAnInstalledVerifier(t *testing.T) {
	data := good(t)
	w := newWorld(t)
	w.pin("demo", "v1", data)
	w.trusts(Entry{Slug: "demo", Identity: &Identity{Sigstore: &Sigstore{Issuer: "https://issuer.example", Subject: "ada@example.org", TrustedRoot: "/roots.jsonl"}}})
	if err := os.WriteFile(filepath.Join(w.release, "demo-v1.skill.zip.sigstore.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	_, err := w.Fetch(t.Context(), demo, nil)
	wants(t, "no verifier", err, CodeVerifier)
	said := filepath.Join(bin, "said")
	verifier := func(status string) {
		script := "#!/bin/sh\necho \"$@\" > " + said + "\nexit " + status + "\n"
		if err := os.WriteFile(filepath.Join(bin, "cosign"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	verifier("1")
	_, err = w.Fetch(t.Context(), demo, nil)
	wants(t, "refused", err, CodeSignature)
	verifier("0")
	got, err := w.Fetch(t.Context(), demo, nil)
	if err != nil || got.SignedBy != "sigstore ada@example.org" {
		t.Errorf("got %+v, %v", got, err)
	}
	text, err := os.ReadFile(said)
	if err != nil || !strings.Contains(string(text), "--offline --trusted-root /roots.jsonl") || !strings.Contains(string(text), "--certificate-identity ada@example.org") {
		t.Errorf("cosign was asked %q, %v", text, err)
	}
}
