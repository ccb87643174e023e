package disk

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// mostWatched bounds the folders that are watched: the system has room for so many, and others want
// some too.
const mostWatched = 50_000

// Watch hears of changes in folders. It is a hint and no truth: a change may be heard of late, twice,
// or not at all on some file systems, so whoever uses it also looks from time to time.
type Watch struct {
	notify *fsnotify.Watcher

	mu      sync.Mutex
	folders map[string]map[string]bool // folder -> names of who watches it
	of      map[string][]string        // name -> its folders
}

// NewWatch opens the system's notifications; Close ends them. The error is for a system that has none
// left.
func NewWatch() (*Watch, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch folders: %w", err)
	}
	return &Watch{notify: notify, folders: map[string]map[string]bool{}, of: map[string][]string{}}, nil
}

// Close ends the watch.
func (w *Watch) Close() error { return w.notify.Close() }

// Set makes these the folders that are watched under a name, instead of those before. It says whether
// all of them are.
func (w *Watch) Set(name string, folders []string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.of[name]
	complete := true
	w.of[name] = folders
	wanted := make(map[string]bool, len(folders))
	for _, folder := range folders {
		wanted[folder] = true
		complete = w.add(name, folder) && complete
	}
	for _, folder := range old {
		if !wanted[folder] {
			w.drop(name, folder)
		}
	}
	return complete
}

func (w *Watch) add(name, folder string) bool {
	if names := w.folders[folder]; names != nil {
		names[name] = true
		return true
	}
	if len(w.folders) >= mostWatched || w.notify.Add(folder) != nil {
		return false
	}
	w.folders[folder] = map[string]bool{name: true}
	return true
}

func (w *Watch) drop(name, folder string) {
	names := w.folders[folder]
	delete(names, name)
	if names != nil && len(names) == 0 {
		delete(w.folders, folder)
		_ = w.notify.Remove(folder) // a folder that is gone is watched no longer anyway
	}
}

// Run calls changed with the name under which a folder is watched whenever something in it changed,
// until ctx is done. The error is for notifications that broke.
func (w *Watch) Run(ctx context.Context, changed func(name string)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, ok := <-w.notify.Events:
			if !ok {
				return nil
			}
			if event.Op != fsnotify.Chmod {
				w.tell(event.Name, changed)
			}
		case err, ok := <-w.notify.Errors:
			if !ok {
				return nil
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch folders: %w", err)
			}
			w.tellAll(changed)
		}
	}
}

// tell finds who watches the folder of a file, or the folder itself when that is gone.
func (w *Watch) tell(path string, changed func(name string)) {
	w.mu.Lock()
	names := map[string]bool{}
	for _, folder := range []string{filepath.Dir(path), path} {
		for name := range w.folders[folder] {
			names[name] = true
		}
	}
	w.mu.Unlock()
	for name := range names {
		changed(name)
	}
}

// tellAll is for when the system lost count.
func (w *Watch) tellAll(changed func(name string)) {
	w.mu.Lock()
	names := make([]string, 0, len(w.of))
	for name := range w.of {
		names = append(names, name)
	}
	w.mu.Unlock()
	for _, name := range names {
		changed(name)
	}
}
