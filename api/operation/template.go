package operation

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/workflows/template"
)

// Draft asks for a workflow made of a sentence.
type Draft struct {
	Text      string `json:"text" jsonschema:"what is to be done, Chinese or English"`
	Workspace string `json:"workspace,omitempty" jsonschema:"absolute path of the folder whose skills count too"`
}

// Validate asks what is wrong with a template.
type Validate struct {
	Template  string `json:"template,omitempty" jsonschema:"name of a template, or the absolute path of its file"`
	Text      string `json:"text,omitempty" jsonschema:"the template itself, YAML or JSON, in place of a name"`
	Workspace string `json:"workspace,omitempty" jsonschema:"absolute path of the folder whose templates count too"`
}

// Validity is what is known of a template without running it.
type Validity struct {
	Valid  bool            `json:"valid"`
	Path   string          `json:"path"`
	Name   string          `json:"name"`
	Steps  int             `json:"steps"`
	SHA256 string          `json:"sha256"`
	Faults template.Faults `json:"faults"`
	Inputs []InputRow      `json:"inputs"`
}

// InputRow is one input that a template takes.
type InputRow struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Required    bool            `json:"required"`
	Default     json.RawMessage `json:"default"`
	Description string          `json:"description"`
}

func draft(ctx context.Context, c Caller, in Draft) (json.RawMessage, error) {
	return c.Query(ctx, "workflow.draft", "", DraftAsk{Workspace: in.Workspace, Text: in.Text})
}

func validate(ctx context.Context, c Caller, in Validate) (json.RawMessage, error) {
	return c.Query(ctx, "workflow.check", "", in)
}
