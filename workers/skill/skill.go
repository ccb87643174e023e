// Package skill runs a call by the entry point that its SKILL.md declares.
//
// The command line was written by a stranger and the values come from anywhere, so no shell sees
// either: words are cut first, values are put in afterwards. Relative paths start at the skill's
// folder. The program is then run like any other, by package exec.
package skill

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/batonflow/baton/skills/entrypoint"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
)

// Executor runs calls of the form {"skill": {"name": …, "folder": …, "cmd": "sh run.sh \"$topic\""}}.
type Executor struct{ exec.Runner }

var _ workers.Executor = Executor{}

// Execute fills the command line in and runs it. $name is an input of that name; a context key
// stands under its name with every dot, slash and hyphen as an underscore. Output that is not one
// JSON value fails with E_OUTPUT_NOT_JSON.
func (e Executor) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	var settings struct {
		Name   string `json:"name"`
		Folder string `json:"folder"`
		Type   string `json:"type"`
		Cmd    string `json:"cmd"`
	}
	if err := json.Unmarshal(t.Execute, &settings); err != nil {
		return workers.Failed(workers.Terminal, "bad_settings", err.Error())
	}
	if settings.Type != "exec" {
		return workers.Failed(workers.Terminal, "E_ENTRYPOINT_TYPE", "skill "+settings.Name+" declares entrypoint_type "+settings.Type+"; it must be exec or cognitive")
	}
	vars, err := variables(t.Input)
	if err != nil {
		return workers.Failed(workers.Terminal, "bad_input", err.Error())
	}
	argv, err := entrypoint.Argv(settings.Cmd, vars)
	if err != nil {
		code, message, _ := strings.Cut(err.Error(), ": ")
		return workers.Failed(workers.Terminal, code, "entry point of skill "+settings.Name+": "+message)
	}
	t.Folder = settings.Folder
	stdout, failure := e.Run(ctx, t, exec.Program{Argv: argv, Stdin: t.Input, Env: map[string]string{"BATON_SKILL_DIR": settings.Folder}}, live)
	if failure != nil {
		return workers.Outcome{Failure: failure}
	}
	if !json.Valid(stdout) {
		return workers.Failed(workers.Terminal, "E_OUTPUT_NOT_JSON", "skill "+settings.Name+" must print one JSON value on stdout and nothing else")
	}
	return workers.Outcome{Value: stdout}
}

// variables are the values that a command line may name: texts as they are, all else as JSON.
func variables(input json.RawMessage) (map[string]string, error) {
	var doc struct {
		Inputs  map[string]json.RawMessage `json:"inputs"`
		Context map[string]json.RawMessage `json:"context"`
	}
	if err := json.Unmarshal(input, &doc); err != nil {
		return nil, err
	}
	vars := make(map[string]string, len(doc.Inputs)+len(doc.Context))
	for key, raw := range doc.Context {
		vars[identifier.Replace(key)] = plain(raw)
	}
	for name, raw := range doc.Inputs {
		vars[name] = plain(raw)
	}
	return vars, nil
}

var identifier = strings.NewReplacer(".", "_", "-", "_", "/", "_")

func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
