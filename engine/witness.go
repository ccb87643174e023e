package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/seal"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// Witness remembers outside the log how far its lines had come: the anchor, and seals.
type Witness struct {
	Name  string // how a fault calls it
	Fault string // why it is no witness; "": it is one
	Lines map[stream.Entity]events.Link
	// All says that no line goes on after it but by this process: what does was appended by somebody else.
	All bool
}

// testimony is what witnesses say of a line as it is read.
type testimony struct {
	witnesses []Witness
	ends      map[stream.Entity]events.Link // as far as the line was read
}

// commit compares a commit with what each witness remembers of its line.
func (t *testimony) commit(a *auditor, rec stream.Record) {
	t.ends[rec.Entity] = rec.Frame.Link()
	for _, w := range t.witnesses {
		if known, ok := w.Lines[rec.Entity]; ok && known.N == rec.Frame.N && known.Hash != rec.Frame.Hash {
			a.fault(rec, "commit %d is not the one that %s has", rec.Frame.N, w.Name)
		}
	}
}

// end misses what a line no longer has. only is the one line that was read, "" for all.
func (t *testimony) end(a *auditor, only stream.Entity) {
	for _, w := range t.witnesses {
		if w.Fault != "" {
			a.fault(stream.Record{}, "%s: %s", w.Name, w.Fault)
		}
		for _, entity := range slices.Sorted(maps.Keys(w.Lines)) {
			if known, end := w.Lines[entity], t.ends[entity]; known.N > end.N && (only == "" || only == entity) {
				a.fault(stream.Record{Entity: entity}, "it ends with commit %d; %s has commit %d", end.N, w.Name, known.N)
			}
		}
	}
}

const (
	noteWithin = 2 * time.Second // of a commit that was just read
	notePause  = 20 * time.Millisecond
)

// beyond tells what goes on after the witness that knows all. A commit that this process has just stored
// may be read a moment before the witness hears of it.
func (e *Engine) beyond(ctx context.Context, t testimony) (more map[stream.Entity]uint64) {
	for begun := e.Now(); ; {
		more = map[stream.Entity]uint64{}
		for _, w := range e.witnesses() {
			for entity, end := range t.ends {
				if w.All && end.N > w.Lines[entity].N {
					more[entity] = w.Lines[entity].N
				}
			}
		}
		if len(more) == 0 || e.Now().Sub(begun) > noteWithin || !stream.Pause(ctx, notePause) {
			return more
		}
	}
}

func (e *Engine) witnesses() []Witness {
	if e.Witnesses == nil {
		return nil
	}
	return e.Witnesses()
}

// Heads reads the whole log and gives how far each of its lines has come, and up to which sequence that is. A
// log that is not whole is refused.
func (e *Engine) Heads(ctx context.Context) (heads []seal.Head, sequence uint64, err error) {
	a := e.auditor(ctx)
	if sequence, err = e.Log.Head(ctx); err != nil {
		return nil, 0, unreachable(err)
	}
	if err := a.all(sequence); err != nil {
		return nil, 0, err
	}
	if n := len(a.out.Problems); n > 0 {
		return nil, 0, sessions.Refuse(sessions.Unverified, "log_differs", "see `baton audit verify`", "the log has %d faults, the first: %s at sequence %d: %s",
			n, a.out.Problems[0].Entity, a.out.Problems[0].Sequence, a.out.Problems[0].Problem)
	}
	for entity, link := range a.links {
		heads = append(heads, seal.Head{Line: string(entity), Link: link})
	}
	return heads, sequence, nil
}

// lost counts sequences that are known to be lost.
func (a *auditor) lost(rec stream.Record, err error) {
	a.out.Lost = append(a.out.Lost, fmt.Sprintf("%d: %v", rec.Sequence, err))
}
