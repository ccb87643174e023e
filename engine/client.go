package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// Client asks engines of other processes. It appends nothing itself.
type Client struct {
	Bus      stream.Bus
	Payloads stream.Payloads
}

// Do sends a command to any engine. Large values are put into the payload store first, so that the
// request stays small.
func (c Client) Do(ctx context.Context, session string, command workflows.Command, m Meta) (json.RawMessage, error) {
	command, err := stash(ctx, c.Payloads, command)
	if err != nil {
		return nil, err
	}
	data, err := events.Marshal(command)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", workflows.NameOf(command), err)
	}
	value, err := send(ctx, c.Bus, CommandSubject, Request{Name: workflows.NameOf(command), Session: session, Meta: m, Data: data})
	return value, nobody(err)
}

// Query asks any engine something that changes nothing.
func (c Client) Query(ctx context.Context, name, session string, question any) (json.RawMessage, error) {
	data, err := events.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	value, err := send(ctx, c.Bus, subjectOf(name), Request{Name: name, Session: session, Data: data})
	return value, nobody(err)
}

// Beat tells an engine that an attempt is alive.
func (c Client) Beat(ctx context.Context, b stream.Beat) (string, error) {
	raw, err := events.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("encode heartbeat: %w", err)
	}
	value, err := exchange(ctx, c.Bus, BeatSubject, "a heartbeat", raw)
	return As[string](value, nobody(err))
}

func nobody(err error) error {
	if errors.Is(err, stream.ErrUnavailable) {
		return sessions.Refuse(sessions.Unreachable, "server_unreachable", "see `baton doctor`; `baton serve` starts one", "no server answered: %v", err)
	}
	return err
}
