package acquire

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Removed is what a removal leaves behind.
type Removed struct {
	Slug    string `json:"slug"`
	Path    string `json:"path"`
	Version string `json:"version"`
	Tree    string `json:"tree"`
}

// Remove takes an installed skill away. Only what Baton installed is removed; with force also when
// somebody has changed it since.
func (s Shop) Remove(_ context.Context, slug string, r Request) (Removed, error) {
	if err := CheckSlug(slug); err != nil {
		return Removed{}, err
	}
	dir := s.target(r)
	gone := "." + slug + "." + s.Run + ".gone"
	out := Removed{Slug: slug, Path: filepath.Join(dir, slug)}
	m, err := ReadManifest(filepath.Join(dir, gone)) // of an attempt before
	if err != nil {
		v, err := Verify(out.Path)
		if err != nil {
			return Removed{}, err
		}
		if !v.OK && !r.Force {
			return Removed{}, refuse(CodeForeign, "look at it, then use --force", "%s is not as it was installed: %s", out.Path, v.Reason)
		}
		m = v.Manifest
		if err := os.Rename(out.Path, filepath.Join(dir, gone)); err != nil {
			return Removed{}, diskFault("take the skill away", err)
		}
	}
	out.Version, out.Tree = m.Version, m.Tree
	return out, removeBelow(dir, gone)
}

// Reset is what giving up an acquisition leaves behind.
type Reset struct {
	Run     string   `json:"run"`
	Removed []string `json:"removed"`
}

// GiveUp removes what an acquisition made and nothing else: its own folder, and in the folder of
// skills what bears its name. What it had put in the place of another goes, and the other comes back.
func GiveUp(home, run, slug string, r Request) (Reset, error) {
	s, err := Open(home, run, nil)
	if err != nil {
		return Reset{}, err
	}
	out := Reset{Run: run, Removed: []string{}}
	if slug != "" && CheckSlug(slug) == nil {
		p := placing{Shop: s, dir: s.target(r), slug: slug}
		if err := p.undo(&out); err != nil {
			return out, err
		}
	}
	if _, err := os.Lstat(s.work()); err == nil {
		out.Removed = append(out.Removed, s.work())
	}
	return out, removeBelow(filepath.Join(home, "acquire"), run)
}

func (p placing) undo(out *Reset) error {
	at, aside := filepath.Join(p.dir, p.slug), filepath.Join(p.dir, p.aside())
	if m, err := ReadManifest(at); err == nil && m.Run == p.Run {
		gone := "." + p.slug + "." + p.Run + ".gone"
		if err := os.Rename(at, filepath.Join(p.dir, gone)); err != nil {
			return diskFault("take the skill away", err)
		}
		out.Removed = append(out.Removed, at)
		if err := removeBelow(p.dir, gone); err != nil {
			return err
		}
	}
	if p.kept() != "" {
		if err := os.Rename(aside, at); err != nil && !errors.Is(err, fs.ErrExist) {
			return diskFault("put the old skill back", err)
		}
	}
	if _, err := os.Lstat(filepath.Join(p.dir, p.fresh())); err == nil {
		out.Removed = append(out.Removed, filepath.Join(p.dir, p.fresh()))
	}
	return p.clear()
}
