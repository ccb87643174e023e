package template

// senseless lists, by executor, the fields that say nothing in a step that it executes.
var senseless = map[string][]string{
	Approval: {"skill", "queue", "retry", "timeout", "terminal_exits", "effects", "unknown", "confirm", "compensate", "limit", "env", "sandbox"},
	Waiting:  {"skill", "queue", "retry", "timeout", "terminal_exits", "effects", "unknown", "confirm", "compensate", "limit", "env", "sandbox"},
	Child:    {"skill", "queue", "terminal_exits", "effects", "unknown", "limit", "env", "sandbox"},
	Research: {"skill", "foreach"},
	HTTP:     {"skill", "terminal_exits", "sandbox"},
	Claim:    {"sandbox"},
	Builtin:  {"sandbox"},
	MCP:      {"skill", "terminal_exits"},
}

// instead says what to write in the place of a field that says nothing.
var instead = map[string]map[string]string{
	Approval: {"timeout": "write expires in approve", "confirm": "approve asks already"},
	Waiting:  {"timeout": "write expires beside signal"},
	Child:    {"limit": "write it in the steps of the other template", "env": "write it in the other template", "sandbox": "write it in the other template"},
}

// contradictions reports fields that do not go with what executes the step.
func (r *reader) contradictions(s *Step, f map[string]place) {
	for _, name := range senseless[s.Executor] {
		at, ok := f[name]
		if !ok || at.absent() {
			continue
		}
		hint := instead[s.Executor][name]
		if hint == "" {
			hint = "leave it out"
		}
		r.fail(at, CodeContradiction, name+" says nothing in a step with run: "+s.Executor, hint)
	}
}

// unattended takes from a step that nothing executes what all steps have.
func unattended(s *Step) {
	switch s.Executor {
	case Approval, Waiting:
		s.Retry, s.Timeout, s.Env, s.Sandbox = once, 0, nil, nil
	case Child:
		s.Env, s.Sandbox = nil, nil
	case HTTP, Claim, Builtin:
		s.Sandbox = nil
	}
}
