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

// Subjects that engines serve. Commands and queries go to any of them; Of names one process.
const (
	CommandSubject = "baton.command"
	QuerySubject   = "baton.query"
	ReadSubject    = "baton.read" // the questions that only read, for who may do no more
	BeatSubject    = "baton.beat"
	Group          = "baton"
)

// Of is the subject on which one process alone is asked.
func Of(subject, process string) string { return subject + "." + process }

// Request is a command or query as it goes over the wire.
type Request struct {
	Name    string          `json:"name"`
	Session string          `json:"session,omitempty"`
	Meta    Meta            `json:"meta"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Reply is the answer: a value or a refusal.
type Reply struct {
	Value   json.RawMessage   `json:"value,omitempty"`
	Refusal *sessions.Refusal `json:"refusal,omitempty"`
}

// reply encodes what came of a request.
func reply(value any, err error) []byte {
	var r Reply
	if err == nil {
		r.Value, err = events.Marshal(value)
	}
	if err != nil {
		r = Reply{Refusal: refusalOf(err)}
	}
	raw, err := events.Marshal(r)
	if err != nil {
		return []byte(`{"refusal":{"kind":"failed","code":"internal","message":"the answer cannot be encoded","hint":"report it"}}`)
	}
	return raw
}

func refusalOf(err error) *sessions.Refusal {
	var r *sessions.Refusal
	if errors.As(err, &r) {
		return r
	}
	return sessions.Refuse(sessions.Failed, "internal", "look into the server's log, and report it", "%v", err)
}

// send sends a request over the bus.
func send(ctx context.Context, bus stream.Bus, subject string, r Request) (json.RawMessage, error) {
	raw, err := events.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.Name, err)
	}
	return exchange(ctx, bus, subject, r.Name, raw)
}

// exchange sends what is encoded already and reads the reply. what names it in errors.
func exchange(ctx context.Context, bus stream.Bus, subject, what string, raw []byte) (json.RawMessage, error) {
	answer, err := bus.Ask(ctx, subject, raw)
	if err != nil {
		return nil, err
	}
	var got Reply
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, fmt.Errorf("answer to %s: %w", what, err)
	}
	if got.Refusal != nil {
		return nil, got.Refusal
	}
	return got.Value, nil
}

// forward lets another process decide a command. stream.ErrUnavailable: it did not answer.
func (e *Engine) forward(ctx context.Context, process, session string, a *ask) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*e.Lease/10)
	defer cancel()
	if a.meta.Request == "" {
		a.meta.Request = "forward-" + e.NewID() // should its answer be lost, the repetition finds it done
	}
	data, err := events.Marshal(a.command)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", workflows.NameOf(a.command), err)
	}
	meta := a.meta
	meta.Forwarded = true
	value, err := send(ctx, e.Bus, Of(CommandSubject, process), Request{Name: workflows.NameOf(a.command), Session: session, Meta: meta, Data: data})
	if r := (*sessions.Refusal)(nil); errors.As(err, &r) && r.Kind == sessions.Unreachable {
		return nil, fmt.Errorf("%s cannot decide: %w: %w", process, stream.ErrUnavailable, err)
	}
	return value, err
}

// As gives an answer its type, whether it was decided here or came over the wire.
func As[T any](value any, err error) (T, error) {
	var out T
	if err != nil {
		return out, err
	}
	switch v := value.(type) {
	case T:
		return v, nil
	case json.RawMessage:
		err := json.Unmarshal(v, &out)
		return out, err
	}
	return out, fmt.Errorf("answer is a %T", value)
}
