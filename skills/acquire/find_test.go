package acquire

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/batonflow/baton/sessions"
)

const (
	pinA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	pinB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func library(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for _, e := range []Entry{
		{Slug: "poster-maker", Description: "Designs posters and flyers for print", Dir: "/p", Versions: map[string]string{"v1": pinA}},
		{Slug: "table-reader", Description: "Reads tables out of PDF files", Repo: "o/t", Versions: map[string]string{"v1": pinA, "v2": pinB}},
		{Slug: "unpinned", Description: "Translates letters", Dir: "/u"},
	} {
		w.trusts(e)
	}
	return w
}

func TestFind(t *testing.T) {
	t.Parallel()
	w := library(t)
	for name, c := range map[string]struct {
		request             Request
		slug, version, code string
	}{
		"by name":               {Request{Query: "poster-maker"}, "poster-maker", "v1", ""},
		"by slug":               {Request{Slug: "poster-maker"}, "poster-maker", "v1", ""},
		"by words":              {Request{Query: "design a poster for print"}, "poster-maker", "v1", ""},
		"two pins":              {Request{Query: "table-reader"}, "", "", CodeNoVersion},
		"two pins, one asked":   {Request{Query: "table-reader", Version: "v2"}, "table-reader", "v2", ""},
		"not pinned, asked for": {Request{Query: "table-reader", Version: "v3"}, "table-reader", "v3", ""},
		"no pin":                {Request{Query: "unpinned"}, "", "", CodeNoVersion},
		"nothing":               {Request{Query: "zzz"}, "", "", CodeNone},
		"unknown slug":          {Request{Slug: "zzz"}, "", "", CodeNone},
		"another source":        {Request{Query: "poster-maker", Source: "github"}, "", "", CodeNone},
		"latest":                {Request{Query: "poster-maker", Version: "latest"}, "", "", CodeVersion},
		"main":                  {Request{Query: "poster-maker", Version: "main"}, "", "", CodeVersion},
		"a path":                {Request{Query: "poster-maker", Version: "../v1"}, "", "", CodeVersion},
		"no words":              {Request{}, "", "", CodeQuery},
		"a slug that is a path": {Request{Slug: "../x"}, "", "", CodeSlug},
		"no such source":        {Request{Query: "x", Source: "ftp"}, "", "", CodeSource},
	} {
		got, err := w.Find(t.Context(), c.request)
		wants(t, name, err, c.code)
		if got.Slug != c.slug || got.Version != c.version || c.code == "" && len(got.Why) == 0 {
			t.Errorf("%s: got %+v", name, got.Candidate)
		}
	}
}

func TestIndexesHelpToFindAndPinNothing(t *testing.T) {
	t.Parallel()
	w := library(t)
	index := `{"skills":[{"name":"map-drawer","description":"Draws maps of cities","versions":{"v9":{"sha256":"` + pinA + `"}}},{"name":"../x"},{"name":"poster-maker","description":"other"}]}`
	if err := os.WriteFile(filepath.Join(w.release, "index.json"), []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Trust.Indexes = []Index{{Dir: w.release}, {Dir: "/nowhere"}}
	got, err := w.Find(t.Context(), Request{Query: "draw a map of the city", Version: "v9"})
	if err != nil || got.Slug != "map-drawer" || got.Pinned != "" || len(got.Warnings) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = w.Fetch(t.Context(), got.Candidate, nil)
	wants(t, "a digest from an index", err, CodeNoPin)

	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.Trust.Indexes = []Index{{Dir: w.release, Identity: &Identity{Minisign: public.String()}}}
	if got, err := w.Find(t.Context(), Request{Slug: "map-drawer", Version: "v9"}); codeOf(err) != CodeNone {
		t.Errorf("an unsigned index counts: %+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(w.release, "index.json.minisig"), minisign.Sign(private, []byte(index)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Find(t.Context(), Request{Slug: "map-drawer", Version: "v9"}); err != nil {
		t.Errorf("a signed index does not count: %v", err)
	}
}

func TestTrustFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"unknown field":    {"trust:\n- slug: a\n  dir: /a\n  pinned: x\n", "pinned"},
		"unknown key":      {"trusted: []\n", "trusted"},
		"bad digest":       {"trust:\n- slug: a\n  dir: /a\n  versions: {v1: beef}\n", "v1"},
		"latest":           {"trust:\n- slug: a\n  dir: /a\n  versions: {latest: " + pinA + "}\n", "latest"},
		"no place":         {"trust:\n- slug: a\n", "names no place"},
		"two entries":      {"trust:\n- slug: a\n  dir: /a\n- slug: a\n  dir: /b\n", "two entries"},
		"a path as a slug": {"trust:\n- slug: ../a\n  dir: /a\n", "slug"},
		"no YAML":          {"trust: [", ""},
		"two identities":   {"trust:\n- slug: a\n  dir: /a\n  identity: {minisign: " + pinA + ", attestation: " + pinA + "}\n", "identity"},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, TrustFile), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadTrust(home)
		wants(t, name, err, CodeTrustFile)
		if err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q", name, err, c.says)
		}
		if _, err := Add(home, Entry{Slug: "b", Dir: "/b"}); err == nil {
			t.Errorf("%s: the file is written over", name)
		}
	}
}

