package task

import (
	"encoding/json"
	"slices"
	"strings"
)

// Evidence is what is known of how a child went about its work.
type Evidence struct {
	Output    json.RawMessage // its answer; tool_trace in it lists the tools that it called
	Scripts   []string        // what a call of a proven script names: a program, a skill, its folder
	Succeeded bool
	Seconds   float64 // from start to end
	Limit     float64 // seconds; 0: none
}

// Check says whether a child did its work as children should.
type Check struct {
	SkillLoaded  bool     `json:"skill_loaded"`
	ScriptCalled bool     `json:"script_called"` // a proven script ran instead of one of its own making
	Succeeded    bool     `json:"succeeded"`
	InTime       bool     `json:"in_time"`
	Warnings     []string `json:"warnings"`
}

// Warnings of a check: the work counts all the same.
const (
	WarnNoSkill  = "W_NO_SKILL_LOADED"
	WarnNoScript = "W_NO_PROVEN_SCRIPT"
)

// ByProgram is the check of work that Baton ran itself: the skill's own program, and nothing else.
func ByProgram(succeeded bool, seconds, limit float64) Check {
	return Check{SkillLoaded: true, ScriptCalled: true, Succeeded: succeeded, InTime: inTime(seconds, limit), Warnings: []string{}}
}

func inTime(seconds, limit float64) bool { return limit <= 0 || seconds <= limit }

// CheckChild looks at the tools that a child called. One that says nothing of them has shown nothing.
func CheckChild(e Evidence) Check {
	c := Check{Succeeded: e.Succeeded, InTime: inTime(e.Seconds, e.Limit), Warnings: []string{}}
	for _, call := range toolTrace(e.Output) {
		switch {
		case slices.Contains(viewers, call.name()):
			c.SkillLoaded = true
		case slices.Contains(shells, call.name()):
			text := call.text()
			c.ScriptCalled = c.ScriptCalled || slices.ContainsFunc(e.Scripts, func(script string) bool {
				return script != "" && strings.Contains(text, script)
			})
		}
	}
	if !c.SkillLoaded {
		c.Warnings = append(c.Warnings, WarnNoSkill)
	}
	if !c.ScriptCalled {
		c.Warnings = append(c.Warnings, WarnNoScript)
	}
	return c
}

// The names that agents give to the tools that load a skill and that run a command.
var (
	viewers = []string{"skill_view", "skill", "load_skill", "activate_skill"}
	shells  = []string{"terminal", "bash", "shell", "exec", "run_command", "execute"}
)

// toolCall is one entry of a tool trace, whatever its agent calls the fields.
type toolCall map[string]json.RawMessage

func (c toolCall) name() string {
	for _, field := range []string{"tool", "name", "tool_name"} {
		var name string
		if json.Unmarshal(c[field], &name) == nil && name != "" {
			return strings.ToLower(name)
		}
	}
	return ""
}

// text is everything else that the entry says.
func (c toolCall) text() string {
	var b strings.Builder
	for _, field := range []string{"args", "arguments", "input", "command"} {
		var text string
		if json.Unmarshal(c[field], &text) != nil {
			text = string(c[field])
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// Tools names the tools that an answer says it called, in order.
func Tools(output json.RawMessage) []string {
	var names []string
	for _, call := range toolTrace(output) {
		if name := call.name(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// toolTrace finds the tools that an answer says it called; an entry may be just a name.
func toolTrace(output json.RawMessage) []toolCall {
	var answer struct {
		Trace []json.RawMessage `json:"tool_trace"`
	}
	if json.Unmarshal(output, &answer) != nil {
		return nil
	}
	var calls []toolCall
	for _, raw := range answer.Trace {
		var call toolCall
		if json.Unmarshal(raw, &call) != nil {
			call = toolCall{"tool": raw}
		}
		calls = append(calls, call)
	}
	return calls
}
