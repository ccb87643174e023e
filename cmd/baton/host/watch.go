package host

import (
	"context"
	"sync"
	"time"

	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/stream"
)

// gathering is how long a change waits for others: an installation writes many files.
const gathering = 200 * time.Millisecond

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
	l.watch, l.stir = watch, make(chan struct{}, 1)
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
