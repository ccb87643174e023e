package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// CallOpen opens a call.
type CallOpen struct {
	AboutSession
	Skill  string                     `json:"skill" jsonschema:"the skill that is used"`
	Intent string                     `json:"intent" jsonschema:"what it is to do"`
	Inputs map[string]json.RawMessage `json:"inputs,omitempty" jsonschema:"values given to the skill"`
	Reads  []string                   `json:"reads,omitempty" jsonschema:"context keys that it reads"`
	Writes []string                   `json:"writes,omitempty" jsonschema:"context keys that it promises to write"`
	Parent string                     `json:"parent,omitempty" jsonschema:"id of the call it belongs to, or none; default: the innermost open call"`
	Queue  string                     `json:"queue,omitempty" jsonschema:"leave it on this queue for somebody to claim"`
}

func openCall(_ Caller, in CallOpen) (workflows.Command, error) {
	return workflows.Of(sessions.Open{
		Skill: in.Skill, Intent: in.Intent, Inputs: values(in.Inputs), Reads: in.Reads, Writes: in.Writes, Parent: in.Parent, Queue: in.Queue,
	}), nil
}

// values are JSON values as events keep them.
func values(given map[string]json.RawMessage) map[string]events.Value {
	if given == nil {
		return nil
	}
	out := make(map[string]events.Value, len(given))
	for key, value := range given {
		out[key] = events.Value{JSON: value}
	}
	return out
}

// AboutCall names a call of a session.
type AboutCall struct {
	AboutSession
	Call string `json:"call" jsonschema:"id of the call, a prefix of it, @last, or the id of a step"`
}

// CallList narrows the calls of a session down.
type CallList struct {
	AboutSession
	Page
	Open bool `json:"open,omitempty" jsonschema:"only those that are not over"`
}

// OpenRows leaves those that are not over.
func OpenRows(all []sessions.Row) []sessions.Row {
	out := []sessions.Row{}
	for _, row := range all {
		if row.ClosedAt == nil {
			out = append(out, row)
		}
	}
	return out
}

// CallClose ends a call, or an attempt that a worker outside holds.
type CallClose struct {
	AboutSession
	Call      string                     `json:"call,omitempty" jsonschema:"id of the call; default: the innermost open one"`
	Attempt   int                        `json:"attempt,omitempty" jsonschema:"number of the attempt, for a call that was claimed"`
	Status    string                     `json:"status" jsonschema:"ok, partial, failed or skipped"`
	Outputs   map[string]json.RawMessage `json:"outputs,omitempty" jsonschema:"values written to the context by key"`
	Artifacts []string                   `json:"artifacts,omitempty" jsonschema:"paths of files that were made"`
	Note      string                     `json:"note,omitempty" jsonschema:"a word on it"`
	Usage     json.RawMessage            `json:"usage,omitempty" jsonschema:"object of what it used: tokens, money, seconds"`
}

func closeCall(_ Caller, in CallClose) (workflows.Command, error) {
	usage, err := in.usage()
	return workflows.Of(sessions.Close{
		Call: in.Call, Attempt: in.Attempt, Status: in.Status, Outputs: values(in.Outputs), Artifacts: in.Artifacts, Note: in.Note, Usage: usage,
	}), err
}

func (in CallClose) usage() (json.RawMessage, error) {
	switch {
	case len(in.Usage) == 0, string(in.Usage) == "null":
		return nil, nil
	case in.Usage[0] != '{':
		return nil, sessions.Refuse(sessions.Usage, "bad_json", "give an object like {\"tokens\": 12}", "usage is no JSON object")
	}
	return in.Usage, nil
}

// CallSuspend sets a call aside.
type CallSuspend struct {
	AboutCall
	Reason string `json:"reason,omitempty" jsonschema:"why"`
}

func suspendCall(_ Caller, in CallSuspend) (workflows.Command, error) {
	return workflows.Of(sessions.Suspend{Call: in.Call, Reason: in.Reason}), nil
}

func resumeCall(_ Caller, in AboutCall) (workflows.Command, error) {
	return workflows.Of(sessions.Resume{Call: in.Call}), nil
}

// suspended and resumed are what the commands print.
type (
	suspended struct {
		Suspended string   `json:"suspended"`
		Skill     string   `json:"skill"`
		Stack     []string `json:"stack"`
	}
	resumed struct {
		Resumed string   `json:"resumed"`
		Skill   string   `json:"skill"`
		Stack   []string `json:"stack"`
		Current string   `json:"current_skill"`
	}
)

func listCalls(ctx context.Context, c Caller, in CallList) (json.RawMessage, error) {
	session, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	all, err := c.Query(ctx, "call.list", session, engine.None{})
	if err != nil || !in.Open {
		return all, err
	}
	list, err := engine.As[[]sessions.Row](all, nil)
	if err != nil {
		return nil, err
	}
	return events.Marshal(OpenRows(list))
}
