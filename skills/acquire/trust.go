package acquire

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/batonflow/baton/routing/table"
)

var (
	//go:embed trust.schema.json
	trustSchema []byte
	//go:embed trust.builtin.yaml
	trustBuiltin []byte
)

// TrustFile is the table of trust within an installation's folder.
const TrustFile = "trust.yaml"

// Trust says from where skills may be brought in, and what each version must be.
type Trust struct {
	Entries []Entry  `yaml:"trust,omitempty" json:"trust"`
	Indexes []Index  `yaml:"indexes,omitempty" json:"indexes,omitempty"`
	Mirrors []string `yaml:"mirrors,omitempty" json:"mirrors,omitempty"`
}

// Entry is what is trusted about one skill.
type Entry struct {
	Slug        string            `yaml:"slug" json:"slug"`
	Description string            `yaml:"description,omitempty" json:"description,omitempty"`
	Source      string            `yaml:"source,omitempty" json:"source"`
	Repo        string            `yaml:"repo,omitempty" json:"repo,omitempty"`
	Asset       string            `yaml:"asset,omitempty" json:"asset,omitempty"`
	URL         string            `yaml:"url,omitempty" json:"url,omitempty"`
	Dir         string            `yaml:"dir,omitempty" json:"dir,omitempty"`
	Versions    map[string]string `yaml:"versions,omitempty" json:"versions"` // version: SHA-256 in hex
	Identity    *Identity         `yaml:"identity,omitempty" json:"identity,omitempty"`
	Builtin     bool              `yaml:"-" json:"builtin,omitempty"`
}

// Identity says who must have signed a package; one of its fields is set.
type Identity struct {
	Minisign    string    `yaml:"minisign,omitempty" json:"minisign,omitempty"`       // public key
	Attestation string    `yaml:"attestation,omitempty" json:"attestation,omitempty"` // public key in PEM
	Sigstore    *Sigstore `yaml:"sigstore,omitempty" json:"sigstore,omitempty"`
}

// Sigstore is a signer without a key of its own.
type Sigstore struct {
	Issuer      string `yaml:"issuer" json:"issuer"`
	Subject     string `yaml:"subject" json:"subject"`
	TrustedRoot string `yaml:"trusted_root,omitempty" json:"trusted_root,omitempty"`
}

// Index is a file that lists skills.
type Index struct {
	URL      string    `yaml:"url,omitempty" json:"url,omitempty"`
	Dir      string    `yaml:"dir,omitempty" json:"dir,omitempty"`
	Identity *Identity `yaml:"identity,omitempty" json:"identity,omitempty"`
}

// DefaultAsset is the name of a package where an entry gives none.
const DefaultAsset = "{slug}-{version}.skill.zip"

var schema = sync.OnceValues(func() (*table.Schema, error) { return table.Compile(trustSchema) })

func readTrust(text []byte) (Trust, error) {
	s, err := schema()
	if err != nil {
		return Trust{}, fmt.Errorf("schema of %s: %w", TrustFile, err)
	}
	t, err := table.Read[Trust](text, s)
	if err != nil {
		return Trust{}, err
	}
	seen := map[string]bool{}
	for i := range t.Entries {
		e := &t.Entries[i]
		if err := e.complete(); err != nil {
			return Trust{}, err
		}
		if seen[e.Slug] {
			return Trust{}, fmt.Errorf("%s has two entries", e.Slug)
		}
		seen[e.Slug] = true
	}
	return t, nil
}

// complete fills in what an entry leaves open, and refuses one that names no place.
func (e *Entry) complete() error {
	if e.Source == "" {
		switch {
		case e.Repo != "":
			e.Source = "github"
		case e.URL != "":
			e.Source = "https"
		case e.Dir != "":
			e.Source = "dir"
		}
	}
	if e.Asset == "" && e.Source != "https" {
		e.Asset = DefaultAsset
	}
	if e.Versions == nil {
		e.Versions = map[string]string{}
	}
	for v, digest := range e.Versions {
		e.Versions[v] = strings.ToLower(digest)
		if err := CheckVersion(v); err != nil {
			return err
		}
	}
	place := map[string]string{"github": e.Repo, "https": e.URL, "dir": e.Dir}[e.Source]
	if place == "" {
		return fmt.Errorf("%s names no place for its source %q: give repo, url or dir", e.Slug, e.Source)
	}
	return nil
}

// LoadTrust reads the table of an installation, with what is built in behind it.
func LoadTrust(home string) (Trust, error) {
	t, err := ownTrust(home)
	if err != nil {
		return Trust{}, err
	}
	known, err := readTrust(trustBuiltin)
	if err != nil {
		return Trust{}, fmt.Errorf("built-in trust: %w", err)
	}
	for _, e := range known.Entries {
		if _, ok := t.Find(e.Slug); !ok {
			e.Builtin = true
			t.Entries = append(t.Entries, e)
		}
	}
	return t, nil
}

