package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// AboutKey names a value of a session's context.
type AboutKey struct {
	AboutSession
	Key string `json:"key" jsonschema:"name of the value"`
}

// Keys lists values.
type Keys struct {
	AboutSession
	Page
	Prefix string `json:"prefix,omitempty" jsonschema:"one key, or with a dot at its end the branch below"`
}

// ContextSet writes a value.
type ContextSet struct {
	AboutKey
	Value json.RawMessage `json:"value" jsonschema:"any JSON value"`
	By    string          `json:"by,omitempty" jsonschema:"who writes; default: the skill of the innermost open call"`
	Call  string          `json:"call,omitempty" jsonschema:"the call that writes"`
}

func setContext(_ Caller, in ContextSet) (workflows.Command, error) {
	if len(in.Value) == 0 {
		return nil, sessions.Refuse(sessions.Usage, "value_missing", "give any JSON value, null too", "there is no value for %s", in.Key)
	}
	return workflows.Of(sessions.SetContext{Key: in.Key, Value: events.Value{JSON: in.Value}, By: in.By, Call: in.Call}), nil
}

func deleteContext(_ Caller, in AboutKey) (workflows.Command, error) {
	return workflows.Of(sessions.DeleteContext{Key: in.Key}), nil
}

// ContextRollback makes an earlier revision the current one again.
type ContextRollback struct {
	AboutKey
	To int `json:"to" jsonschema:"number of the revision"`
}

func rollBackContext(_ Caller, in ContextRollback) (workflows.Command, error) {
	return workflows.Of(sessions.RollBackContext{Key: in.Key, To: in.To}), nil
}

// Switch hands over to another skill.
type Switch struct {
	AboutSession
	To       string   `json:"to" jsonschema:"the skill that takes over"`
	Kind     string   `json:"kind,omitempty" jsonschema:"handoff (default), fallback, escalate, retry or rollback"`
	Reason   string   `json:"reason" jsonschema:"why"`
	Carry    []string `json:"carry,omitempty" jsonschema:"context keys that are handed on"`
	KeepOpen bool     `json:"keep_open,omitempty" jsonschema:"suspend the current call instead of leaving it"`
}

func makeSwitch(_ Caller, in Switch) (workflows.Command, error) {
	if in.Kind == "" {
		in.Kind = "handoff"
	}
	return workflows.Of(sessions.MakeSwitch{To: in.To, Kind: in.Kind, Reason: in.Reason, Carry: in.Carry, KeepOpen: in.KeepOpen}), nil
}

func listContext(ctx context.Context, c Caller, in Keys) (json.RawMessage, error) {
	session, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "context.list", session, engine.KeyAsk{Key: in.Prefix})
}
