package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// WatchAsk asks for a run once it has moved on from a sequence.
type WatchAsk struct {
	Run   string `json:"run"`
	After uint64 `json:"after"`
}

// Watched is a run as it stands, with the sequence of the session's last commit.
type Watched struct {
	workflows.View
	Sequence uint64 `json:"sequence"`
	Over     bool   `json:"over"`
	Asks     bool   `json:"asks,omitempty"` // a run that goes by a router waits for a person
}

// watchFor bounds one question, so that a client that went away is not waited for.
const watchFor = 5 * time.Second

// watchRun answers when the session has moved on, or after a while.
func watchRun(e *Engine, p *Projector) Query {
	return Plain(func(ctx context.Context, session string, q WatchAsk) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, watchFor)
		defer cancel()
		var at uint64
		_ = p.Await(ctx, func(x *projections.Index) bool {
			row, err := x.FindSession(session)
			at = row.Sequence
			return err == nil && at > q.After
		})
		view, err := viewRun(context.WithoutCancel(ctx), e, p, session, q.Run)
		if err != nil {
			return nil, err
		}
		return Watched{View: view, Sequence: at, Over: over(view.Status), Asks: view.Router != "" && view.Status == workflows.Waiting && view.Asks()}, nil
	})
}

func over(s workflows.RunStatus) bool {
	return s == workflows.Completed || s == workflows.Failed || s == workflows.Cancelled
}

// showRun gives a run; its trace file once that holds the run's last event.
func showRun(e *Engine, p *Projector) Query {
	return Plain(func(ctx context.Context, session string, q RunAsk) (any, error) {
		return viewRun(ctx, e, p, session, q.Run)
	})
}

func viewRun(ctx context.Context, e *Engine, p *Projector, session, run string) (workflows.View, error) {
	view, err := As[workflows.View](e.View(ctx, session, func(s *workflows.State, w sessions.World) (any, error) {
		if s.Status == "" {
			return nil, s.Open()
		}
		return s.View(run, w)
	}))
	if err != nil || !over(view.Status) {
		return view, err
	}
	ctx, cancel := context.WithTimeout(ctx, watchFor)
	defer cancel()
	last, err := e.Log.Last(ctx, stream.SessionEntity(session))
	if err != nil {
		return view, fmt.Errorf("last commit of %s: %w", session, err)
	}
	view.TraceFile = p.Filed(ctx, session, last)
	return view, nil
}

// ListAsk narrows a list down; empty fields do not.
type ListAsk struct {
	Status string    `json:"status,omitempty"`
	Name   string    `json:"name,omitempty"`
	Since  time.Time `json:"since,omitzero"`
}

func listRuns(p *Projector) func(context.Context, string, ListAsk) (any, error) {
	return func(ctx context.Context, session string, q ListAsk) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		out := []projections.RunRow{}
		p.Index(func(x *projections.Index) {
			for _, r := range x.Runs() {
				if r.Parent == "" && (q.Status == "" || r.Status == q.Status) && (q.Name == "" || r.Name == q.Name) &&
					(session == "" || r.Session == session) && !r.StartedAt.Before(q.Since) {
					out = append(out, r)
				}
			}
		})
		return out, nil
	}
}

func listSessions(p *Projector) func(context.Context, string, None) (any, error) {
	return func(ctx context.Context, _ string, _ None) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		out := []projections.SessionRow{}
		p.Index(func(x *projections.Index) { out = append(out, x.Sessions()...) })
		return out, nil
	}
}

// FindAsk looks an id up by a prefix. A run is looked up in a session first, and with Only nowhere else.
type FindAsk struct {
	ID   string `json:"id"`
	Only bool   `json:"only,omitempty"`
}

func findSession(p *Projector) func(context.Context, string, FindAsk) (any, error) {
	return func(ctx context.Context, _ string, q FindAsk) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		var row projections.SessionRow
		var err error
		p.Index(func(x *projections.Index) { row, err = x.FindSession(q.ID) })
		return row, found("session", err)
	}
}

func findRun(p *Projector) func(context.Context, string, FindAsk) (any, error) {
	return func(ctx context.Context, session string, q FindAsk) (any, error) {
		if err := p.Current(ctx); err != nil {
			return nil, err
		}
		var row projections.RunRow
		var err error
		p.Index(func(x *projections.Index) { row, err = x.FindRun(q.ID, session, q.Only) })
		return row, found("run", err)
	}
}

// RebuildAnswer says how many files were written.
type RebuildAnswer struct {
	Files int `json:"files"`
}

func (e *Engine) rebuild(p *Projector) func(context.Context, string, None) (any, error) {
	return func(ctx context.Context, session string, _ None) (any, error) {
		if session == "" && e.Snapshots.Store != nil {
			if err := e.Snapshots.Store.Forget(ctx); err != nil {
				return nil, err
			}
		}
		n, err := p.Rebuild(ctx, session)
		return RebuildAnswer{n}, err
	}
}

// found says in the words of a refusal that an id is unknown or could be several.
func found(kind string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, projections.ErrUnknown):
		return sessions.Refuse(sessions.NotFound, kind+"_not_found", "see the list of "+kind+"s", "%v", err)
	}
	return sessions.Refuse(sessions.Usage, kind+"_ambiguous", "give more of the id", "%v", err)
}