// ownTrust is the installation's table alone.
func ownTrust(home string) (Trust, error) {
	file := filepath.Join(home, TrustFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Trust{}, nil
	}
	if err == nil {
		var t Trust
		if t, err = readTrust(text); err == nil {
			return t, nil
		}
	}
	return Trust{}, refuse(CodeTrustFile, "mend it, as `baton acquire trust add -h` shows", "%s: %v", file, err)
}

// Find gives the entry of a skill.
func (t Trust) Find(slug string) (Entry, bool) {
	i := slices.IndexFunc(t.Entries, func(e Entry) bool { return e.Slug == slug })
	if i < 0 {
		return Entry{}, false
	}
	return t.Entries[i], true
}

var (
	slugForm    = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{N}._-]*$`) // with a bound it takes milliseconds to compile
	versionForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$`)
	moving      = []string{"latest", "main", "master", "head", "nightly", "stable", "next", "edge", "dev", "canary", "trunk"}
)

// CheckSlug refuses what is no name of a skill, and so no name of a folder.
func CheckSlug(slug string) error {
	if !slugForm.MatchString(slug) || utf8.RuneCountInString(slug) > 64 || strings.Contains(slug, "..") || strings.HasSuffix(slug, ".") {
		return refuse(CodeSlug, "use lower-case letters, digits and hyphens, at most 64", "%q is no name of a skill", slug)
	}
	return nil
}

// CheckVersion refuses what is no version, or one that means another thing tomorrow.
func CheckVersion(version string) error {
	switch {
	case slices.Contains(moving, strings.ToLower(version)):
		return refuse(CodeVersion, "name one version, as in v1.2.0", "%q is another version tomorrow; it cannot be pinned", version)
	case !versionForm.MatchString(version) || strings.Contains(version, ".."):
		return refuse(CodeVersion, "name one version, as in v1.2.0", "%q is no version", version)
	}
	return nil
}

// Add puts what an entry says onto the installation's table: a new skill, or more versions of a known one.
func Add(home string, e Entry) (Entry, error) {
	if err := CheckSlug(e.Slug); err != nil {
		return Entry{}, err
	}
	t, err := ownTrust(home)
	if err != nil {
		return Entry{}, err
	}
	all, err := LoadTrust(home)
	if err != nil {
		return Entry{}, err
	}
	if old, ok := all.Find(e.Slug); ok {
		e = merged(old, e)
	}
	t.Entries = append(slices.DeleteFunc(t.Entries, func(o Entry) bool { return o.Slug == e.Slug }), e)
	if err := t.save(home); err != nil {
		return Entry{}, err
	}
	saved, err := ownTrust(home)
	if err != nil {
		return Entry{}, err
	}
	out, _ := saved.Find(e.Slug)
	return out, nil
}

// merged is an entry with what is said anew in place of what was said before.
func merged(old, e Entry) Entry {
	out := old
	out.Builtin = false
	out.Versions = map[string]string{}
	for _, from := range []map[string]string{old.Versions, e.Versions} {
		for v, digest := range from {
			out.Versions[v] = digest
		}
	}
	if e.Source != "" && e.Source != old.Source || e.Repo != "" || e.URL != "" || e.Dir != "" {
		out.Source, out.Repo, out.URL, out.Dir, out.Asset = e.Source, e.Repo, e.URL, e.Dir, e.Asset
	}
	for _, set := range []struct{ to, from *string }{{&out.Asset, &e.Asset}, {&out.Description, &e.Description}} {
		if *set.from != "" {
			*set.to = *set.from
		}
	}
	if e.Identity != nil {
		out.Identity = e.Identity
	}
	return out
}

// Remove takes a skill, or one version of it, off the installation's table.
func Remove(home, slug, version string) (Entry, error) {
	t, err := ownTrust(home)
	if err != nil {
		return Entry{}, err
	}
	i := slices.IndexFunc(t.Entries, func(e Entry) bool { return e.Slug == slug })
	if i < 0 {
		return Entry{}, refuse(CodeTrustUnknown, "see `baton acquire trust list`", "%s has no entry for %q", TrustFile, slug)
	}
	e := t.Entries[i]
	if version == "" {
		t.Entries = slices.Delete(t.Entries, i, i+1)
		return e, t.save(home)
	}
	if _, ok := e.Versions[version]; !ok {
		return Entry{}, refuse(CodeTrustUnknown, "see `baton acquire trust list`", "no version %q of %s is pinned", version, slug)
	}
	delete(e.Versions, version)
	return e, t.save(home)
}

// save puts the table in place as a whole, once it reads back as it must.
func (t Trust) save(home string) error {
	slices.SortFunc(t.Entries, func(a, b Entry) int { return strings.Compare(a.Slug, b.Slug) })
	text, err := yaml.Marshal(t)
	if err == nil {
		_, err = readTrust(text)
	}
	if err != nil {
		return refuse(CodeTrustEntry, "see `baton acquire trust add -h`", "this makes no entry of %s: %v", TrustFile, err)
	}
	if err := writeWhole(filepath.Join(home, TrustFile), text, 0o600); err != nil {
		return refuse(CodeDisk, "see `baton doctor`", "write %s: %v", TrustFile, err)
	}
	return nil
}
