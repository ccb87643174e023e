package main

import (
	"context"
	"errors"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// record puts what a router was asked into the session, which decides it again and keeps both. Without
// a session nothing is recorded, and no server is started. The active session may have ended: then it
// is not the one that is meant.
func (a *app) record(ctx context.Context, ask sessions.RouteTask, input any) error {
	named := a.session != "" || a.Env("BATON_SESSION") != ""
	if !named {
		if active, err := a.active(); err != nil || active == "" {
			return err
		}
	}
	raw, err := events.Marshal(input)
	if err != nil {
		return err
	}
	ask.Input = events.Value{JSON: raw}
	return a.within(ctx, func(l *link, session string) error {
		_, err := l.Do(ctx, session, workflows.Of(sessions.AskRoute{RouteTask: ask}), a.meta())
		var r *sessions.Refusal
		if !named && errors.As(err, &r) && (r.Code == "session_not_found" || r.Code == "session_ended") {
			return nil
		}
		return err
	})
}
