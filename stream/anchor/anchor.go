package anchor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/file"
)

// Span is a range of sequences, both ends included.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Damage is what is wrong with a line.
type Damage struct {
	Sequence uint64 `json:"sequence"` // where it shows
	Problem  string `json:"problem"`
	Cut      bool   `json:"cut,omitempty"` // what is there is whole, and its end is gone
	// GivenUp is the epoch in which a person gave the line up; 0: nobody has said anything yet.
	GivenUp int `json:"given_up,omitempty"`
}

// State is what the anchor knows beside the last commits.
type State struct {
	Version      int    `json:"version"`
	Installation string `json:"installation"`
	Epoch        int    `json:"epoch"`
	Durability   string `json:"durability"` // of the last server
	Clean        bool   `json:"clean"`      // the last server stopped in order
	// Files are those of the log when the last server stopped in order, each with a stamp of what it was like.
	Files map[string]string `json:"files,omitempty"`
	// Missing counts the sequences that the server is known to lack, Gaps are those that cannot be read.
	Missing int    `json:"missing,omitempty"`
	Gaps    []Span `json:"gaps,omitempty"`
	// Floor is the highest sequence that was given up: none up to it is used again.
	Floor uint64 `json:"floor,omitempty"`
	// Voids are sequences that were lost at the log's end and are kept from being used again.
	Voids  []Span                   `json:"voids,omitempty"`
	Broken map[stream.Entity]Damage `json:"broken,omitempty"`
}

const (
	version   = 1
	stateName = "anchor.json"
)

// Anchor is the folder. It is safe for concurrent use.
type Anchor struct {
	dir string

	mu      sync.Mutex
	state   State
	heads   map[stream.Entity]Entry
	top     Entry // of all the one with the highest sequence, as far as it was not given up
	journal *journal
	started bool // by this process
}

// Open reads the anchor in the folder, which is made when it is not there: an anchor without an
// installation has yet to be begun.
func Open(dir string) (*Anchor, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open anchor: %w", err)
	}
	a := &Anchor{dir: dir, heads: map[stream.Entity]Entry{}}
	raw, err := os.ReadFile(filepath.Join(dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &a.state)
	}
	if err == nil && a.state.Version > version {
		err = fmt.Errorf("it is of version %d, written by a newer Baton", a.state.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("open anchor: %w", err)
	}
	if a.journal, err = openJournal(dir, a.note); err != nil {
		return nil, err
	}
	if a.journal == nil {
		return nil, fmt.Errorf("open anchor: %w: no file %s* of %s is whole", stream.ErrDamaged, journalName, dir)
	}
	return a, nil
}

// Begin starts the anchor of an installation, in its first epoch.
func (a *Anchor) Begin(installation string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = State{Version: version, Installation: installation, Epoch: 1}
	if err := a.renew(); err != nil {
		return err
	}
	return a.save()
}

// State is what is known beside the last commits. The caller may keep it.
func (a *Anchor) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.state
	s.Files = maps.Clone(s.Files)
	s.Gaps, s.Voids, s.Broken = slices.Clone(s.Gaps), slices.Clone(s.Voids), maps.Clone(s.Broken)
	return s
}

// Highest is the highest sequence that was ever anchored, 0 in an empty log.
func (a *Anchor) Highest() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.top.Sequence, a.state.Floor)
}

// Heads are the last commits of all lines.
func (a *Anchor) Heads() map[stream.Entity]Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.heads)
}

// Head is the last commit of a line.
func (a *Anchor) Head(entity stream.Entity) (Entry, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.heads[entity]
	return e, ok
}

// Broken says what is wrong with a line, if anything is.
func (a *Anchor) Broken(entity stream.Entity) (Damage, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, ok := a.state.Broken[entity]
	return d, ok
}

// Add writes commits down and returns once they are on the disk. They must be durable in the log.
func (a *Anchor) Add(entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range entries {
		a.note(e)
	}
	fits, err := a.journal.add(entries)
	if err != nil {
		return err
	}
	if !fits {
		return a.renew() // which writes the entries too
	}
	if err := file.SyncData(a.journal.file); err != nil {
		return fmt.Errorf("flush anchor: %w", err)
	}
	return nil
}

func (a *Anchor) note(e Entry) {
	if a.heads[e.Entity].N <= e.N {
		a.heads[e.Entity] = e
	}
	if e.Sequence >= a.top.Sequence {
		a.top = e
	}
}

// renew writes a new journal from the last commits and removes the old one.
func (a *Anchor) renew() error {
	heads := slices.SortedFunc(maps.Values(a.heads), func(x, y Entry) int { return strings.Compare(string(x.Entity), string(y.Entity)) })
	number := 1
	if a.journal != nil {
		number = a.journal.number + 1
	}
	j, err := newJournal(a.dir, number, heads)
	if err != nil {
		return err
	}
	old := a.journal
	a.journal = j
	if old == nil {
		return nil
	}
	return errors.Join(old.file.Close(), os.Remove(old.file.Name()))
}

// Change changes the state and returns once it is on the disk.
func (a *Anchor) Change(f func(*State)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	f(&a.state)
	return a.save()
}

// Reset makes the entry the last commit of its line, whatever was anchored before; an entry of no commit
// forgets the line.
func (a *Anchor) Reset(entries ...Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.Floor = max(a.state.Floor, a.top.Sequence)
	a.top = Entry{}
	for _, e := range entries {
		if e.N == 0 {
			delete(a.heads, e.Entity)
		} else {
			a.heads[e.Entity] = e
		}
	}
	return errors.Join(a.renew(), a.save())
}

// Start says that a server is about to write. What a server that was killed left behind the last whole
// entry is dropped.
func (a *Anchor) Start(durability string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.state.Clean {
		if err := a.renew(); err != nil {
			return err
		}
	}
	a.state.Clean, a.state.Files, a.state.Durability, a.started = false, nil, durability, true
	return a.save()
}

// Stop says that the server has stopped in order and that all it wrote is on the disk.
//
// files says what the log's files were like then.
func (a *Anchor) Stop(files map[string]string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.started { // nothing was written
		return a.close()
	}
	a.state.Clean, a.state.Files, a.started = true, files, false
	return errors.Join(a.save(), a.close())
}

func (a *Anchor) close() error {
	if a.journal == nil {
		return nil
	}
	return a.journal.file.Close()
}

func (a *Anchor) save() error {
	raw, err := json.MarshalIndent(a.state, "", "  ")
	if err != nil {
		return fmt.Errorf("write anchor: %w", err)
	}
	return file.Keep(filepath.Join(a.dir, stateName), append(raw, '\n'), 0o600)
}
