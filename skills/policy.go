package skills

import (
	"slices"
	"strings"
)

// Policy says which tools may be offered to a worker, and called by it, while skills are active.
type Policy struct {
	Restricted bool     `json:"restricted"` // false: any tool
	Tools      []string `json:"tools"`      // beside those of the framework
}

// framework are the tools with which a worker looks at its skills; no skill can take them away.
var framework = []string{"skill_view", "skills_list", "skill"}

// Activated is the policy of a skill that was called by its slash name. It alone decides: what else is
// read while it runs cannot widen it. A skill that declares no tools leaves them open.
func Activated(s Skill) Policy { return Union([]Skill{s}) }

// Union is the policy while several skills are loaded: all tools that those name which name any.
func Union(loaded []Skill) Policy {
	p := Policy{Tools: []string{}}
	for _, s := range loaded {
		if s.AllowedTools != nil {
			p.Restricted = true
			p.Tools = append(p.Tools, s.AllowedTools...)
		}
	}
	return p
}

// Closed is the policy when nobody knows which skills there are: the framework's tools and no other.
func Closed() Policy { return Policy{Restricted: true, Tools: []string{}} }

// Allows says whether a tool may be used. Names are compared without case and without what stands in
// parentheses; handing work on is a tool like any other, so it has to be named.
func (p Policy) Allows(tool string) bool {
	if !p.Restricted {
		return true
	}
	name := bareTool(tool)
	return slices.Contains(framework, name) || slices.ContainsFunc(p.Tools, func(t string) bool { return bareTool(t) == name })
}

// Refused gives the first of the tools that were called that is not allowed; empty: all are.
func (p Policy) Refused(called []string) string {
	for _, tool := range called {
		if !p.Allows(tool) {
			return tool
		}
	}
	return ""
}

func bareTool(tool string) string {
	name, _, _ := strings.Cut(tool, "(")
	return strings.ToLower(strings.TrimSpace(name))
}
