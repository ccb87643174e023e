package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// expressions reads the fields of a step that may hold expressions, and compiles those.
func (r *reader) expressions(s *Step, at *stepPlaces, f map[string]place) {
	if inputs, ok := f["inputs"]; ok && !inputs.absent() {
		if m, ok := r.data(inputs).(map[string]any); ok {
			s.Inputs = m
		} else {
			r.fail(inputs, CodeBadType, "inputs is a mapping from names to values, this is "+kind(inputs.node), "write query: text")
		}
	}
	mentions := map[string]bool{}
	if when, ok := r.text(f["when"]); ok {
		s.When = strings.TrimSpace(when)
		r.compile(at, f["when"], use{s.When, true}, mentions)
	}
	for _, name := range []string{"intent", "inputs", "run"} {
		if p, ok := f[name]; ok {
			r.interpolations(at, p, mentions)
		}
	}
	s.Mentions = keysOf(mentions)
}

// interpolations compiles every ${…} of the texts in a value.
func (r *reader) interpolations(at *stepPlaces, p place, mentions map[string]bool) {
	n := p.node
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			r.interpolations(at, p.item(i, item), mentions)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.interpolations(at, p.key(n.Content[i].Value, n.Content[i+1]), mentions)
		}
	case yaml.ScalarNode:
		if !strings.Contains(n.Value, "${") {
			return
		}
		parts, err := split(n.Value)
		if err != nil {
			r.fail(p, CodeBadExpression, err.Error(), "close it with }; for a literal ${ write $${")
			return
		}
		for _, part := range parts {
			if part.expression {
				r.compile(at, p, use{source: part.text}, mentions)
			}
		}
	}
}

// compile keeps a compiled expression and notes what it reads.
func (r *reader) compile(at *stepPlaces, p place, u use, mentions map[string]bool) {
	compiled, err := r.programs.get(u)
	if err != nil {
		r.fail(p, CodeBadExpression, err.Error()+" in "+short(u.source), expressionHint(err, r.inputs))
		return
	}
	r.programs[u] = compiled
	for _, name := range compiled.inputs {
		if _, ok := r.inputs[name]; !ok {
			r.fail(p, CodeBadExpression, fmt.Sprintf("the template has no input %s", short(name)), r.inputHint(name))
		}
	}
	for _, key := range keysOf(compiled.keys) {
		mentions[key] = true
		at.reads = append(at.reads, reading{key, p, true, compiled.keys[key]})
	}
}

func (r *reader) inputHint(name string) string {
	names := slices.Sorted(maps.Keys(r.inputs))
	if len(names) == 0 {
		return "declare it: inputs: {" + name + ": {type: string}}"
	}
	return r.didYouMean(name, names)
}
