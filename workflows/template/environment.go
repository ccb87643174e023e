package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ownVariables are set by Baton for every attempt.
var ownVariables = []string{"BATON_SESSION", "BATON_CALL", "BATON_ATTEMPT", "BATON_EFFECT_KEY", "BATON_TMP"}

// Environment gives the variables that the template and the step name for the executor, expressions
// filled in and references left for [Resolve]. It fails with [ErrExpression].
func (s *Step) Environment(env Env) (map[string]string, error) {
	if len(s.Env) == 0 {
		return nil, nil
	}
	filled := make(map[string]string, len(s.Env))
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		text, err := fillReferring(s.Env[name], s.programs, env)
		if err != nil {
			return nil, fmt.Errorf("env %s of %s: %w", name, s.ID, err)
		}
		filled[name] = text
	}
	return filled, nil
}

// environment reads variables. Those of above that it does not name stay.
func (r *reader) environment(p place, above map[string]string) map[string]string {
	if p.absent() {
		return above
	}
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, "env is a mapping from names to values, this is "+kind(p.node), "write NAME: value or NAME: ${env:NAME}")
		return above
	}
	variables := make(map[string]string, len(above)+len(p.node.Content)/2)
	maps.Copy(variables, above)
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		name := p.node.Content[i].Value
		at, value := p.key(name, p.node.Content[i]), p.key(name, p.node.Content[i+1])
		switch {
		case !variable.MatchString(name):
			r.fail(at, CodeBadValue, short(name)+" is no name of a variable", variableHint)
		case has(ownVariables, name):
			r.fail(at, CodeBadValue, name+" is set by Baton itself", "choose another name")
		case value.absent():
			r.fail(value, CodeBadValue, "the variable has no value", `write "" for an empty one, ${env:`+name+"} for the one of your shell")
		default:
			variables[name], _ = r.text(value)
		}
	}
	return variables
}

// commonEnvironment reads the variables of all steps, which can rest on nothing but the run's inputs.
func (r *reader) commonEnvironment(p place) map[string]string {
	variables := r.environment(p, nil)
	if p.absent() {
		return variables
	}
	var at stepPlaces
	r.interpolations(scope{at: &at, mentions: map[string]bool{}, references: true}, p)
	for _, read := range at.reads {
		r.fail(read.at, CodeBadExpression, "the template's env is for all steps, so it cannot read ctx["+strings.ReplaceAll(short(read.key), `"`, "'")+"]",
			"write it in the env of the steps that come later")
	}
	return variables
}
