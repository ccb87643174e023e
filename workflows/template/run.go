package template

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Executors that a step's run may name.
const (
	Exec     = "exec"     // a program, given as a list of arguments
	Agent    = "agent"    // a coding agent's command line
	Claim    = "claim"    // an outside agent or a person takes the call
	Builtin  = "builtin"  // one of Baton's own routers
	HTTP     = "http"     // a request to a web service
	MCP      = "mcp"      // a tool of an MCP server
	Approval = "approve"  // a person says yes or no
	Waiting  = "wait"     // a time or a signal
	Child    = "workflow" // another template, as a child run
	Research = "atom"     // a step of a research task, see [Atom]
)

var (
	runFields   = fieldTable{of: "run", fields: []string{Exec, Agent, Claim, Builtin, HTTP, MCP, Approval, Waiting, Child, Research}}
	claimFields = fieldTable{of: "claim", fields: []string{"queue"}}
)

// run reads how a step is executed.
func (r *reader) run(s *Step, p place) {
	if p.absent() {
		return
	}
	var action *Action
	switch p.node.Kind {
	case yaml.ScalarNode:
		action = r.runWord(s, p)
	case yaml.SequenceNode:
		r.fail(p, CodeBadType, "run is a mapping with an executor's name, this is a list", "write run: {exec: [...]}")
	default:
		action = r.executor(s, p, runFields)
	}
	if action == nil {
		return
	}
	s.Executor, s.Run, s.action = action.Executor, action.Run, action
}

// runWord reads the short forms: run: claim, run: agent, run: approve.
func (r *reader) runWord(s *Step, p place) *Action {
	switch word := p.node.Value; {
	case has(runFields.fields, word) && !r.takes(p, word):
	case word == Approval:
		s.Approve = new(Approve)
		return r.made(p, word, map[string]any{})
	case word == Agent, word == Claim:
		return r.made(p, word, map[string]any{})
	case has(runFields.fields, word):
		r.fail(p, CodeBadType, "run: "+word+" does not say what to run", "write run: {"+word+": ...}")
	default:
		r.fail(p, CodeBadType, "run is a mapping with an executor's name, this is a text", `write run: {exec: ["program", "argument"]}`)
	}
	return nil
}

// executor reads a mapping with the name of one executor; nil when it is faulty.
func (r *reader) executor(s *Step, p place, table fieldTable) *Action {
	f := r.fields(p, table)
	var names []string
	for _, name := range table.fields {
		if _, ok := f[name]; ok {
			names = append(names, name)
		}
	}
	switch {
	case len(p.node.Content) == 0:
		r.fail(p, CodeMissingField, table.of+" names no executor", "write "+strings.Join(table.fields, ", ")+" (one of them)")
		return nil
	case len(names) > 1:
		r.fail(p, CodeBadValue, fmt.Sprintf("%s names %s and %s", table.of, names[0], names[1]), "name one executor")
		return nil
	case len(names) == 0:
		return nil // an unknown or later one, which has been said
	}
	value := r.settings(s, names[0], f[names[0]])
	if value == nil {
		return nil
	}
	return r.made(p, names[0], value)
}

// settings reads what stands below an executor's name; nil when it is faulty.
func (r *reader) settings(s *Step, executor string, p place) any {
	switch executor {
	case Exec:
		return r.argv(p, Exec)
	case Claim:
		return r.claim(s, p)
	case HTTP:
		return r.http(p)
	case MCP:
		return r.mcp(p)
	case Approval:
		return r.approve(s, p)
	case Waiting:
		return r.wait(s, p)
	case Child:
		return r.child(s, p)
	case Research:
		return r.atom(s, p)
	}
	return r.named(executor, p)
}

// made gives an action in its canonical form.
func (r *reader) made(p place, executor string, value any) *Action {
	if r.known.Executors != nil && !slices.Contains(r.known.Executors, executor) {
		r.fail(p, CodeBadValue, "there is no executor "+short(executor)+" here", didYouMean(executor, r.known.Executors))
	}
	raw, err := compact(map[string]any{executor: value})
	if err != nil {
		r.fail(p, CodeBadValue, "this cannot be written as JSON", "")
	}
	return &Action{Executor: executor, Run: json.RawMessage(raw), value: value, programs: r.programs}
}

// argv reads a program and its arguments; nil when they are faulty.
func (r *reader) argv(p place, what string) any {
	if p.node.Kind != yaml.SequenceNode {
		r.fail(p, CodeBadType, what+" is a list of the program and its arguments, this is "+kind(p.node),
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
		r.fail(p, CodeMissingField, what+" names no program", `write ["program", "argument"]`)
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
