package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// Serve answers commands, queries and heartbeats on the bus until ctx is done. It returns once it is
// listening.
func (e *Engine) Serve(ctx context.Context, queries Queries) error {
	command := func(ctx context.Context, raw []byte) []byte { return reply(e.command(ctx, raw)) }
	query := func(ctx context.Context, raw []byte) []byte { return reply(queries.answer(ctx, raw)) }
	read := func(ctx context.Context, raw []byte) []byte { return reply(queries.reading().answer(ctx, raw)) }
	beat := func(ctx context.Context, raw []byte) []byte { return reply(e.beat(ctx, raw)) }
	for _, s := range []struct {
		subject, group string
		answer         func(context.Context, []byte) []byte
	}{
		{CommandSubject, Group, command}, {Of(CommandSubject, e.Process), "", command},
		{QuerySubject, Group, query}, {Of(QuerySubject, e.Process), "", query},
		{ReadSubject, Group, read}, {BeatSubject, Group, beat},
	} {
		if err := e.Bus.Serve(ctx, s.subject, s.group, s.answer); err != nil {
			return fmt.Errorf("serve %s: %w", s.subject, err)
		}
	}
	return e.Beats.Hear(ctx, e.heard.beat)
}

func (e *Engine) command(ctx context.Context, raw []byte) (any, error) {
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_request", "use the same version of Baton on both sides", "%v", err)
	}
	c, err := workflows.Decode(r.Name, r.Data)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandBound)
	defer cancel()
	return e.Do(ctx, r.Session, c, r.Meta)
}

// commandBound is how long a person waits before being told that the outcome is unknown.
const commandBound = 30 * time.Second

// checkSession keeps ids out of subjects that would not be one token.
func checkSession(id string) error {
	other := func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	if len(id) > 0 && len(id) <= 64 && !strings.ContainsFunc(id, other) {
		return nil
	}
	return sessions.Refuse(sessions.Usage, "bad_session", "use an id that `baton session list` shows", "%q is no session id", id)
}

func (e *Engine) beat(ctx context.Context, raw []byte) (any, error) {
	var b stream.Beat
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("read heartbeat: %w", err)
	}
	return e.Beat(ctx, b)
}

// Beat takes a worker's sign of life and tells it whether to go on: GoOn, Cancelled or Stale. Other
// processes hear of it too.
func (e *Engine) Beat(ctx context.Context, b stream.Beat) (string, error) {
	got, err := e.View(ctx, b.Session, func(s *workflows.State, _ sessions.World) (any, error) {
		return e.standing(s, b), nil
	})
	if err != nil {
		return "", err
	}
	answer, _ := got.(string)
	if answer == GoOn && !e.Sole {
		e.warn("pass a heartbeat on", e.Beats.Beat(ctx, b))
	}
	return answer, nil
}
