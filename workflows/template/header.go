package template

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	mostName = 200    // characters of a name or a skill
	mostKey  = 256    // characters of a context key
	mostID   = 64     // characters of a step's id, an input's name
	mostOpen = 10_000 // calls that a run may have open at once
)

var (
	templateFields = fieldTable{
		of:     "a template",
		fields: []string{"name", "description", "order", "inputs", "defaults", "limits", "env", "steps", "on_failure"},
	}
	defaultFields = fieldTable{of: "defaults", fields: []string{"retry", "timeout", "sandbox"}}
	inputFields   = fieldTable{of: "an input", fields: []string{"type", "required", "default", "description"}}

	inputTypes = []string{"string", "number", "integer", "boolean", "object", "array"}
)

// template reads the whole tree.
func (r *reader) template(root *yaml.Node) *Template {
	t := &Template{Order: Sequential, OnFailure: Stop, byID: map[string]int{}}
	f := r.fields(place{node: root}, templateFields)
	if f == nil {
		return t
	}
	t.Name, _ = r.line(f["name"], mostName)
	t.Description, _ = r.text(f["description"])
	if order, ok := r.word(f["order"], Sequential, Dataflow); ok {
		t.Order = order
	}
	t.Inputs = r.declarations(f["inputs"])
	r.inputs = t.Inputs
	t.Limits = r.limits(f["limits"])
	common := r.defaults(f["defaults"])
	common.Env = r.commonEnvironment(f["env"])
	places := r.steps(t, root, f["steps"], common)
	r.onFailure(t, f["on_failure"], places)
	r.wire(t, places)
	return t
}

// defaults reads what steps have that say nothing else: retry, timeout and sandbox.
func (r *reader) defaults(p place) Step {
	common := Step{Retry: once}
	if p.absent() {
		return common
	}
	f := r.fields(p, defaultFields)
	common.Retry = r.retry(f["retry"], common.Retry)
	common.Timeout, _ = r.duration(f["timeout"])
	common.Sandbox = r.sandbox(f["sandbox"], nil)
	return common
}

// declarations reads the typed inputs of a run.
func (r *reader) declarations(p place) map[string]Input {
	if p.absent() {
		return nil
	}
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, "inputs is a mapping from names to types, this is "+kind(p.node), "write topic: {type: string}")
		return nil
	}
	inputs := make(map[string]Input, len(p.node.Content)/2)
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		name := p.node.Content[i].Value
		if why := badID(name); why != "" {
			r.fail(p.key(name, p.node.Content[i]), CodeBadValue, "the input's name "+why, idHint)
		}
		inputs[name] = r.declaration(p.key(name, p.node.Content[i+1]))
	}
	return inputs
}

func (r *reader) declaration(p place) (in Input) {
	f := r.fields(p, inputFields)
	if f == nil {
		return in
	}
	if f["type"].absent() {
		r.fail(p, CodeMissingField, "the input has no type", "write type: "+strings.Join(inputTypes, ", ")+" (one of them)")
	}
	in.Type, _ = r.word(f["type"], inputTypes...)
	in.Required, _ = r.yesNo(f["required"])
	in.Description, _ = r.text(f["description"])
	if f["default"].absent() {
		return in
	}
	raw, err := compact(r.data(f["default"]))
	if err != nil {
		return in // the value is faulty, which has been said
	}
	if in.Type != "" && !isOf(raw, in.Type) {
		r.fail(f["default"], CodeBadType, fmt.Sprintf("the default is %s, not %s", kind(f["default"].node), article(in.Type)), "")
	}
	in.Default = json.RawMessage(raw)
	return in
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

const idHint = "use letters, digits, hyphen and underscore, at most 64"

// badID says why a text is no id of a step or name of an input; empty: it is one.
func badID(s string) string {
	switch {
	case s == "":
		return "is empty"
	case len([]rune(s)) > mostID:
		return "has more than " + strconv.Itoa(mostID) + " characters"
	}
	if i := strings.IndexFunc(s, func(c rune) bool { return !idRune(c) }); i >= 0 {
		return fmt.Sprintf("%s holds %q", short(s), []rune(s[i:])[0])
	}
	return ""
}

// inputOf says which input a key of a step's input stands for.
func inputOf(key string, inputs map[string]Input, written func(string) bool) (string, bool) {
	if name, ok := strings.CutPrefix(key, "inputs."); ok {
		return name, true
	}
	_, declared := inputs[key]
	return key, declared && !written(key)
}

func sortedUnique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
