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
	s.Inputs, _ = r.mapping(f["inputs"], "inputs")
	before := scope{at: at, mentions: map[string]bool{}}
	if when, ok := r.text(f["when"]); ok {
		s.When = strings.TrimSpace(when)
		r.compile(before, f["when"], use{s.When, condition})
	}
	if s.Foreach != nil {
		r.compile(before, f["foreach"], use{s.Foreach.Items, list})
	}
	each := before
	if s.Foreach != nil {
		each.mentions = map[string]bool{}
	}
	_, each.item = at.step.below("foreach")
	for _, name := range []string{"intent", "inputs", "confirm"} {
		if p, ok := f[name]; ok {
			r.interpolations(each, p)
		}
	}
	r.actionExpressions(each, f["run"])
	r.actionMentions(s.Probe, each, f["unknown"])
	with := each
	with.references = true
	if p, ok := f["env"]; ok {
		r.interpolations(with, p)
	}
	s.itemMentions = keysOf(each.mentions)
	maps.Copy(before.mentions, each.mentions)
	s.Mentions = keysOf(before.mentions)
	each.mentions, each.after = map[string]bool{}, true
	r.actionMentions(s.Compensate, each, f["compensate"])
}

// actionMentions compiles what an action beside the step's own says, and notes what it reads.
func (r *reader) actionMentions(a *Action, sc scope, p place) {
	all := sc.mentions
	sc.mentions = map[string]bool{}
	if r.actionExpressions(sc, p); a != nil {
		a.Mentions = keysOf(sc.mentions)
	}
	maps.Copy(all, sc.mentions)
}

// actionExpressions compiles the expressions below an executor's name.
func (r *reader) actionExpressions(sc scope, p place) {
	if p.node == nil {
		return
	}
	if http, ok := p.below(HTTP); ok && http.node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(http.node.Content); i += 2 {
			name := http.node.Content[i].Value
			sc.references = name == "headers"
			r.interpolations(sc, http.key(name, http.node.Content[i+1]))
		}
		return
	}
	r.interpolations(sc, p)
}

// scope is what expressions may read where they stand, and where that is noted.
type scope struct {
	at         *stepPlaces
	mentions   map[string]bool
	item       bool // item and index are there
	references bool // ${env:…} and ${file:…} may stand here
	after      bool // they are read once the step itself has completed
}

// interpolations compiles every ${…} of the texts in a value.
func (r *reader) interpolations(sc scope, p place) {
	n := p.node
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			r.interpolations(sc, p.item(i, item))
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.interpolations(sc, p.key(n.Content[i].Value, n.Content[i+1]))
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
			if _, _, ok := reference(part.text); part.inside && ok {
				r.reference(sc, p, part.text)
			} else if part.inside {
				r.compile(sc, p, use{source: part.text})
			}
		}
	}
}

// compile keeps a compiled expression and notes what it reads.
func (r *reader) compile(sc scope, p place, u use) {
	compiled, err := r.programs.get(u)
	if err != nil {
		r.fail(p, CodeBadExpression, err.Error()+" in "+short(u.source), expressionHint(err, r.inputs))
		return
	}
	r.programs[u] = compiled
	if compiled.item != "" && !sc.item {
		r.fail(p, CodeBadExpression, compiled.item+" is not there", "write foreach: in the step; when and foreach themselves come before the items")
	}
	for _, name := range compiled.inputs {
		if _, ok := r.inputs[name]; !ok {
			r.fail(p, CodeBadExpression, fmt.Sprintf("the template has no input %s", short(name)), r.inputHint(name))
		}
	}
	for _, key := range keysOf(compiled.keys) {
		sc.mentions[key] = true
		sc.at.reads = append(sc.at.reads, reading{key, p, true, compiled.keys[key], sc.after})
	}
}

func (r *reader) inputHint(name string) string {
	names := slices.Sorted(maps.Keys(r.inputs))
	if len(names) == 0 {
		return "declare it: inputs: {" + name + ": {type: string}}"
	}
	return r.didYouMean(name, names)
}
