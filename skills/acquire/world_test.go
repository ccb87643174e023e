package acquire

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/batonflow/baton/sessions"
)

const skillText = "---\nname: demo\ndescription: Draws charts of numbers.\n---\nDraws charts.\n"

// part is one entry of a package that a test makes.
type part struct {
	name string
	text string
	mode fs.FileMode
	edit func(*zip.FileHeader)
}

// packed makes a package.
func packageOf(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
		mode := p.mode
		if mode == 0 {
			mode = 0o644
		}
		h.SetMode(mode)
		if p.edit != nil {
			p.edit(h)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(p.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func good(t testing.TB) []byte {
	return packageOf(t, part{name: "SKILL.md", text: skillText}, part{name: "scripts/run.sh", text: "#!/bin/sh\necho hi\n", mode: 0o755})
}

func hexOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// world is an installation with one acquisition under way.
type world struct {
	Shop
	t       testing.TB
	release string // folder of releases
	request Request
}

func newWorld(t testing.TB) *world {
	t.Helper()
	home := t.TempDir()
	w := &world{t: t, release: t.TempDir(), request: Request{Query: "demo", Slug: "demo"}}
	w.Shop = Shop{Home: home, Run: "r-1", Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	return w
}

// pin publishes a package in the folder of releases and pins it.
func (w *world) pin(slug, version string, data []byte) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.release, slug+"-"+version+".skill.zip"), data, 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.trusts(Entry{Slug: slug, Dir: w.release, Versions: map[string]string{version: hexOf(data)}})
}

func (w *world) trusts(e Entry) {
	w.t.Helper()
	if _, err := Add(w.Home, e); err != nil {
		w.t.Fatal(err)
	}
	w.reload()
}

func (w *world) reload() {
	w.t.Helper()
	t, err := LoadTrust(w.Home)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Trust, w.Mirrors = t, t.Mirrors
}

// upTo does the steps before the one that is named.
func (w *world) upTo(step string) Candidate {
	w.t.Helper()
	c := Candidate{Slug: "demo", Version: "v1"}
	for _, do := range []struct {
		step string
		call func() error
	}{
		{"fetch", func() error { _, err := w.Fetch(w.t.Context(), c, nil); return err }},
		{"unpack", func() error { _, err := w.Unpack(w.t.Context(), c); return err }},
		{"audit", func() error { _, err := w.Audit(w.t.Context(), c, w.request); return err }},
		{"install", func() error { _, err := w.install(c); return err }},
	} {
		if do.step == step {
			return c
		}
		if err := do.call(); err != nil {
			w.t.Fatalf("%s: %v", do.step, err)
		}
	}
	return c
}

func (w *world) install(c Candidate) (Installed, error) {
	return w.Install(w.t.Context(), c, w.request, Fetched{From: "there"}, "s-1")
}

// files lists everything below the installation, for what must not be left behind.
func (w *world) files() []string {
	w.t.Helper()
	var out []string
	err := filepath.WalkDir(w.Home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(w.Home, path)
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// codeOf is the code of a refusal; "" for none, "fault" for an error of another kind.
func codeOf(err error) string {
	var r *sessions.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &r):
		return r.Code
	}
	return "fault"
}

func wants(t testing.TB, what string, err error, code string) {
	t.Helper()
	if got := codeOf(err); got != code {
		t.Errorf("%s: got %q (%v), want %q", what, got, err, code)
	}
}

func yes(question string) func(context.Context) (Consent, error) {
	return func(context.Context) (Consent, error) { return Consent{Yes: true, By: "ada", Question: question}, nil }
}
