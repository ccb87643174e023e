package host

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
)

// shelf is what one workspace sees.
type shelf struct {
	key, workspace, path string

	mu      sync.Mutex
	cache   disk.Cache
	began   time.Time // the last scan
	scanned time.Time
	took    time.Duration // the last scan
	places  disk.Places   // as they were then
	watched bool          // every folder that was looked into then
	stirred atomic.Bool   // something in them has changed since
	digest  string
	index   skills.Index
	report  disk.Report
	router  func() *skill.Router
	book    *skill.Book
}

// How long a scan is believed without looking again: ten times as long as it took and never longer
// than fresh, so that a new skill is seen at once where looking is cheap; where it is dear, and
// changes would be heard of, for quiet.
const (
	fresh = 500 * time.Millisecond
	dear  = 20 * time.Millisecond
	quiet = 10 * time.Second
	vast  = time.Second
)

func (s *shelf) fresh(p disk.Places) bool {
	believed := min(10*s.took, fresh)
	if s.watched && s.took > dear {
		believed = quiet
	}
	return s.router != nil && !s.stirred.Load() && time.Since(s.scanned) < believed &&
		slices.Equal(p.Trusted, s.places.Trusted) && slices.Equal(p.Added, s.places.Added)
}

// Shelf is an index of skills with what is needed to search it. It does not change.
type Shelf struct {
	Index   skills.Index
	Digest  string
	Report  disk.Report
	Watched bool
	Router  func() *skill.Router // made when it is asked for first: a scan needs none
	Rules   *skill.Book
}

// Look gives the workspace's shelf, scanned anew when it is not fresh.
func (l *Library) Look(ctx context.Context, workspace, path string) (Shelf, error) {
	s := l.shelfOf(workspace, path)
	s.mu.Lock()
	defer s.mu.Unlock()
	places, err := l.places(path)
	if err != nil {
		return Shelf{}, err
	}
	book, err := l.book()
	if err != nil {
		return Shelf{}, err
	}
	if s.book != book && s.router != nil {
		s.router = over(book, s.index)
	}
	s.book = book
	if !s.fresh(places) || l.Home.installedSince(s.began) {
		places.Workspace = workspace
		if err := l.scan(ctx, s, places); err != nil {
			return Shelf{}, err
		}
	}
	return Shelf{Index: s.index, Digest: s.digest, Report: s.report, Watched: s.watched, Router: s.router, Rules: book}, nil
}

// over makes a router over an index once somebody asks for it.
func over(book *skill.Book, index skills.Index) func() *skill.Router {
	return sync.OnceValue(func() *skill.Router { return book.Over(index) })
}

func (l *Library) shelfOf(workspace, path string) *shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shelves == nil {
		l.shelves, l.stored = map[string]*shelf{}, map[string]bool{}
	}
	key := workspace + "\x00" + path
	if l.shelves[key] == nil {
		l.shelves[key] = &shelf{key: key, workspace: workspace, path: path}
	}
	return l.shelves[key]
}

// scan looks at the disk. An index that is another than the last one of this place is put on record.
func (l *Library) scan(ctx context.Context, s *shelf, places disk.Places) error {
	began := time.Now()
	s.stirred.Store(false) // what changes from here on is for the next scan
	index, report, err := disk.Scan(ctx, places, &s.cache)
	if err != nil {
		return fmt.Errorf("scan skills: %w", err)
	}
	digest, err := index.Digest()
	if err != nil {
		return fmt.Errorf("digest of the skills: %w", err)
	}
	if digest != s.digest || s.router == nil {
		if err := l.record(ctx, s, digest, len(index.Skills)); err != nil {
			return err
		}
		s.index, s.digest, s.router = index, digest, over(s.book, index)
		l.warm(s.router)
	}
	s.watched = l.watchFolders(s.key, report)
	s.report, s.began, s.scanned, s.took, s.places = report, began, time.Now(), time.Since(began), places
	if s.took > vast {
		debug.FreeOSMemory() // what the scan has read is several times what is kept of it
	}
	return nil
}
