package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

// hookEvent is what Claude Code says of an event, as far as it matters here.
type hookEvent struct {
	Name    string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Folder  string `json:"cwd"`
	Prompt  string `json:"prompt"`

	Tool  string `json:"tool_name"`
	Use   string `json:"tool_use_id"`
	Input struct {
		Skill       string `json:"skill"`
		Description string `json:"description"`
		Path        string `json:"file_path"`
	} `json:"tool_input"`

	Agent     string `json:"agent_id"` // of the sub-agent in which it happened, or which it is about
	AgentType string `json:"agent_type"`
}

// promptSubmitted is the one event that is answered.
const promptSubmitted = "UserPromptSubmit"

// hookActor is who asks for what a hook records.
const hookActor = "hook:claude-code"

// hookStep is one thing that an event leads to.
type hookStep func(context.Context, operation.Backend) error

// steps are what becomes of an event: a use of a tool, and a sub-agent, is a call. Events come in any
// order, each in a process of its own, so that one that ends a call opens it first; under the same request
// that is one opening.
func (e hookEvent) steps() []hookStep {
	switch {
	case e.Session == "" || strings.HasPrefix(e.Tool, "mcp__baton__"): // what Baton did is recorded
		return nil
	case e.Name == "SessionStart":
		return []hookStep{e.begin}
	case e.Name == "SubagentStart" && e.Agent != "":
		return []hookStep{e.agent("")}
	case e.Name == "SubagentStop" && e.Agent != "":
		return []hookStep{e.agent("ok")}
	case e.Tool == "" || e.Use == "":
		return nil
	case e.Name == "PreToolUse":
		return []hookStep{e.tool("")}
	case e.Name == "PostToolUse":
		return []hookStep{e.tool("ok")}
	case e.Name == "PostToolUseFailure":
		return []hookStep{e.tool("failed")}
	}
	return nil
}

// request names something of the host's session, the same in each process.
func (e hookEvent) request(of string) string {
	return strings.TrimSuffix("claude-code:"+e.Session+":"+of, ":")
}

func (e hookEvent) session() string { return operation.DerivedSession(e.request("")) }

// begin begins the session, or finds it there.
func (e hookEvent) begin(ctx context.Context, server operation.Backend) error {
	_, err := e.do(ctx, server, "session.new", "", operation.SessionNew{Goal: "Claude Code", Mode: "manual", Workspace: e.Folder})
	return err
}

// agent opens the call of a sub-agent, and closes it when it ended.
func (e hookEvent) agent(ended string) hookStep {
	return func(ctx context.Context, server operation.Backend) error {
		_, err := e.used(ctx, server, "agent:"+e.Agent, operation.CallOpen{Skill: "claude:" + e.kind(), Intent: "sub-agent " + e.kind(), Parent: "none"}, ended)
		return err
	}
}

func (e hookEvent) kind() string {
	if e.AgentType == "" {
		return "agent"
	}
	return cut(e.AgentType, 80)
}

// tool opens the call of a tool's use, below its sub-agent, and closes it when it ended. What a tool was
// told stays with the host, but for what it calls itself: commands and texts may hold secrets.
func (e hookEvent) tool(ended string) hookStep {
	return func(ctx context.Context, server operation.Backend) error {
		open := operation.CallOpen{Skill: "claude:" + e.Tool, Intent: e.Tool, Parent: "none"}
		for _, text := range []string{e.Input.Path, e.Input.Description} {
			if text != "" {
				open.Intent = cut(text, 200)
			}
		}
		if e.Tool == "Skill" && e.Input.Skill != "" {
			open.Skill = cut(e.Input.Skill, 80)
		}
		if e.Agent != "" {
			parent, err := e.used(ctx, server, "agent:"+e.Agent, operation.CallOpen{Skill: "claude:" + e.kind(), Intent: "sub-agent " + e.kind(), Parent: "none"}, "")
			if err != nil {
				return err
			}
			open.Parent = parent
		}
		_, err := e.used(ctx, server, e.Use, open, ended)
		return err
	}
}

// used opens a call, once, and closes it when it ended.
func (e hookEvent) used(ctx context.Context, server operation.Backend, of string, open operation.CallOpen, ended string) (id string, err error) {
	open.Session = e.session()
	raw, err := e.do(ctx, server, "call.open", of, open)
	var r *sessions.Refusal
	if errors.As(err, &r) && r.Kind == sessions.NotFound {
		if err := e.begin(ctx, server); err != nil {
			return "", err
		}
		raw, err = e.do(ctx, server, "call.open", of, open)
	}
	if err != nil {
		return "", err
	}
	var opened struct {
		Call string `json:"call_id"`
	}
	if err := json.Unmarshal(raw, &opened); err != nil || ended == "" {
		return opened.Call, err
	}
	_, err = e.do(ctx, server, "call.close", of+":end", operation.CallClose{AboutSession: open.AboutSession, Call: opened.Call, Status: ended})
	return opened.Call, err
}

// do carries an operation out under a request of its own.
func (e hookEvent) do(ctx context.Context, server operation.Backend, name, of string, input any) (json.RawMessage, error) {
	raw, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	o, _ := operation.Find(name)
	answer, err := o.Do(ctx, operation.Caller{Backend: server, Meta: engine.Meta{Actor: hookActor, Request: e.request(of)}}, raw)
	return answer.JSON, err
}
