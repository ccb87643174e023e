package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of one root: deeper or wider than this is not a folder of skills.
const (
	maxDepth   = 6
	maxFolders = 100_000
)

var errTooMany = errors.New("more than 100,000 folders; the rest is not searched")

// entry is what of a folder's content matters here.
type entry struct {
	name string
	mode fs.FileMode // type bits
}

// walk finds the files named SKILL.md below a root. A folder that holds one is a skill, and what
// is below it belongs to it; only the root itself is searched further.
type walk struct {
	root    string
	scan    *scan
	folders int
	seen    map[string]bool // folders reached through links
	found   func(file string, info fs.FileInfo)
	refused func(file, reason string)
}

func (w *walk) dir(ctx context.Context, dir string, depth int) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if w.folders++; w.folders > maxFolders {
		return errTooMany
	}
	entries, err := w.scan.entries(dir)
	if err != nil {
		w.refused(dir, fmt.Sprintf("the folder cannot be read: %v", err))
		return nil
	}
	if w.skill(dir, entries) && depth > 0 {
		return nil
	}
	if depth == maxDepth {
		return nil
	}
	for _, e := range entries {
		if skipped(e.name) {
			continue
		}
		path := filepath.Join(dir, e.name)
		switch {
		case e.mode.IsDir():
			if err := w.dir(ctx, path, depth+1); err != nil {
				return err
			}
		case e.mode&fs.ModeSymlink != 0:
			if err := w.link(ctx, path, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// skill reports the folder's SKILL.md, if it has one. The exact name goes before other spellings.
func (w *walk) skill(dir string, entries []entry) bool {
	best := -1
	for i, e := range entries {
		if strings.EqualFold(e.name, "SKILL.md") && (best < 0 || e.name == "SKILL.md") {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	file := filepath.Join(dir, entries[best].name)
	mode := entries[best].mode
	if mode&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(file)
		if err != nil || !within(w.root, real) {
			w.refused(file, "it is a link that leads out of the root, which is not followed")
			return true
		}
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		w.refused(file, fmt.Sprintf("it cannot be read: %v", err))
	case !info.Mode().IsRegular():
		w.refused(file, "it is not a regular file")
	default:
		w.found(file, info)
	}
	return true
}

// link follows a link to a folder inside the root, once.
func (w *walk) link(ctx context.Context, path string, depth int) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // it leads nowhere
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return nil
	}
	if !within(w.root, real) {
		w.refused(path, "it is a link that leads out of the root, which is not followed")
		return nil
	}
	if w.seen[real] || within(real, filepath.Dir(path)) {
		return nil
	}
	w.seen[real] = true
	return w.dir(ctx, real, depth+1)
}

// skipped are folders that hold no skills of their own, or skills put aside by their host.
func skipped(name string) bool {
	switch name {
	case "node_modules", "__pycache__", "quarantine", "archive":
		return true
	case ".system", ".curated", ".experimental":
		return false
	}
	return strings.HasPrefix(name, ".")
}

// entries lists the parts of a folder that a walk looks at, from the cache if it is unchanged.
func (s *scan) entries(dir string) ([]entry, error) {
	s.report.Folders = append(s.report.Folders, dir)
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if old, ok := s.old.dirs[dir]; ok && old.stamp == stampOf(info) {
		if old.stamp.sure(s.started) {
			s.new.dirs[dir] = old
		}
		return old.entries, nil
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := []entry{}
	for _, e := range list {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 || strings.EqualFold(e.Name(), "SKILL.md") {
			out = append(out, entry{name: e.Name(), mode: e.Type()})
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if st := stampOf(info); st.sure(s.started) {
		s.new.dirs[dir] = cachedDir{stamp: st, entries: out}
	}
	return out, nil
}

func (p Places) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}
