package engine

import (
	"context"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Consult asks somebody outside about a route that is about to be decided in a workspace; zero: nobody
// had to be asked. It may take its time: the session goes on meanwhile.
type Consult func(ctx context.Context, workspace string, task sessions.RouteTask) events.Judged

// consulted gives the command's meta with what was heard. A command that is refused, was done before,
// or was forwarded by a process that has asked already, asks nobody.
func (e *Engine) consulted(ctx context.Context, session string, c workflows.Command, m Meta) Meta {
	if m.Forwarded {
		return m
	}
	m.Judge = events.Judged{}
	ask, ok := workflows.RouteAsked(c)
	if e.Consult == nil || !ok || ask.Check() != nil {
		return m
	}
	type where struct{ workspace, mode string }
	got, err := e.View(ctx, session, func(s *workflows.State, _ sessions.World) (any, error) {
		if _, done := s.Requests[m.Request]; done && m.Request != "" {
			return where{}, nil
		}
		return where{s.Workspace, s.Mode}, s.Open()
	})
	at, ok := got.(where)
	if err != nil || !ok || at.mode == "" {
		return m // the command itself says what is wrong
	}
	if ask.Mode == "" {
		ask.Mode = at.mode
	}
	m.Judge = e.Consult(ctx, at.workspace, ask)
	return m
}
