package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// forkOf says whether a session begins with this frame as a fork of another.
func forkOf(f events.Frame) (events.SessionForked, bool) {
	if f.N != 1 || len(f.Events) == 0 {
		return events.SessionForked{}, false
	}
	fork, ok := f.Events[0].Data.(events.SessionForked)
	return fork, ok
}

// past reads the commits that a fork shares with the session it comes from, as if they were its own; the
// last one up to the event at which they part. False: the reader wants no more, or was given an error.
func past(ctx context.Context, log stream.Log, session string, fork events.SessionForked, yield func(stream.Record, error) bool) bool {
	for rec, err := range history(ctx, log, fork.From) {
		if err != nil {
			yield(rec, err)
			return false
		}
		rec.Frame.Session = session
		at := slices.IndexFunc(rec.Frame.Events, func(ev events.Event) bool { return ev.ID == fork.Event })
		if at < 0 {
			if !yield(rec, nil) {
				return false
			}
			continue
		}
		if fork.Hash != rec.Frame.Hash {
			break
		}
		rec.Frame.Events = rec.Frame.Events[:at]
		return at == 0 || yield(rec, nil)
	}
	yield(stream.Record{}, unreachable(fmt.Errorf("past of session %s: %w: session %s has no event %s in commit %d",
		session, events.ErrChain, fork.From, fork.Event, fork.N)))
	return false
}

// recall folds the past of a fork into a state.
func (e *Engine) recall(ctx context.Context, s *workflows.State, fork events.SessionForked) error {
	var failed error
	past(ctx, e.Log, s.ID, fork, func(rec stream.Record, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		for _, event := range rec.Frame.Events {
			s.Fold(event)
		}
		return true
	})
	return failed
}

// prepare gives a session that is to begin as a fork its past.
func (w *writer) prepare(c workflows.Fork) error {
	if w.link.N > 0 {
		return sessions.Refuse(sessions.Conflict, "session_exists", "give another --request-id", "session %s exists already", w.entity.Name())
	}
	s := workflows.New(w.entity.Name())
	if err := w.e.recall(w.e.ctx, s, events.SessionForked{From: c.From, Event: c.Event, N: c.N, Hash: c.Hash, Call: c.Call}); err != nil {
		return err
	}
	w.state = s
	return nil
}

// ForkAsk asks where the log opened a call, for a fork to begin there.
type ForkAsk struct {
	Call string `json:"call"`
}

// forkAt gives the command that forks a session before the first opening of a call.
func (e *Engine) forkAt(ctx context.Context, session string, q ForkAsk) (any, error) {
	for rec, err := range e.session(ctx, session) {
		if err != nil {
			return nil, err
		}
		for _, event := range rec.Frame.Events {
			if opened, ok := event.Data.(events.CallOpened); ok && opened.Call == q.Call {
				return workflows.Fork{From: session, Event: event.ID, N: rec.Frame.N, Hash: rec.Frame.Hash, Call: q.Call}, nil
			}
		}
	}
	return nil, sessions.Refuse(sessions.NotFound, "call_not_found", "list them with `baton call list`", "there is no call %q in session %s", q.Call, session)
}
