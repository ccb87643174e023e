package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// SessionNew begins a session.
type SessionNew struct {
	Goal      string `json:"goal" jsonschema:"what the session is for"`
	Mode      string `json:"mode,omitempty" jsonschema:"who picks the skill: auto (default), always or manual"`
	Workspace string `json:"workspace,omitempty" jsonschema:"absolute path of the folder that is worked in"`
}

func newSession(ctx context.Context, c Caller, in SessionNew) (json.RawMessage, error) {
	id, err := NewSession(c.Meta.Request)
	if err != nil {
		return nil, err
	}
	if in.Mode == "" {
		in.Mode = "auto"
	}
	return c.Backend.Do(ctx, id, workflows.Of(sessions.Begin(in)), c.Meta)
}

// SessionEnd ends a session.
type SessionEnd struct {
	AboutSession
	Summary string `json:"summary,omitempty" jsonschema:"what came of it"`
}

func endSession(_ Caller, in SessionEnd) (workflows.Command, error) {
	return workflows.Of(sessions.End{Summary: in.Summary}), nil
}

// SessionFork begins a session with the past of another, up to a call.
type SessionFork struct {
	AboutSession
	At    string                     `json:"at" jsonschema:"id of the call before which the sessions part; it is opened anew"`
	Set   map[string]json.RawMessage `json:"set,omitempty" jsonschema:"values of the context by key"`
	Edits []workflows.Edit           `json:"edits,omitempty" jsonschema:"changes of the run's template; a value is YAML, nothing removes the field"`
}

func forkSession(ctx context.Context, c Caller, in SessionFork) (json.RawMessage, error) {
	from, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	fork, err := ForkOf(ctx, c, from, in.At)
	if err != nil {
		return nil, err
	}
	fork.By, fork.Set, fork.Edits = c.Meta.Actor, values(in.Set), in.Edits
	id, err := NewSession(c.Meta.Request)
	if err != nil {
		return nil, err
	}
	return c.Backend.Do(ctx, id, fork, c.Meta)
}

// ForkOf is the command that forks a session before a call, which may be named by a prefix or a step.
func ForkOf(ctx context.Context, b Backend, from, call string) (workflows.Fork, error) {
	c := Caller{Backend: b}
	row, err := ask[sessions.Row](ctx, c, "call.show", from, engine.CallAsk{Call: call})
	if err != nil {
		return workflows.Fork{}, err
	}
	return ask[workflows.Fork](ctx, c, "fork", from, engine.ForkAsk{Call: row.CallID})
}

// Events asks for the log after a sequence.
type Events struct {
	AboutSession
	EventsPart
}

// EventsPart narrows events down.
type EventsPart struct {
	Type  string `json:"type,omitempty" jsonschema:"only events of this type"`
	After uint64 `json:"after,omitempty" jsonschema:"only those after this sequence"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many at most, up to 500, which is also the default; a commit is given whole"`
}

func (p EventsPart) ask() engine.EventsAsk {
	if p.Limit < 1 || p.Limit > mostEvents {
		p.Limit = mostEvents
	}
	return engine.EventsAsk{Type: p.Type, After: p.After, Limit: p.Limit}
}

// mostEvents bounds one page of the log: few enough for one message of the bus.
const mostEvents = 500

// Trace asks for the tree of a session's calls.
type Trace struct {
	AboutSession
	Format string `json:"format,omitempty" jsonschema:"json (default), text, md or mermaid"`
	Lang   string `json:"lang,omitempty" jsonschema:"language of texts: en (default) or zh"`
}

// traced is a trace that is a text.
type traced struct {
	Format  string `json:"format"`
	Session string `json:"session"`
	Text    string `json:"text"`
}

// trace gives the document itself, or a text in one, as the command does.
func trace(ctx context.Context, c Caller, in Trace) (any, error) {
	session, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	if in.Format == "" {
		in.Format = "json"
	}
	if in.Lang == "" {
		in.Lang = "en"
	}
	got, err := ask[engine.Traced](ctx, c, "trace", session, engine.TraceAsk{Format: in.Format, Lang: in.Lang})
	if err != nil || in.Format != "json" {
		return traced{in.Format, session, got.Text}, err
	}
	return json.RawMessage(got.Text), nil
}

// Replay asks for a session as it was.
type Replay struct {
	AboutSession
	Sequence uint64 `json:"sequence,omitempty" jsonschema:"up to this place in the log; without it up to the end"`
}

func listSessions(ctx context.Context, c Caller, _ Page) (json.RawMessage, error) {
	return c.Query(ctx, "session.list", "", engine.None{})
}

func allEvents(ctx context.Context, c Caller, in EventsPart) (json.RawMessage, error) {
	return c.Query(ctx, "events", "", in.ask())
}

func sessionEvents(ctx context.Context, c Caller, in Events) (json.RawMessage, error) {
	session, err := KnownSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "events", session, in.ask())
}
