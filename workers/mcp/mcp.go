// Package mcp runs a call as one call of a tool of an MCP server.
//
// A server is started for the attempt and ends with it, behind the same [exec.Runner] as any program;
// or it is reached by its address, over streamable HTTP. What the tool gives is the call's value: its
// structured content, else a single text (as JSON if it is JSON), else the list of its contents, else
// null. The tool finds baton/effect_key, the same for all attempts of the call, and baton/attempt,
// rising, in the request's _meta: with them it can do a thing once. Servers known by name stand in a
// file of the installation, with their secrets by reference (see [Executor.Servers]); secrets are
// masked in failures. Nothing is asked of a person: the client offers neither elicitation nor sampling.
//
// Codes of failure, which stay as they are, beside those of package exec for a program that cannot be
// started: mcp_settings, mcp_config, mcp_unknown_server, mcp_not_found, mcp_not_executable,
// mcp_unreachable, mcp_http_status, mcp_server_ended, mcp_not_mcp, mcp_unknown_tool, mcp_arguments,
// mcp_no_tools, mcp_tool_error, mcp_error, mcp_timeout, mcp_cancelled, mcp_stale, mcp_stopping,
// secret_missing, result_too_large.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/http"
	"github.com/batonflow/baton/workers/secret"
)

// Names in a request's _meta.
const (
	MetaEffectKey = "baton/effect_key" // string, the same for all attempts of a call
	MetaAttempt   = "baton/attempt"    // number, from 1, rising
)

// Executor runs calls of the form {"mcp": {"command": ["./server.sh"], "tool": "search", "arguments":
// {…}}} or {"mcp": {"server": "github", "tool": …}}. The zero value works for servers that a command
// starts.
type Executor struct {
	exec.Runner
	// Servers is the file of the servers known by name: {"servers": {"NAME": {"command": […], "env":
	// {…}} or {"url": "https://…", "headers": {…}}}}. It is read for every attempt. A command's relative
	// paths start at the file's folder.
	Servers string
	// Lookup resolves the references of that file, of kind "env" or "file", that the task's own
	// environment does not have.
	Lookup  func(kind, name string) (string, error)
	Version string // Baton's, told to the server
}

var _ workers.Executor = Executor{}

// settings are a step's own.
type settings struct {
	Server    string          `json:"server"`
	Command   []string        `json:"command"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// peer is a server that an attempt talks to.
type peer interface {
	transport() sdk.Transport
	// close ends what the attempt has of the server; when it returns, nothing of it is left running.
	close()
	// ended says why the server cannot be talked to any more; nil when it can, as far as it knows.
	ended() *events.Failure
}

// Execute calls the tool once. What a started server says on stderr goes to live.
func (e Executor) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	s, err := parse(t.Execute)
	if err != nil {
		return workers.Failed(workers.Terminal, "mcp_settings",
			`mcp needs {"server": NAME} or {"command": [program]}, and "tool": `+err.Error())
	}
	if t.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, t.Timeout, workers.ErrDeadline)
		defer stop()
	}
	secrets := &secret.Book{Env: t.Env, Lookup: e.Lookup}
	out := e.call(ctx, t, s, secrets, live)
	if f := out.Failure; f != nil {
		f.Message, f.Tail = secrets.Mask(f.Message), secrets.Mask(f.Tail)
	}
	return out
}

func parse(raw json.RawMessage) (settings, error) {
	var s settings
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	switch arguments := bytes.TrimSpace(s.Arguments); {
	case (s.Server == "") == (len(s.Command) == 0):
		return s, errors.New("one of server and command is given")
	case s.Server == "" && s.Command[0] == "":
		return s, errors.New("the command names no program")
	case s.Tool == "":
		return s, errors.New("it names no tool")
	case len(arguments) == 0 || string(arguments) == "null":
		s.Arguments = json.RawMessage("{}")
	case arguments[0] != '{':
		return s, errors.New("arguments is a mapping from names to values")
	}
	return s, nil
}

// call reaches the server, calls the tool, and lets the server go.
func (e Executor) call(ctx context.Context, t workers.Task, s settings, secrets *secret.Book, live io.Writer) workers.Outcome {
	to := &dialogue{task: t, tool: s.Tool, server: s.Server, meter: newMeter(mostRead(t))}
	if to.server == "" {
		to.server = s.Command[0]
	}
	server, failure := e.reach(ctx, t, s, secrets, live, to.meter)
	if failure != nil {
		return workers.Outcome{Failure: failure}
	}
	defer server.close()
	client := sdk.NewClient(&sdk.Implementation{Name: "baton", Version: e.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{},
	})
	session, err := client.Connect(ctx, server.transport(), nil)
	if err != nil {
		return workers.Outcome{Failure: to.unconnected(ctx, server, err)}
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Meta: meta(t), Name: s.Tool, Arguments: s.Arguments})
	if err != nil {
		return workers.Outcome{Failure: to.uncalled(ctx, server, session, err)}
	}
	return to.outcome(ctx, session, result)
}

func meta(t workers.Task) sdk.Meta {
	m := sdk.Meta{MetaEffectKey: t.EffectKey, MetaAttempt: t.Attempt}
	if trace := http.Traceparent(t); trace != "" {
		m["traceparent"] = trace
	}
	return m
}

func failed(class, code, message string) *events.Failure {
	return workers.Failed(class, code, message).Failure
}
