package templates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/modes"
	"github.com/batonflow/baton/skills"
)

// MostChildren is how many children one task is split into; each has a chain of its own.
const MostChildren = 100

// mostText is how long a template may be: it stands whole in the commit that starts its run.
const mostText = 180 << 10

var (
	// ErrDone is a chain whose atoms have all been executed.
	ErrDone = errors.New("E_CHAIN_DONE: every atom of the chain is done; leave out what is to be done again from executed")
	// ErrTooMany is a task that would be split into too many children, or a loop over many items.
	ErrTooMany = errors.New("E_TOO_MANY_ITEMS: split the items over several tasks")
)

// Order is what a template is made of.
type Order struct {
	Run       string // id of the run, which names its context keys
	Decision  task.Decision
	Chain     []task.Atom // of the decision
	Bootstrap []task.Atom // what has to run first
	Join      task.Atom   // brings children together
	Query     string
	Items     json.RawMessage // list; nil: none, or only their number is known
	Outputs   json.RawMessage // object of what the session holds; nil: nothing
	Measure   modes.Measure   // of a loop
	Tools     *skills.Policy  // what a skill that was called by its name may use; nil: any
}

// Template is a text to be run and what to run it with.
type Template struct {
	Text   string
	Inputs map[string]json.RawMessage
}

// document is a template as it is written.
type document struct {
	Name        string         `yaml:"name"`
	Description string         `yaml:"description"`
	Order       string         `yaml:"order"`
	Inputs      map[string]any `yaml:"inputs"`
	Defaults    map[string]any `yaml:"defaults"`
	Steps       []step         `yaml:"steps"`
}

// step is a step as it is written.
type step struct {
	ID       string         `yaml:"id"`
	Skill    string         `yaml:"skill,omitempty"`
	Intent   string         `yaml:"intent,omitempty"`
	Needs    *[]string      `yaml:"needs,omitempty"`
	When     string         `yaml:"when,omitempty"`
	Run      map[string]any `yaml:"run,omitempty"`
	Input    []string       `yaml:"input,omitempty"`
	Inputs   map[string]any `yaml:"inputs,omitempty"`
	Output   string         `yaml:"output,omitempty"`
	Optional bool           `yaml:"optional,omitempty"`
	Retry    map[string]any `yaml:"retry,omitempty"`
	Terminal []int          `yaml:"terminal_exits,flow,omitempty"`
}

// mostAttempts is how often an atom is tried when its error may pass.
const mostAttempts = 2

// breaches are the exit statuses by which a program says that what it was handed is at fault (EX_USAGE,
// EX_DATAERR, EX_NOINPUT): trying again cannot help.
func breaches() []int { return []int{64, 65, 66} }

// Make writes the template. It fails with [ErrDone] and [ErrTooMany].
func Make(o Order) (Template, error) {
	d := document{
		Name: "task-" + o.Decision.Route, Description: o.Decision.ExecutionMode, Order: "sequential",
		Inputs:   map[string]any{"query": declared("string")},
		Defaults: map[string]any{"timeout": "1h"},
	}
	w := &writer{Order: o, stale: map[string][]string{}}
	w.given(&d)
	var err error
	switch {
	case o.Decision.Route == task.Slash:
		w.slash()
	case o.Decision.Route == task.Exploratory:
		err = w.exploration()
	case o.Decision.Route == task.Research:
		err = w.research()
	case len(o.Decision.Delegations) > 1:
		d.Order = "dataflow"
		err = w.children()
	default:
		err = w.chain()
	}
	if err != nil {
		return Template{}, err
	}
	d.Steps = w.steps
	return w.template(d)
}

func declared(kind string) map[string]any { return map[string]any{"type": kind, "required": true} }

func (w *writer) template(d document) (Template, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(d); err != nil {
		return Template{}, fmt.Errorf("write the template: %w", err)
	}
	inputs := map[string]json.RawMessage{}
	for name, value := range map[string]any{"query": w.Query, "items": w.Items, "outputs": w.Outputs} {
		if _, ok := d.Inputs[name]; !ok {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return Template{}, fmt.Errorf("input %s: %w", name, err)
		}
		inputs[name] = raw
	}
	if b.Len() > mostText {
		return Template{}, fmt.Errorf("%w: their template would have %d bytes, at most %d are taken", ErrTooMany, b.Len(), mostText)
	}
	return Template{Text: b.String(), Inputs: inputs}, nil
}

// given declares what else the run is started with, and makes a step of outputs that there are already.
func (w *writer) given(d *document) {
	if w.Items != nil {
		d.Inputs["items"] = declared("array")
	}
	if w.Outputs == nil || w.Decision.Route == task.Slash {
		return
	}
	d.Inputs["outputs"] = declared("object")
	names := map[string]json.RawMessage{}
	if json.Unmarshal(w.Outputs, &names) != nil {
		return
	}
	inputs := map[string]any{}
	for name := range names {
		inputs[name] = "${inputs.outputs[" + quoted(name) + "]}"
	}
	key := w.key("given")
	w.steps = append(w.steps, step{ID: "given", Run: map[string]any{"builtin": "echo"}, Inputs: inputs, Output: key})
	w.from = []string{key}
}

// quoted writes a text as one of the expression language.
func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(raw)
}

// plain writes a text that is no expression, whatever it holds.
func plain(text string) string { return strings.ReplaceAll(text, "${", "$${") }
