package template

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Where a child run lives.
const (
	Inside = "inside" // in the session of the run that started it
	Own    = "own"    // in a session of its own
)

// Workflow starts another template as a child run. One of Name and Path is given.
type Workflow struct {
	Name    string // looked up as the command line does
	Path    string // relative to the template's folder
	Session string // Inside or Own
}

var (
	childFields = fieldTable{of: "workflow", fields: []string{"name", "path", "inputs", "session"}}
	mcpFields   = fieldTable{of: "mcp", fields: []string{"server", "command", "tool", "arguments"}}
)

// child reads workflow. What is started is known before anything starts, so it is no expression.
func (r *reader) child(s *Step, p place) any {
	w, settings := &Workflow{Session: Inside}, map[string]any{}
	f := map[string]place{"name": p}
	if p.node.Kind != yaml.ScalarNode {
		if f = r.fields(p, childFields); f == nil || !r.oneOf(p, f, childHint, "name", "path") {
			return nil
		}
	}
	if session, ok := r.word(f["session"], Inside, Own); ok && (session != Own || r.takes(f["session"], "session: own")) {
		w.Session = session
	}
	settings["session"] = w.Session
	if inputs, ok := r.mapping(f["inputs"], "inputs"); ok {
		settings["inputs"] = inputs
	}
	if at := f["path"]; !at.absent() {
		w.Path = r.started(p, at)
		settings["path"] = w.Path
	} else {
		w.Name = r.started(p, f["name"])
		settings["name"] = w.Name
	}
	s.Workflow = w
	return settings
}

const childHint = "write {name: NAME} or {path: FILE}"

// started reads which template is started.
func (r *reader) started(p, at place) string {
	text, ok := r.must(p, at, mostSource, "workflow names no template", childHint)
	if ok && strings.Contains(text, "${") {
		r.fail(at, CodeBadValue, "which template is started must be known before the run starts", "write the name out, and use when to choose")
	}
	return text
}

// mapping reads a mapping from names to any values.
func (r *reader) mapping(p place, what string) (map[string]any, bool) {
	if p.absent() {
		return nil, false
	}
	if p.node.Kind != yaml.MappingNode {
		r.fail(p, CodeBadType, what+" is a mapping from names to values, this is "+kind(p.node), "write name: value")
		return nil, false
	}
	m, ok := r.data(p).(map[string]any)
	return m, ok
}

// mcp reads a tool of a server that the configuration names or a command starts.
func (r *reader) mcp(p place) any {
	const hint = "write {server: NAME, tool: NAME} or {command: [program], tool: NAME}"
	f := r.fields(p, mcpFields)
	if f == nil || !r.oneOf(p, f, hint, "server", "command") {
		return nil
	}
	settings := map[string]any{}
	if server := f["server"]; !server.absent() {
		settings["server"], _ = r.must(p, server, mostName, "mcp names no server", hint)
	}
	if command := f["command"]; !command.absent() {
		settings["command"] = r.argv(command, "command")
	}
	settings["tool"], _ = r.must(p, f["tool"], mostName, "mcp names no tool", hint)
	if arguments, ok := r.mapping(f["arguments"], "arguments"); ok {
		settings["arguments"] = arguments
	}
	return settings
}
