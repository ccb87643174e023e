package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Reading answers a question from a session's state alone, so it can be asked of any state there ever
// was.
type Reading func(s *workflows.State, w sessions.World, data json.RawMessage) (any, error)

func reading[Q any](f func(*workflows.State, sessions.World, Q) (any, error)) Reading {
	return func(s *workflows.State, w sessions.World, data json.RawMessage) (any, error) {
		var q Q
		if err := json.Unmarshal(data, &q); err != nil {
			return nil, fmt.Errorf("read question: %w", err)
		}
		return f(s, w, q)
	}
}

// readings lists them by the name of the query.
func readings() map[string]Reading {
	return map[string]Reading{
		"session.show":    reading(func(s *workflows.State, _ sessions.World, _ None) (any, error) { return s.Overview() }),
		"call.list":       reading(listCalls),
		"call.show":       reading(ShowCall),
		"call.envelope":   reading(envelope),
		"context.get":     reading(func(s *workflows.State, w sessions.World, q KeyAsk) (any, error) { return s.Get(q.Key, w) }),
		"context.list":    reading(listContext),
		"context.some":    reading(someContext),
		"context.history": reading(func(s *workflows.State, w sessions.World, q KeyAsk) (any, error) { return s.History(q.Key, w) }),
		"run.items":       reading(func(s *workflows.State, _ sessions.World, q StepAsk) (any, error) { return s.ItemViews(q.Run, q.Step) }),
		"run.routed":      reading(func(s *workflows.State, w sessions.World, q RunAsk) (any, error) { return s.Routed(q.Run, w) }),
		"run.approvals":   reading(approvals),
		"route.list":      reading(func(s *workflows.State, _ sessions.World, _ None) (any, error) { return s.Routes, nil }),
		"switch.list":     reading(func(s *workflows.State, _ sessions.World, _ None) (any, error) { return s.Switches, nil }),
		"call.routes":     reading(routesOf),
		"call.changes":    reading(changes),
		"run.reasons":     reading(func(s *workflows.State, _ sessions.World, q RunAsk) (any, error) { return s.Why(q.Run) }),
	}
}

// of is a query that asks a reading of the state as it is committed.
func (e *Engine) of(r Reading) Query {
	return func(ctx context.Context, session string, data json.RawMessage) (any, error) {
		return e.View(ctx, session, func(s *workflows.State, w sessions.World) (any, error) {
			if s.Status == "" {
				return nil, s.Open()
			}
			return r(s, w, data)
		})
	}
}

// approvals lists what a run has asked, in order; with none, what all runs of the session have.
func approvals(s *workflows.State, _ sessions.World, q RunAsk) (any, error) {
	run := ""
	if q.Run != "" {
		r, err := s.FindRun(q.Run)
		if err != nil {
			return nil, err
		}
		run = r.Run
	}
	out := []workflows.ApprovalView{}
	for _, id := range s.ApprovalOrder {
		if a := s.Approvals[id]; run == "" || a.Run == run {
			out = append(out, s.ApprovalView(a))
		}
	}
	return out, nil
}

// routesOf lists the decisions that led to a call: the one it names, or those of its step.
func routesOf(s *workflows.State, _ sessions.World, q CallAsk) (any, error) {
	c, err := s.FindCallOrStep(q.Call)
	if err != nil {
		return nil, err
	}
	out := []sessions.Route{}
	for _, r := range s.Routes {
		if d := r.Decided; d != nil && (d.Route == c.Route && c.Route != "" || d.Run != "" && d.Run == c.Run && d.Step == c.Step) {
			out = append(out, r)
		}
	}
	return out, nil
}

// SomeAsk asks for the context keys that hold a text, at most so many.
type SomeAsk struct {
	Find  string `json:"find,omitempty"`
	Count int    `json:"count"`
}

// Some are context keys with their values, and how many there are.
type Some struct {
	Keys  []sessions.Written `json:"keys"`
	Total int                `json:"total"`
}

func someContext(s *workflows.State, w sessions.World, q SomeAsk) (any, error) {
	out := Some{Keys: []sessions.Written{}}
	find := strings.ToLower(q.Find)
	for _, key := range s.Keys("") {
		if !strings.Contains(strings.ToLower(key), find) {
			continue
		}
		if out.Total++; len(out.Keys) >= q.Count {
			continue
		}
		item, err := s.Get(key, w)
		if err != nil {
			return nil, err
		}
		out.Keys = append(out.Keys, item)
	}
	return out, nil
}

// Change is what a call made of a context key.
type Change struct {
	Key     string          `json:"key"`
	Rev     int             `json:"rev"`
	Before  json.RawMessage `json:"before"` // null: the key had no value
	After   json.RawMessage `json:"after"`  // null: it has none any more
	Deleted bool            `json:"deleted,omitempty"`
}

// changes lists what a call wrote, each key with the revision before.
func changes(s *workflows.State, w sessions.World, q CallAsk) (any, error) {
	c, err := s.FindCallOrStep(q.Call)
	if err != nil {
		return nil, err
	}
	out := []Change{}
	for _, key := range s.Keys("") {
		slot := s.Context[key]
		for i, rev := range slot.Revs {
			if rev.Call != c.ID() {
				continue
			}
			change := Change{Key: key, Rev: i + 1, Deleted: rev.Deleted}
			if before, ok := slot.At(i); ok {
				if change.Before, err = w.Value(before.Value); err != nil {
					return nil, err
				}
			}
			if !rev.Deleted {
				if change.After, err = w.Value(rev.Value); err != nil {
					return nil, err
				}
			}
			out = append(out, change)
		}
	}
	return out, nil
}

// PastAsk asks several readings of one state: as it was after so many commits, or as it is.
type PastAsk struct {
	Place int        `json:"place,omitempty"`
	Asks  []Question `json:"asks"`
}

// Question is one of them.
type Question struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data"`
}

// Told is the answer to one: a value, or why there is none.
type Told struct {
	Value   json.RawMessage   `json:"value,omitempty"`
	Refusal *sessions.Refusal `json:"refusal,omitempty"`
}

// past asks all of them of the same state.
func (e *Engine) past(ctx context.Context, session string, q PastAsk) (any, error) {
	known := readings()
	tell := func(s *workflows.State, w sessions.World) (any, error) {
		if s.Status == "" {
			return nil, s.Open()
		}
		out := make([]Told, len(q.Asks))
		for i, ask := range q.Asks {
			read, ok := known[ask.Name]
			if !ok {
				return nil, sessions.Refuse(sessions.Usage, "unknown_query", "use the same version of Baton on both sides", "there is no reading %q", ask.Name)
			}
			value, err := read(s, w, ask.Data)
			if err == nil {
				out[i].Value, err = events.Marshal(value)
			}
			if err != nil && !errors.As(err, &out[i].Refusal) {
				return nil, err
			}
		}
		return out, nil
	}
	if q.Place <= 0 {
		return e.View(ctx, session, tell)
	}
	s := workflows.New(session)
	n := 0
	for rec, err := range e.session(ctx, session) {
		if err != nil {
			return nil, err
		}
		for _, event := range rec.Frame.Events {
			s.Fold(event)
		}
		if n++; n == q.Place {
			break
		}
	}
	return tell(s, world{ctx: ctx, values: e.vals})
}
