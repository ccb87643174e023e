package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// Past is what happened under another program, when it did.
type Past struct {
	Time time.Time
	Data events.Data
}

// TakenOver says what came of an import.
type TakenOver struct {
	Session string `json:"session"`
	Events  int    `json:"events"`
	Commits int    `json:"commits"`
	Already bool   `json:"already"` // everything was there
}

// importer begins the actor of events that another program decided: they are taken as given.
const importer = "import:"

// TakeOver begins a session with what another program kept of it. The same past gives the same commits,
// so that an import which was cut off is completed by importing again. A session that holds anything
// else is refused.
func (e *Engine) TakeOver(ctx context.Context, session, tool string, past []Past) (TakenOver, error) {
	for i := range past {
		var err error
		if past[i].Data, err = e.apart(ctx, past[i].Data); err != nil {
			return TakenOver{}, unreachable(err)
		}
	}
	got, err := e.ask(ctx, session, &ask{past: func(w *writer) (any, error) {
		frames, err := w.sealPast(importer+tool, past)
		if err != nil {
			return nil, err
		}
		return w.takeOver(ctx, frames, len(past))
	}})
	return As[TakenOver](got, err)
}

// apart moves large values out of a fact.
func (e *Engine) apart(ctx context.Context, d events.Data) (events.Data, error) {
	move := func(v events.Value) (events.Value, error) {
		if len(v.JSON) <= maxKept {
			return v, nil
		}
		return put(ctx, e.vals.store, v)
	}
	all := func(of map[string]events.Value) error {
		for name, v := range of {
			moved, err := move(v)
			if err != nil {
				return err
			}
			of[name] = moved
		}
		return nil
	}
	var err error
	switch d := d.(type) {
	case events.ContextSet:
		d.Value, err = move(d.Value)
		return d, err
	case events.CallOpened:
		return d, all(d.Inputs)
	case events.CallClosed:
		return d, all(d.Outputs)
	}
	return d, nil
}

// sealPast cuts the past into commits.
func (w *writer) sealPast(actor string, past []Past) ([]events.Frame, error) {
	var frames []events.Frame
	link := events.Genesis(w.e.Log.Installation(), w.entity.Name())
	batch := &events.Batch{}
	seal := func() error {
		frame, err := batch.Seal(w.entity.Name(), link, w.e.Process)
		if err != nil {
			return fmt.Errorf("seal commit %d of session %s: %w", link.N+1, w.entity.Name(), err)
		}
		frames, link, batch = append(frames, frame), frame.Link(), &events.Batch{}
		return nil
	}
	for i, p := range past {
		event := events.New(p.Data)
		event.ID, event.Time, event.Actor = pastID(w.entity.Name(), i, p.Time), p.Time.UTC(), actor
		if err := batch.Add(event); err != nil {
			return nil, err
		}
		if batch.Size() > closeBytes || batch.Len() > closeEvents || i == len(past)-1 {
			if err := seal(); err != nil {
				return nil, err
			}
		}
	}
	return frames, nil
}

// pastID names an event by its place, so that it has the same id whenever it is imported.
func pastID(session string, n int, at time.Time) string {
	var id ulid.ULID
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", session, n))
	_ = id.SetTime(ulid.Timestamp(at)) // fails only for times that no clock has
	_ = id.SetEntropy(sum[:10])        // fails only for another length
	return strings.ToUpper(id.String())
}

// takeOver appends those of the commits that are not there yet.
func (w *writer) takeOver(ctx context.Context, frames []events.Frame, count int) (any, error) {
	w.state = nil // whatever was known of the session, it begins here
	out := TakenOver{Session: w.entity.Session(), Events: count, Commits: len(frames)}
	last, there, err := w.compare(ctx, frames)
	if err != nil {
		return nil, err
	}
	out.Already = there == len(frames)
	for _, frame := range frames[there:] {
		if last, err = w.e.Log.Append(ctx, w.entity, last, frame); err != nil {
			if errors.Is(err, stream.ErrConflict) {
				return nil, sessions.Refuse(sessions.Conflict, "imported_meanwhile", "import once more", "session %s was written to at the same time", out.Session)
			}
			return nil, unreachable(err)
		}
	}
	return out, asRefusal(w.e.Log.Settle(ctx, last))
}

// compare counts the commits that are there already and gives the sequence of the last.
func (w *writer) compare(ctx context.Context, frames []events.Frame) (last uint64, there int, err error) {
	for rec, err := range w.e.Log.Read(ctx, w.entity, 0) {
		if err != nil {
			return 0, 0, unreachable(err)
		}
		if there < len(frames) && rec.Frame.Hash != frames[there].Hash {
			return 0, 0, sessions.Refuse(sessions.Conflict, "imported_before", "look at it with `baton trace --session "+w.entity.Session()+"`",
				"session %s was imported before, from files that were others then", w.entity.Session())
		}
		if there < len(frames) {
			there++
		}
		last = rec.Sequence
	}
	return last, there, nil
}
