package template

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Executors that a step's run may name.
const (
	Exec    = "exec"    // a program, given as a list of arguments
	Agent   = "agent"   // a coding agent's command line
	Claim   = "claim"   // an outside agent or a person takes the call
	Builtin = "builtin" // one of Baton's own routers
)

var (
	runFields = fieldTable{
		of:    "run",
		now:   []string{Exec, Agent, Claim, Builtin},
		later: []string{"http", "mcp", "approve", "wait", "workflow"},
	}
	claimFields = fieldTable{of: "claim", now: []string{"queue"}}
)

// run reads how a step is executed into its canonical form: an object with one key.
func (r *reader) run(s *Step, p place) {
	if p.absent() {
		return
	}
	var value any
	switch p.node.Kind {
	case yaml.ScalarNode:
		value = r.runWord(s, p)
	case yaml.SequenceNode:
		r.fail(p, CodeBadType, "run is a mapping with an executor's name, this is a list", "write run: {exec: [...]}")
	default:
		value = r.runMapping(s, p)
	}
	if value == nil {
		s.Executor = ""
		return
	}
	if r.known.Executors != nil && !slices.Contains(r.known.Executors, s.Executor) {
		r.fail(p, CodeBadValue, "there is no executor "+short(s.Executor)+" here", didYouMean(s.Executor, r.known.Executors))
	}
	s.run = map[string]any{s.Executor: value}
	raw, err := compact(s.run)
	if err != nil {
		r.fail(p, CodeBadValue, "this cannot be written as JSON", "")
	}
	s.Run = raw
}

// runWord reads the short forms: run: claim, run: agent.
func (r *reader) runWord(s *Step, p place) any {
	switch word := p.node.Value; word {
	case Agent, Claim:
		s.Executor = word
		return map[string]any{}
	case Exec, Builtin:
		r.fail(p, CodeBadType, "run: "+word+" does not say what to run", "write run: {"+word+": ...}")
	default:
		if slices.Contains(runFields.later, word) {
			r.notYet(p, "run: "+word)
			return nil
		}
		r.fail(p, CodeBadType, "run is a mapping with an executor's name, this is a text", `write run: {exec: ["program", "argument"]}`)
	}
	return nil
}

func (r *reader) runMapping(s *Step, p place) any {
	f := r.fields(p, runFields)
	var names []string
	for _, name := range runFields.now {
		if _, ok := f[name]; ok {
			names = append(names, name)
		}
	}
	switch {
	case len(p.node.Content) == 0:
		r.fail(p, CodeMissingField, "run names no executor", "write exec, agent, claim or builtin")
		return nil
	case len(names) > 1:
		r.fail(p, CodeBadValue, fmt.Sprintf("run names %s and %s", names[0], names[1]), "name one executor a step")
		return nil
	case len(names) == 0:
		return nil // an unknown or later one, which has been said
	}
	s.Executor = names[0]
	at := f[names[0]]
	switch s.Executor {
	case Exec:
		return r.argv(at)
	case Claim:
		return r.claim(s, at)
	}
	return r.named(s.Executor, at)
}

func (r *reader) argv(p place) any {
	if p.node.Kind != yaml.SequenceNode {
		r.fail(p, CodeBadType, "exec is a list of the program and its arguments, this is "+kind(p.node),
			`write ["program", "argument"]; for a shell ["sh", "-c", "..."]`)
		return nil
	}
	argv, faults := make([]any, 0, len(p.node.Content)), len(r.faults)
	for i, n := range p.node.Content {
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			r.fail(p.item(i, n), CodeBadType, "an argument is a text, this is "+kind(n), "quote it")
		}
		argv = append(argv, n.Value)
	}
	if len(argv) == 0 || argv[0] == "" && len(r.faults) == faults {
		r.fail(p, CodeMissingField, "exec names no program", `write ["program", "argument"]`)
	}
	if len(r.faults) > faults {
		return nil
	}
	return argv
}

func (r *reader) claim(s *Step, p place) any {
	if p.absent() {
		return map[string]any{}
	}
	f := r.fields(p, claimFields)
	if f == nil {
		return nil
	}
	r.queue(s, f["queue"])
	if s.Queue == "" {
		return map[string]any{}
	}
	return map[string]any{"queue": s.Queue}
}

// named reads agent and builtin: a name, or a mapping that holds one beside what else the executor takes.
func (r *reader) named(executor string, p place) any {
	var settings map[string]any
	at := p
	switch {
	case p.absent():
		settings = map[string]any{}
	case p.node.Kind == yaml.ScalarNode:
		settings = map[string]any{"name": p.node.Value}
	case p.node.Kind == yaml.MappingNode:
		settings = r.data(p).(map[string]any)
		for i := 0; i+1 < len(p.node.Content); i += 2 {
			if p.node.Content[i].Value == "name" {
				at = p.key("name", p.node.Content[i+1])
			}
		}
	default:
		r.fail(p, CodeBadType, executor+" is a name or a mapping, this is "+kind(p.node), "")
		return nil
	}
	name, isText := settings["name"].(string)
	switch {
	case settings["name"] != nil && (!isText || name == ""):
		r.fail(at, CodeBadType, "the name must be a text", "")
		return nil
	case executor == Builtin && !isText:
		r.fail(p, CodeMissingField, "builtin names nothing to run", didYouMean("", r.known.Builtins))
		return nil
	case executor == Builtin && r.known.Builtins != nil && !slices.Contains(r.known.Builtins, name):
		r.fail(at, CodeBadValue, "there is no builtin "+short(name), didYouMean(name, r.known.Builtins))
		return nil
	}
	return settings
}
