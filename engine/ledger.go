package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// Folded is a state that takes events in order and cannot fail.
type Folded interface{ Fold(events.Event) }

// Ledger is the line of commits of an entity that is no session, such as the installed skills. It is
// kept by the same rule: a commit is stored only directly after the one it was decided on.
type Ledger[S Folded] struct {
	e      *Engine
	entity stream.Entity
	state  S

	mu       sync.Mutex
	link     events.Link
	last     uint64
	loaded   bool
	newer    []string // events this binary cannot read
	requests map[string]Entry
}

// Entry is what a decision wrote.
type Entry struct {
	Sequence uint64
	Facts    []events.Data

	command string // digest of what was asked
}

// OpenLedger makes the ledger of an entity over an empty state. Nothing is read before it is asked.
func OpenLedger[S Folded](e *Engine, entity stream.Entity, empty S) *Ledger[S] {
	return &Ledger[S]{e: e, entity: entity, state: empty, requests: map[string]Entry{}}
}

// Commit lets decide look at the state and stores what it says of the command, as one commit. Where
// another process was first, it is asked again. A request that took effect before is answered with
// what it wrote.
func (l *Ledger[S]) Commit(ctx context.Context, m Meta, command any, decide func(S) ([]events.Data, error)) (Entry, error) {
	digest, err := digestOf(m, command)
	if err != nil {
		return Entry{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if err := l.catchUp(ctx); err != nil {
			return Entry{}, unreachable(err)
		}
		if done, ok := l.requests[m.Request]; ok && done.command == digest {
			return done, nil
		} else if ok {
			return Entry{}, sessions.Refuse(sessions.Conflict, "request_id_taken", "give another --request-id", "request %s was another command", m.Request)
		}
		facts, err := decide(l.state)
		if err != nil || len(facts) == 0 {
			return Entry{Sequence: l.last}, err
		}
		entry, err := l.append(ctx, events.Event{Actor: m.Actor, Request: m.Request, Command: digest}, facts)
		if !errors.Is(err, stream.ErrConflict) {
			return entry, asRefusal(err)
		}
	}
}

// View reads the state as it is now. The function must not keep or change it.
func (l *Ledger[S]) View(ctx context.Context, f func(S)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.catchUp(ctx); err != nil {
		return unreachable(err)
	}
	f(l.state)
	return nil
}

// digestOf tells one command from another under the same request id.
func digestOf(m Meta, command any) (string, error) {
	if m.Request == "" {
		return "", nil
	}
	raw, err := events.Marshal(command)
	if err != nil {
		return "", fmt.Errorf("digest of a command: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

func (l *Ledger[S]) append(ctx context.Context, stamp events.Event, facts []events.Data) (Entry, error) {
	var batch events.Batch
	for _, fact := range facts {
		event := events.New(fact)
		event.ID, event.Time, event.Actor = l.e.NewID(), l.e.Now().UTC(), stamp.Actor
		event.Request, event.Command, event.Causation = stamp.Request, stamp.Command, stamp.Causation
		if err := batch.Add(event); err != nil {
			return Entry{}, fmt.Errorf("record %s: %w", event.Type, err)
		}
		stamp = events.Event{Actor: stamp.Actor, Causation: cmp.Or(stamp.Causation, event.ID)}
	}
	frame, err := batch.Seal(l.entity.Name(), l.link, l.e.Process)
	if err != nil {
		return Entry{}, err
	}
	sequence, err := l.e.Log.Append(ctx, l.entity, l.last, frame)
	if err != nil {
		return Entry{}, fmt.Errorf("append to %s: %w", l.entity, err)
	}
	l.fold(sequence, frame)
	if err := l.e.Log.Settle(ctx, sequence); err != nil {
		return Entry{}, fmt.Errorf("settle commit %d: %w", sequence, err)
	}
	return Entry{Sequence: sequence, Facts: facts}, nil
}

// catchUp folds what was committed since, here or elsewhere.
func (l *Ledger[S]) catchUp(ctx context.Context) error {
	if !l.loaded {
		l.link = events.Genesis(l.e.Log.Installation(), l.entity.Name())
	} else if l.e.Sole {
		return l.readable()
	}
	for rec, err := range l.e.Log.Read(ctx, l.entity, l.last) {
		if err == nil {
			err = rec.Frame.Follows(l.link)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", l.entity, err)
		}
		l.fold(rec.Sequence, rec.Frame)
	}
	l.loaded = true
	return l.readable()
}

func (l *Ledger[S]) fold(sequence uint64, frame events.Frame) {
	entry := Entry{Sequence: sequence, command: frame.Events[0].Command}
	for _, event := range frame.Events {
		if _, unknown := event.Data.(events.Unknown); unknown {
			l.newer = append(l.newer, fmt.Sprintf("%s v%d", event.Type, event.V))
		}
		l.state.Fold(event)
		entry.Facts = append(entry.Facts, event.Data)
	}
	if request := frame.Events[0].Request; request != "" {
		l.requests[request] = entry
	}
	l.link, l.last = frame.Link(), sequence
}

func (l *Ledger[S]) readable() error {
	if len(l.newer) == 0 {
		return nil
	}
	return sessions.Refuse(sessions.Damaged, "newer_version", "use the Baton that wrote it, or a newer one",
		"%s holds events this Baton does not know: %v", l.entity, l.newer)
}
