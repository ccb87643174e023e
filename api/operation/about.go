package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/workflows"
)

// AboutSession is the part of an input that names a session.
type AboutSession struct {
	Session string `json:"session" jsonschema:"id of the session, a prefix of it, or @last"`
}

func (s AboutSession) session() string { return s.Session }

// AboutRun is the part of an input that names a run.
type AboutRun struct {
	Run string `json:"run" jsonschema:"id of the run, a prefix of it, or @last"`
}

func (r AboutRun) run() string { return r.Run }

// tell is one command in a session that is there.
func tell[Out any, In interface{ session() string }](example In, of func(Caller, In) (workflows.Command, error)) work {
	return raw[Out](example, func(ctx context.Context, c Caller, in In) (json.RawMessage, error) {
		session, err := FindSession(ctx, c, in.session())
		if err != nil {
			return nil, err
		}
		command, err := of(c, in)
		if err != nil {
			return nil, err
		}
		return c.Backend.Do(ctx, session, command, c.Meta)
	})
}

// look is one question about a session.
func look[Out any, In interface{ session() string }](example In, query string, of func(In) any) work {
	return raw[Out](example, func(ctx context.Context, c Caller, in In) (json.RawMessage, error) {
		session, err := FindSession(ctx, c, in.session())
		if err != nil {
			return nil, err
		}
		return c.Query(ctx, query, session, of(in))
	})
}

// tellRun is one command about a run.
func tellRun[Out any, In interface{ run() string }](example In, of func(Caller, string, In) workflows.Command) work {
	return raw[Out](example, func(ctx context.Context, c Caller, in In) (json.RawMessage, error) {
		row, err := FindRun(ctx, c, in.run())
		if err != nil {
			return nil, err
		}
		return c.Backend.Do(ctx, row.Session, of(c, row.ID, in), c.Meta)
	})
}

// FindRun gives the run of an id, a unique prefix, or @last.
func FindRun(ctx context.Context, c Caller, id string) (projections.RunRow, error) {
	return ask[projections.RunRow](ctx, c, "run.find", "", engine.FindAsk{ID: id})
}

// none is the question of a query that asks about nothing more.
func none[In any](In) any { return engine.None{} }
