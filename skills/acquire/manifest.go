package acquire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/batonflow/baton/skills/audit"
)

// Manifest says what an installed skill is and where it came from. It lies within the skill's folder;
// the log has the same, for whoever does not believe it.
type Manifest struct {
	Slug     string        `json:"slug"`
	Version  string        `json:"version"`
	Source   string        `json:"source"`
	From     string        `json:"from"`
	SHA256   string        `json:"sha256"` // of the package
	SignedBy string        `json:"signed_by,omitempty"`
	Tree     string        `json:"tree"` // digest of all files
	Files    []Item        `json:"files"`
	Verdict  audit.Verdict `json:"verdict"`
	Risk     audit.Level   `json:"risk"`
	Approved *Consent      `json:"approved,omitempty"` // who said yes, where somebody was asked
	Session  string        `json:"session"`
	Run      string        `json:"run"`
	At       time.Time     `json:"at"`
}

// ReadManifest reads the manifest of an installed skill. [fs.ErrNotExist] means that Baton did not
// install what is there.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("manifest of %s: %w", dir, err)
	}
	return m, nil
}

func writeManifest(root *os.Root, m Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := root.OpenFile(ManifestFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// Verified is what a look at an installed skill found.
type Verified struct {
	Slug    string   `json:"slug"`
	Path    string   `json:"path"`
	OK      bool     `json:"ok"`
	Version string   `json:"version"`
	Tree    string   `json:"tree"`
	Changes []Change `json:"changes"`
	Reason  string   `json:"reason,omitempty"`
	Logged  bool     `json:"logged"` // the log says the same as the manifest

	Manifest Manifest `json:"-"`
}

// Verify holds an installed skill against its manifest.
func Verify(dir string) (Verified, error) {
	v := Verified{Slug: filepath.Base(dir), Path: dir, Changes: []Change{}}
	m, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, stat := os.Stat(dir); stat != nil {
			return v, refuse(CodeNotInstalled, "see `baton skills scan`", "%s is not installed in %s", v.Slug, filepath.Dir(dir))
		}
		return v, refuse(CodeForeign, "look at it yourself", "%s was not installed by Baton: it has no %s", dir, ManifestFile)
	}
	if err != nil {
		v.Reason = err.Error()
		return v, nil
	}
	v.Manifest, v.Version, v.Tree = m, m.Version, m.Tree
	have, err := ItemsOf(dir)
	if err != nil {
		v.Reason = err.Error()
		return v, nil
	}
	v.Changes = changes(m.Files, have)
	switch {
	case len(v.Changes) > 0:
		v.Reason = fmt.Sprintf("%s was %s", v.Changes[0].Path, v.Changes[0].How)
	case Digest(m.Files) != m.Tree:
		v.Reason = "the manifest contradicts itself"
	case m.Slug != v.Slug:
		v.Reason = "the manifest is that of " + m.Slug
	default:
		v.OK = true
	}
	return v, nil
}
