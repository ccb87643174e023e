package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
)

// dialogue judges what became of one call of a tool.
type dialogue struct {
	task         workers.Task
	server, tool string
	meter        *meter
}

// outcome makes a value of what the tool gave. A tool's own error may pass; a tool that is not there
// does not come, and some servers say that as if it were the tool's error.
func (d *dialogue) outcome(ctx context.Context, session *sdk.ClientSession, result *sdk.CallToolResult) workers.Outcome {
	if result.IsError {
		if f := d.missing(ctx, session); f != nil {
			return workers.Outcome{Failure: f}
		}
		f := failed(workers.Retryable, "mcp_tool_error", "tool "+d.tool+" of "+d.server+" says: "+said(result.Content))
		return workers.Outcome{Failure: f}
	}
	v, err := value(result)
	switch {
	case err != nil:
		return workers.Failed(workers.Terminal, "mcp_not_mcp", "tool "+d.tool+" of "+d.server+" gave what cannot be recorded: "+err.Error())
	case int64(len(v)) > limit(d.task):
		return workers.Outcome{Failure: d.tooLarge()}
	}
	return workers.Outcome{Value: v}
}

// value is the structured content, else a single text, else all contents as MCP writes them.
func value(result *sdk.CallToolResult) (json.RawMessage, error) {
	text, single := onlyText(result.Content)
	switch {
	case result.StructuredContent != nil:
		if twin, same := asWritten(text, result.StructuredContent); single && same {
			return twin, nil
		}
		return events.Marshal(result.StructuredContent)
	case len(result.Content) == 0:
		return json.RawMessage("null"), nil
	case single:
		return exec.Value([]byte(text)), nil
	}
	return events.Marshal(result.Content)
}

func onlyText(contents []sdk.Content) (string, bool) {
	if len(contents) != 1 {
		return "", false
	}
	text, ok := contents[0].(*sdk.TextContent)
	if !ok {
		return "", false
	}
	return text.Text, true
}

// asWritten gives the text that says the same as the structured content, as servers send along: its
// numbers are as the server wrote them, while the client has made floating point of the others.
func asWritten(text string, structured any) (json.RawMessage, bool) {
	var twin any
	if json.Unmarshal([]byte(text), &twin) != nil || !reflect.DeepEqual(twin, structured) {
		return nil, false
	}
	return exec.Value([]byte(text)), true
}

// said joins the texts of a tool's error, in bounds.
func said(contents []sdk.Content) string {
	const most = 4 << 10
	var texts []string
	for _, c := range contents {
		if text, ok := c.(*sdk.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	all := strings.Join(texts, "\n")
	if all == "" {
		return "nothing about its error"
	}
	if len(all) > most {
		all = strings.ToValidUTF8(all[:most], "") + "…"
	}
	return all
}

// missing says that the server does not list the tool; nil when it does, or gives no list.
func (d *dialogue) missing(ctx context.Context, session *sdk.ClientSession) *events.Failure {
	var names []string
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil // what is known without the list is said
		}
		names = append(names, tool.Name)
	}
	if slices.Contains(names, d.tool) {
		return nil
	}
	slices.Sort(names)
	return failed(workers.Terminal, "mcp_unknown_tool", fmt.Sprintf("server %s has no tool %q, only: %s", d.server, d.tool, strings.Join(names, ", ")))
}

// unconnected says why no session came about.
func (d *dialogue) unconnected(ctx context.Context, server peer, err error) *events.Failure {
	if f := d.broken(ctx, server); f != nil {
		return f
	}
	return failed(workers.Terminal, "mcp_not_mcp", "server "+d.server+" does not speak MCP as it should: "+err.Error())
}

// uncalled says why the tool gave no result.
func (d *dialogue) uncalled(ctx context.Context, server peer, session *sdk.ClientSession, err error) *events.Failure {
	refused := refusal(err)
	if refused == nil {
		if f := d.broken(ctx, server); f != nil {
			return f
		}
		return failed(workers.Retryable, "mcp_error", "tool "+d.tool+" of "+d.server+": "+err.Error())
	}
	switch refused.Code {
	case jsonrpc.CodeMethodNotFound:
		return failed(workers.Terminal, "mcp_no_tools", "server "+d.server+" has no tools")
	case jsonrpc.CodeInvalidParams:
		if f := d.missing(ctx, session); f != nil {
			return f
		}
		return failed(workers.Terminal, "mcp_arguments", "tool "+d.tool+" of "+d.server+" does not take these arguments: "+refused.Message)
	}
	return failed(workers.Retryable, "mcp_error", fmt.Sprintf("server %s refused tool %s with error %d: %s", d.server, d.tool, refused.Code, refused.Message))
}

// refusal is the error that a server answered with; nil when it was the client that failed, which
// speaks of its connection in the same way, with codes that are its own.
func refusal(err error) *jsonrpc.Error {
	const clientClosing, serverClosing, rejected = -32003, -32004, -32005
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || slices.Contains([]int64{clientClosing, serverClosing, rejected}, refused.Code) {
		return nil
	}
	return refused
}

// broken says why the server is talked to no longer; nil when it still could be.
func (d *dialogue) broken(ctx context.Context, server peer) *events.Failure {
	switch {
	case ctx.Err() != nil:
		return d.stopped(context.Cause(ctx))
	case d.meter.over.Load():
		return d.tooLarge()
	}
	return server.ended()
}

func (d *dialogue) stopped(cause error) *events.Failure {
	what := "tool " + d.tool + " of " + d.server
	switch class := workers.ClassOf(cause); class {
	case workers.Timeout:
		return failed(class, "mcp_timeout", what+" did not answer in time: raise the step's timeout, or ask for less")
	case workers.Stale:
		return failed(class, "mcp_stale", what+" was ended because a later attempt holds the call")
	case workers.Lost:
		return failed(class, "mcp_stopping", what+" was ended because its worker is stopping")
	default:
		return failed(class, "mcp_cancelled", what+" was ended because its call was cancelled")
	}
}

func (d *dialogue) tooLarge() *events.Failure {
	return failed(workers.Terminal, "result_too_large", fmt.Sprintf(
		"tool %s of %s gave more than the limit of %d bytes: ask it for less, or raise the limit", d.tool, d.server, limit(d.task)))
}
