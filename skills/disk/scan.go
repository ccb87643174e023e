package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
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
	Files    []string       `json:"-"`      // every SKILL.md that was looked at
	Folders  []string       `json:"-"`      // every folder that was looked into
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
	var files []found
	w := walk{root: root.Root, scan: s, seen: map[string]bool{}, refused: s.refuse}
	w.found = func(file string, info fs.FileInfo) { files = append(files, found{file: file, stamp: stampOf(info)}) }
	if err := w.dir(ctx, root.Root, 0); err != nil && !errors.Is(err, errTooMany) {
		return err
	} else if err != nil {
		s.refuse(root.Root, err.Error())
	}
	s.read(ctx, dir, root.Root, files)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for _, f := range files {
		if s.take(root, f) {
			root.Count++
		}
	}
	s.report.Roots = append(s.report.Roots, root)
	return nil
}

// found is a SKILL.md and what it says.
type found struct {
	file string
	cachedFile
	known bool // from the scan before
	err   error

	stamp stamp // as it was found
}

// read fills in what the files say, those that are known from the scan before without opening them.
// Files are read side by side: most of the time goes into waiting for the disk and parsing.
func (s *scan) read(ctx context.Context, dir *os.Root, root string, files []found) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				files[i].read(s.old, dir, root)
			}
		})
	}
	group.Wait()
}

func (f *found) read(old *Cache, dir *os.Root, root string) {
	if f.cachedFile, f.known = old.files[f.file]; f.known && f.cachedFile.stamp == f.stamp {
		return
	}
	f.known = false
	data, err := readRegular(dir, root, f.file)
	if f.err = err; err != nil {
		return
	}
	f.cachedFile = cachedFile{stamp: f.stamp}
	f.skill, _ = skills.Parse(f.file, data)
}

func (s *scan) refuse(file, reason string) {
	s.report.Unusable = append(s.report.Unusable, Unusable{file, reason})
}

// take adds the skill of one SKILL.md and says whether it is usable.
func (s *scan) take(root Root, f found) bool {
	s.report.Files = append(s.report.Files, f.file)
	switch {
	case f.err != nil:
		s.refuse(f.file, f.err.Error())
		return false
	case f.known:
		s.report.Cached++
	default:
		s.report.Read++
	}
	if f.stamp.sure(s.started) {
		s.new.files[f.file] = f.cachedFile
	}
	skill := f.skill
	skill.Tier, skill.Host, skill.Trusted = root.Tier, root.Host, root.Trusted
	s.list = append(s.list, skill)
	if !skill.Usable {
		s.refuse(f.file, skill.Reason)
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
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), skills.MaxFile)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, skills.MaxFile+1)); err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return data.Bytes(), nil
}
