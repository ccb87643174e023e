package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/batonflow/baton/skills"
)

// Report is what a scan saw, for people.
type Report struct {
	Roots    []Root         `json:"roots"`
	Unusable []Unusable     `json:"unusable"`
	Clashes  []skills.Clash `json:"clashes"`
	Read     int            `json:"read"`   // files that were opened
	Cached   int            `json:"cached"` // files known from the scan before
}

// Unusable is a file or folder that gives no skill, and why.
type Unusable struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Scan finds the skills of all places. The cache of an earlier scan makes it read only what
// changed and is brought up to date; it may be nil. A file that cannot be used is no error: it is
// in the index with its reason, or in the report. The error is for a broken table of hosts or an
// ended context.
func Scan(ctx context.Context, places Places, cache *Cache) (skills.Index, Report, error) {
	if cache == nil {
		cache = &Cache{}
	}
	roots, err := places.roots()
	if err != nil {
		return skills.Index{}, Report{}, err
	}
	s := scan{old: cache, new: Cache{files: map[string]cachedFile{}, dirs: map[string]cachedDir{}}, started: places.now()}
	s.report = Report{Roots: []Root{}, Unusable: []Unusable{}}
	for _, root := range roots {
		if err := s.root(ctx, root); err != nil {
			return skills.Index{}, Report{}, fmt.Errorf("scan %s: %w", root.Root, err)
		}
	}
	*cache = s.new
	index := skills.NewIndex(s.list)
	s.report.Clashes = index.Clashes()
	slices.SortFunc(s.report.Unusable, func(a, b Unusable) int { return cmp.Compare(a.File, b.File) })
	return index, s.report, nil
}

type scan struct {
	old     *Cache
	new     Cache
	started time.Time
	list    []skills.Skill
	report  Report
}

func (s *scan) root(ctx context.Context, root Root) error {
	dir, err := os.OpenRoot(root.Root)
	if err != nil {
		s.refuse(root.Root, fmt.Sprintf("the folder cannot be opened: %v", err))
		return nil
	}
	defer dir.Close()
	w := walk{root: root.Root, scan: s, seen: map[string]bool{}, refused: s.refuse}
	w.found = func(file string, info fs.FileInfo) {
		if s.file(dir, root, file, info) {
			root.Count++
		}
	}
	if err := w.dir(ctx, root.Root, 0); err != nil && !errors.Is(err, errTooMany) {
		return err
	} else if err != nil {
		s.refuse(root.Root, err.Error())
	}
	s.report.Roots = append(s.report.Roots, root)
	return nil
}

func (s *scan) refuse(file, reason string) {
	s.report.Unusable = append(s.report.Unusable, Unusable{file, reason})
}

// file adds the skill of one SKILL.md and says whether it is usable.
func (s *scan) file(dir *os.Root, root Root, file string, info fs.FileInfo) bool {
	st := stampOf(info)
	known, ok := s.old.files[file]
	if ok && known.stamp == st {
		s.report.Cached++
	} else {
		data, err := readRegular(dir, root.Root, file)
		if err != nil {
			s.refuse(file, err.Error())
			return false
		}
		s.report.Read++
		known = cachedFile{stamp: st}
		known.skill, known.findings = skills.Parse(file, data)
	}
	if st.sure(s.started) {
		s.new.files[file] = known
	}
	skill := known.skill
	skill.Tier, skill.Host, skill.Trusted = root.Tier, root.Host, root.Trusted
	s.list = append(s.list, skill)
	if !skill.Usable {
		s.refuse(file, skill.Reason)
	}
	return skill.Usable
}

// readRegular reads a file of at most [skills.MaxFile] bytes (one more tells that it is larger),
// through the root, so that a link swapped in meanwhile cannot lead out of it, and without waiting
// on a pipe.
func readRegular(dir *os.Root, root, file string) ([]byte, error) {
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return nil, fmt.Errorf("the file is not below its root: %w", err)
	}
	f, err := dir.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be opened: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, skills.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return data, nil
}
