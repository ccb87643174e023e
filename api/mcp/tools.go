package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// reaching are tools that may do things outside of Baton, ending are those whose effect cannot be taken back.
var (
	reaching = []string{"workflow_run", "run_status", "run_approve", "acquire_run", "acquire_status"}
	ending   = []string{"session_end", "run_cancel", "run_approve"}
)

// add makes an operation a tool.
func (d *door) add(o operation.Operation) error {
	in, err := o.Input()
	if err != nil {
		return fmt.Errorf("tool %s: %w", o.Tool, err)
	}
	out, err := o.Output()
	if err != nil {
		return fmt.Errorf("tool %s: %w", o.Tool, err)
	}
	example, err := o.Example()
	if err != nil {
		return fmt.Errorf("tool %s: %w", o.Tool, err)
	}
	ends, reaches := slices.Contains(ending, o.Tool), slices.Contains(reaching, o.Tool)
	tool := &sdk.Tool{
		Name:        o.Tool,
		Title:       o.Command,
		Description: fmt.Sprintf("%s.\nThe same as `baton %s --json`.\nExample: %s", o.Summary, o.Command, bytes.TrimSpace(example)),
		InputSchema: in,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !o.Writes(), DestructiveHint: &ends, OpenWorldHint: &reaches},
	}
	if out.Type == "object" { // clients of older revisions know no other
		tool.OutputSchema = out
	}
	if d.Workspace != "" && in.Properties["workspace"] != nil {
		tool.Description += "\nWithout a workspace it is " + d.Workspace + "."
	}
	d.tools[o.Tool] = o
	d.server.AddTool(tool, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return d.call(ctx, r, o)
	})
	return nil
}

// call carries the tool's operation out. What a client heard from a person is taken in first.
func (d *door) call(ctx context.Context, r *sdk.CallToolRequest, o operation.Operation) (*sdk.CallToolResult, error) {
	arguments, err := d.complete(o, r.Params.Arguments)
	if err != nil {
		return refused(err), nil
	}
	c := d.caller(r.ClientInfo(), r.Params.Meta)
	talk := dialogue{door: d, request: r, caller: c, operation: o, arguments: arguments}
	if r.Params.RequestState != "" {
		return talk.heard(ctx), nil
	}
	if ask := talk.before(ctx); ask != nil {
		return ask, nil
	}
	answer, err := o.Do(ctx, c, arguments)
	if err != nil {
		return refused(err), nil
	}
	return talk.after(ctx, answer), nil
}

// complete adds the workspace to arguments that name none.
func (d *door) complete(o operation.Operation, arguments json.RawMessage) (json.RawMessage, error) {
	in, err := o.Input()
	if err != nil || d.Workspace == "" || in.Properties["workspace"] == nil {
		return arguments, err
	}
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(arguments)) > 0 {
		if json.Unmarshal(arguments, &given) != nil {
			return arguments, nil // the operation says what is wrong with it
		}
	}
	if _, said := given["workspace"]; said {
		return arguments, nil
	}
	workspace, err := events.Marshal(d.Workspace)
	if err != nil {
		return nil, err
	}
	if given == nil { // it was null
		given = map[string]json.RawMessage{}
	}
	given["workspace"] = workspace
	return events.Marshal(given)
}

// result is an answer as a tool's result: the JSON as text, and as it is where it is an object.
func result(o operation.Operation, a operation.Answer) *sdk.CallToolResult {
	out := &sdk.CallToolResult{Meta: sdk.Meta{}}
	if foreign(o.Tool) {
		out.Meta[dataKey] = true
		out.Content = append(out.Content, &sdk.TextContent{Text: dataNotice})
	}
	text := &sdk.TextContent{Text: string(bytes.TrimSpace(a.JSON))}
	out.Content = append(out.Content, text)
	if a.Next != "" {
		out.Meta[nextKey] = a.Next
		out.Content = append(out.Content, &sdk.TextContent{Text: fmt.Sprintf("There is more: ask again with cursor %q.", a.Next)})
	}
	if bytes.HasPrefix([]byte(text.Text), []byte("{")) {
		out.StructuredContent = json.RawMessage(text.Text)
	}
	return out
}

// nextKey names the cursor of the rest of a list in a result's _meta.
const nextKey = "baton/next"

// refused tells an error as the command does.
func refused(err error) *sdk.CallToolResult {
	var r *sessions.Refusal
	if !errors.As(err, &r) {
		r = sessions.Refuse(sessions.Failed, "failed", "see `baton doctor`", "%v", err)
	}
	details := r.Details
	if details == nil {
		details = map[string]any{}
	}
	raw, err := events.Marshal(map[string]any{"error": operation.Error{Code: r.Code, Message: r.Message, Hint: r.Hint, Details: details}})
	if err != nil {
		raw = []byte(r.Error())
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(bytes.TrimSpace(raw))}}}
}
