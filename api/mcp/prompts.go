package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// refreshing looks for skills and workflows before a client lists them, or asks for a prompt.
func (d *door) refreshing(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		switch method {
		case "prompts/list", "prompts/get":
			if err := d.refreshPrompts(ctx); err != nil {
				return nil, err
			}
		case "resources/list":
			if err := d.refreshSkills(ctx); err != nil {
				return nil, err
			}
		}
		return next(ctx, method, r)
	}
}

// TemplatesAsk asks for the workflows that a workspace sees.
type TemplatesAsk struct {
	Workspace string `json:"workspace"`
}

// TemplateRow is a workflow with what it takes.
type TemplateRow struct {
	Name        string               `json:"name"` // by which it is run
	Description string               `json:"description"`
	Inputs      []operation.InputRow `json:"inputs"`
}

// refreshPrompts offers a prompt for each workflow.
func (d *door) refreshPrompts(ctx context.Context) error {
	rows, err := engine.As[[]TemplateRow](d.Backend.Query(ctx, "workflow.templates", "", TemplatesAsk{Workspace: d.Workspace}))
	if err != nil {
		return fmt.Errorf("list workflows: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string]bool{}
	for _, row := range rows {
		found["prompt "+row.Name] = true
		d.server.AddPrompt(promptOf(row), func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return prompted(row, r.Params.Arguments)
		})
	}
	d.forget("prompt ", found, func(name string) { d.server.RemovePrompts(name) })
	return nil
}

// refreshSkills offers a resource for each skill.
func (d *door) refreshSkills(ctx context.Context) error {
	list, err := engine.As[operation.SkillsList](d.Backend.Query(ctx, "skills.list", "", operation.SkillsAsk{Workspace: d.Workspace}))
	if err != nil {
		return fmt.Errorf("list skills: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string]bool{}
	for _, s := range list.Skills {
		uri := skillScheme + url.PathEscape(s.Name)
		if found["skill "+uri] {
			continue // one of this name is chosen already
		}
		found["skill "+uri] = true
		d.server.AddResource(&sdk.Resource{Name: s.Name, URI: uri, MIMEType: "text/markdown", Description: s.Description, Meta: sdk.Meta{dataKey: true}}, d.readSkill)
	}
	d.forget("skill ", found, func(uri string) { d.server.RemoveResources(uri) })
	return nil
}

// forget takes back what is not found any more.
func (d *door) forget(kind string, found map[string]bool, remove func(name string)) {
	for _, key := range slices.Sorted(maps.Keys(d.listed)) {
		if name, ok := strings.CutPrefix(key, kind); ok && !found[key] {
			remove(name)
			delete(d.listed, key)
		}
	}
	maps.Copy(d.listed, found)
}

func promptOf(row TemplateRow) *sdk.Prompt {
	p := &sdk.Prompt{Name: row.Name, Title: "run " + row.Name, Description: row.Description}
	for _, in := range row.Inputs {
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: in.Name, Description: in.Description, Required: in.Required})
	}
	return p
}

// prompted is the request to run a workflow with what was given for its inputs.
func prompted(row TemplateRow, given map[string]string) (*sdk.GetPromptResult, error) {
	inputs := map[string]json.RawMessage{}
	for _, in := range row.Inputs {
		text, said := given[in.Name]
		switch {
		case said:
			inputs[in.Name] = typed(in.Type, text)
		case in.Required:
			return nil, sessions.Refuse(sessions.Usage, "input_missing", "give it", "workflow %s needs %s", row.Name, in.Name)
		}
	}
	arguments, err := events.Marshal(operation.RunStart{Template: row.Name, Inputs: inputs, Wait: 30})
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", row.Name, err)
	}
	text := fmt.Sprintf("Run the workflow %s with the tool workflow_run and these arguments:\n%s\n"+
		"While it is not over, look at it with run_status and wait. When it waits for a person, say so and stop. "+
		"When it is over, say what came of each step; `why` tells why a run does not go on.", row.Name, strings.TrimSpace(string(arguments)))
	return &sdk.GetPromptResult{Description: row.Description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
}

// typed reads the text of an input as the JSON that its type wants; what is none stays a text, and the
// run says what is wrong with it.
func typed(kind, text string) json.RawMessage {
	if kind != "string" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	raw, err := events.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

// notFound says in the protocol's own words that there is nothing at an address.
func notFound(uri string, err error) error {
	var r *sessions.Refusal
	if errors.As(err, &r) && r.Kind == sessions.NotFound {
		return sdk.ResourceNotFoundError(uri)
	}
	return err
}
