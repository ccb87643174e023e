package host

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/stream"
)

// gathering is how long a change waits for others: an installation writes many files.
const gathering = 200 * time.Millisecond

// idle is how long a router that nobody asked for yet waits before it is made: the answer to whoever had
// the skills scanned goes first.
const idle = time.Second

// Watch scans a workspace's skills again when something in their folders changes, so that the index is
// on record before anybody asks. Without notifications from the system it is found by asking.
func (l *Library) Watch(ctx context.Context) {
	watch, err := disk.NewWatch()
	if err != nil {
		l.Logger.Warn("skills are not watched", "err", err)
		return
	}
	defer watch.Close()
	l.mu.Lock()
	l.watch, l.stir, l.cold = watch, make(chan struct{}, 1), make(chan func() *skill.Router, 1)
	l.mu.Unlock()
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { l.rescan(ctx) })
	if err := watch.Run(ctx, l.stirred); err != nil {
		l.Logger.Warn("skills are no longer watched", "err", err)
	}
	l.mu.Lock()
	l.watch = nil
	l.mu.Unlock()
}

// watchFolders has what a scan looked into watched from now on, and says whether all of it is.
func (l *Library) watchFolders(key string, report disk.Report) bool {
	l.mu.Lock()
	watch := l.watch
	l.mu.Unlock()
	return watch != nil && watch.Set(key, report.Folders)
}

// stirred notes that a shelf is behind.
func (l *Library) stirred(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.shelves[key]; s != nil {
		s.stirred.Store(true)
	}
	select {
	case l.stir <- struct{}{}:
	default: // it is known already
	}
}

// rescan brings the shelves up to date that are behind, until ctx is done.
func (l *Library) rescan(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case router := <-l.cold:
			if !stream.Pause(ctx, idle) {
				return
			}
			began := time.Now()
			if router(); time.Since(began) > dear {
				debug.FreeOSMemory() // making it takes several times what it keeps
			}
			continue
		case <-l.stir:
		}
		if !stream.Pause(ctx, gathering) {
			return
		}
		for _, s := range l.behind() {
			if _, err := l.Look(ctx, s.workspace, s.path); err != nil && ctx.Err() == nil {
				l.Logger.Warn("scan skills after a change", "workspace", s.workspace, "err", err)
			}
		}
	}
}

// warm has a router made while nobody waits for it.
func (l *Library) warm(router func() *skill.Router) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.cold <- router:
	default: // whoever asks first makes it
	}
}

func (l *Library) behind() []*shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*shelf
	for _, s := range l.shelves {
		if s.stirred.Load() {
			out = append(out, s)
		}
	}
	return out
}
