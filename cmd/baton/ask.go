package main

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// linked connects to a server for the length of f.
func (a *app) linked(ctx context.Context, f func(l *link) error) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	starting := clusterPatience
	if l.Home {
		starting = homePatience
	}
	l.Bus = patient{l.Bus, starting}
	return f(l)
}

// within connects and finds the session that the command is about. Where there is none, no server is
// started.
func (a *app) within(ctx context.Context, f func(l *link, session string) error) error {
	if a.session == "" {
		if _, err := a.current(ctx, nil); err != nil {
			return err
		}
	}
	return a.linked(ctx, func(l *link) error {
		session, err := a.current(ctx, l)
		if err != nil {
			return err
		}
		return f(l, session)
	})
}

// tell sends a command to the session and prints what came of it.
func tell[T any, C sessions.Command](ctx context.Context, a *app, c C, text func(*page, T)) error {
	return a.within(ctx, func(l *link, session string) error {
		raw, err := l.Do(ctx, session, workflows.Of(c), a.meta())
		return reply(a, raw, err, text)
	})
}

// look asks about the session and prints the answer.
func look[T any](ctx context.Context, a *app, query string, question any, text func(*page, T)) error {
	return a.within(ctx, func(l *link, session string) error {
		raw, err := l.Query(ctx, query, session, question)
		return reply(a, raw, err, text)
	})
}

// answerOf sends a command and reads what came of it.
func answerOf[T any](ctx context.Context, a *app, l *link, session string, c workflows.Command) (T, json.RawMessage, error) {
	raw, err := l.Do(ctx, session, c, a.meta())
	got, err := engine.As[T](raw, err)
	return got, raw, err
}
