// Package builtin runs a call inside the worker, through one of Baton's own small functions.
//
// Those of this package are pure: what they give depends on the call's input document and nothing else.
// They serve as joins between branches, as stand-ins while a workflow is being written, and as the
// cheapest work there is when the engine itself is measured. Adding one is a function and a line in the
// table. Functions that reach outside are given to the [Executor] by whoever builds the program.
//
// Codes of failure: builtin_settings, builtin_unknown, builtin_input, merge_not_object,
// merge_conflict, and those that end a call before it began (cancelled, stale …) as builtin_stopped.
package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
)

// Input is the call's document, taken apart.
type Input struct {
	Inputs  json.RawMessage            `json:"inputs"`
	Context map[string]json.RawMessage `json:"context"`
	Item    json.RawMessage            `json:"item"`
	Call    json.RawMessage            `json:"call"`
}

// Func is a built-in function: a value, or why there is none.
type Func func(Input) (json.RawMessage, *events.Failure)

// table names every built-in function.
var table = map[string]Func{
	"echo":  echo,
	"merge": merge,
	"noop":  noop,

	"task-cycle":  taskCycle,
	"task-round":  taskRound,
	"task-review": taskReview,
}

// Effect is a built-in function that reaches outside: whoever builds the program gives it. What it
// says while it works goes to live, which may be nil.
type Effect func(ctx context.Context, t workers.Task, in Input, live io.Writer) (json.RawMessage, *events.Failure)

// Executor runs calls of the form {"builtin": "merge"}.
type Executor struct {
	Effects map[string]Effect // beside the functions of this package
}

var _ workers.Executor = Executor{}

// Execute calls the function that the settings name.
func (e Executor) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	name, ok := nameOf(t.Execute)
	if !ok {
		return workers.Failed(workers.Terminal, "builtin_settings", "builtin needs a name, one of "+names())
	}
	effect, reaches := e.Effects[name]
	call, ok := table[name]
	if !ok && !reaches {
		return workers.Failed(workers.Terminal, "builtin_unknown", fmt.Sprintf("there is no builtin %q, only %s", name, names()))
	}
	if ctx.Err() != nil {
		return workers.Failed(workers.ClassOf(context.Cause(ctx)), "builtin_stopped", name+" was not begun: "+context.Cause(ctx).Error())
	}
	var in Input
	if len(bytes.TrimSpace(t.Input)) > 0 {
		if err := json.Unmarshal(t.Input, &in); err != nil {
			return workers.Failed(workers.Terminal, "builtin_input", "read the input of "+name+": "+err.Error())
		}
	}
	if reaches {
		value, failure := effect(ctx, t, in, live)
		return workers.Outcome{Value: value, Failure: failure}
	}
	value, failure := call(in)
	return workers.Outcome{Value: value, Failure: failure}
}

// nameOf reads "merge" or {"name": "merge"}.
func nameOf(settings json.RawMessage) (string, bool) {
	var name string
	if json.Unmarshal(settings, &name) == nil {
		return name, true
	}
	var named struct {
		Name string `json:"name"`
	}
	err := json.Unmarshal(settings, &named)
	return named.Name, err == nil && named.Name != ""
}

func names() string { return strings.Join(slices.Sorted(maps.Keys(table)), ", ") }

// echo gives the call's inputs back.
func echo(in Input) (json.RawMessage, *events.Failure) {
	if len(in.Inputs) == 0 {
		return null(), nil
	}
	return in.Inputs, nil
}

// noop does nothing and gives null.
func noop(Input) (json.RawMessage, *events.Failure) { return null(), nil }

func null() json.RawMessage { return json.RawMessage("null") }
