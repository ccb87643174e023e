package template

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Action is something to be executed: a step's compensation, or the probe of its effect. Read only.
type Action struct {
	Executor string
	Run      json.RawMessage // canonical, as [Step.Run]
	Mentions []string        // context keys that its expressions name, sorted

	value    any // what stands below the executor's name
	programs programs
}

// Execute is Run with its expressions filled in. What an executor takes as a text is always one:
// arguments of a program, a question, a URL; other values are then written as JSON. References to
// secrets in headers stay as they are, see [Resolve]. It fails with [ErrExpression].
func (a *Action) Execute(env Env) (json.RawMessage, error) {
	filled, err := a.filled(env)
	if err != nil {
		return nil, err
	}
	return compact(map[string]any{a.Executor: filled})
}

// literal lists, by executor, the settings that are texts whatever their expressions give.
var literal = map[string][]string{
	Approval: {"question"},
	Waiting:  {"until"},
	HTTP:     {"method", "url"},
	MCP:      {"server", "tool"},
}

func (a *Action) filled(env Env) (any, error) {
	if argv, ok := a.value.([]any); ok {
		return a.argv(argv, env)
	}
	settings, ok := a.value.(map[string]any)
	if !ok {
		return expand(a.value, a.programs, env)
	}
	filled := make(map[string]any, len(settings))
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		v, err := a.setting(name, settings[name], env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		filled[name] = v
	}
	return filled, nil
}

func (a *Action) setting(name string, v any, env Env) (any, error) {
	text, isText := v.(string)
	switch {
	case a.Executor == HTTP && name == "headers":
		headers, _ := v.(map[string]any)
		return a.headers(headers, env)
	case a.Executor == MCP && name == "command":
		argv, _ := v.([]any)
		return a.argv(argv, env)
	case a.Executor == Waiting && name == "until" && isText:
		at, err := until(text, a.programs, env)
		return at.Format(timeLayout), err
	case isText && has(literal[a.Executor], name):
		return fillText(text, a.programs, env)
	}
	return expand(v, a.programs, env)
}

func (a *Action) argv(argv []any, env Env) (any, error) {
	filled := make([]any, len(argv))
	for i, one := range argv {
		v, err := expand(one, a.programs, env)
		if err != nil {
			return nil, err
		}
		if filled[i], err = written(v); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

func (a *Action) headers(headers map[string]any, env Env) (any, error) {
	filled := make(map[string]any, len(headers))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		text, _ := headers[name].(string) // as it was read
		v, err := fillReferring(text, a.programs, env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		filled[name] = v
	}
	return filled, nil
}

// sameAction says whether two actions say the same; nil is none.
func sameAction(a, b *Action) bool {
	if a == nil || b == nil {
		return a == b
	}
	return string(a.Run) == string(b.Run)
}