func TestTrustIsAddedToAndTakenFrom(t *testing.T) {
	t.Parallel()
	w := library(t)
	e, err := Add(w.Home, Entry{Slug: "poster-maker", Versions: map[string]string{"v2": strings.ToUpper(pinB)}})
	if err != nil || len(e.Versions) != 2 || e.Versions["v2"] != pinB || e.Dir != "/p" {
		t.Fatalf("got %+v, %v", e, err)
	}
	if _, err := Remove(w.Home, "poster-maker", "v1"); err != nil {
		t.Fatal(err)
	}
	w.reload()
	if e, _ := w.Trust.Find("poster-maker"); len(e.Versions) != 1 {
		t.Errorf("got %+v", e)
	}
	_, err = Remove(w.Home, "poster-maker", "v7")
	wants(t, "unknown version", err, CodeTrustUnknown)
	if _, err := Remove(w.Home, "poster-maker", ""); err != nil {
		t.Fatal(err)
	}
	_, err = Remove(w.Home, "poster-maker", "")
	wants(t, "unknown skill", err, CodeTrustUnknown)
	if info, err := os.Stat(filepath.Join(w.Home, TrustFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if e, err := Add(w.Home, Entry{Slug: "skill-radoute", Versions: map[string]string{"v3.0.1": pinA}}); err != nil || e.Repo == "" {
		t.Errorf("a pin for a built-in entry: got %+v, %v", e, err)
	}
}

func TestTheExampleIsValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/trust.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := readTrust(text)
	if err != nil || len(got.Entries) < 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEveryCodeHasAKind(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]sessions.Kind{
		CodeNoPin: sessions.Refused, CodeDigest: sessions.Refused, "package_link": sessions.Refused, CodeNoVersion: sessions.Usage,
		CodeNone: sessions.NotFound, CodeApproval: sessions.Waits, CodeInstalled: sessions.Conflict, "denied": sessions.Refused,
	} {
		if got := KindOf(code); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
}

func FuzzTrust(f *testing.F) {
	f.Add([]byte("trust:\n- slug: a\n  dir: /a\n  versions: {v1: " + pinA + "}\n"))
	f.Add([]byte("mirrors: [https://m.example]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readTrust(text)
		if err != nil {
			return
		}
		for _, e := range got.Entries {
			if CheckSlug(e.Slug) != nil && !strings.Contains(e.Slug, "..") && !strings.HasSuffix(e.Slug, ".") {
				t.Errorf("entry %q is taken", e.Slug)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"skills":[{"name":"a","versions":["v1"]}]}`))
	f.Add([]byte(`[{"name":"a","versions":{"v1":{}}}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := parseIndex(text, "dir")
		for _, c := range list {
			if err != nil || CheckSlug(c.Slug) != nil {
				t.Errorf("got %+v, %v", c, err)
			}
		}
	})
}
