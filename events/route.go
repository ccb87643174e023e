package events

import "encoding/json"

// RouteDecided records what a router decided, and everything the decision rested on. The skill router
// says which skill serves a task. Another one is named in Router and gives its whole decision as Answer
// to Input; Decision, Reason and Chosen are then its gist, and Index stands for its tables.
type RouteDecided struct {
	mark
	Route      string          `json:"route"`
	Task       string          `json:"task"`
	Mode       string          `json:"mode"`
	Threshold  float64         `json:"threshold"`
	Margin     float64         `json:"margin"`
	Top        int             `json:"top"`
	Exclude    []string        `json:"exclude,omitempty"`
	Parallel   bool            `json:"parallel,omitempty"`
	Guard      bool            `json:"guard,omitempty"`
	Decision   string          `json:"decision"` // auto, confirm, decompose, no_match, blocked
	Reason     string          `json:"reason"`
	Chosen     string          `json:"chosen,omitempty"`
	Candidates []Candidate     `json:"candidates,omitempty"`
	Intent     json.RawMessage `json:"intent,omitempty"`
	Plan       json.RawMessage `json:"plan,omitempty"`   // with decompose: the sub-tasks
	Groups     [][]string      `json:"groups,omitempty"` // layers of the plan that can run side by side
	Hint       string          `json:"hint,omitempty"`
	Lacking    []string        `json:"lacking,omitempty"` // what was missing for auto
	Warnings   []string        `json:"warnings,omitempty"`
	HighRisk   string          `json:"high_risk,omitempty"` // the word that makes it so
	Index      string          `json:"index"`               // SHA-256 of the skill index or tables used, in the payload store
	Run        string          `json:"run,omitempty"`
	Step       string          `json:"step,omitempty"`
	Lessons    []Lesson        `json:"lessons,omitempty"` // feedback that bore on it
	Router     string          `json:"router,omitempty"`  // source, web or task; empty: the skill router
	Input      Value           `json:"input,omitzero"`    // what another router was asked
	Answer     Value           `json:"answer,omitzero"`   // what it decided
}

// Candidate is one skill that was weighed.
type Candidate struct {
	Name        string   `json:"name"`
	Tier        string   `json:"tier"`
	Score       float64  `json:"score"`
	Path        string   `json:"path"`
	Description string   `json:"description"`
	Why         []string `json:"why"`
}

// RouteBlocked records a task that the sentinel refused.
type RouteBlocked struct {
	mark
	Route      string `json:"route"`
	Task       string `json:"task"`
	Reason     string `json:"reason"`
	Matched    string `json:"matched,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
	Mode       string `json:"mode,omitempty"`
}

// SkillsScanned says that the index of installed skills changed.
type SkillsScanned struct {
	mark
	Index     string `json:"index"` // SHA-256 of the index
	Count     int    `json:"count"`
	Workspace string `json:"workspace,omitempty"` // from where it was looked
	Path      string `json:"path,omitempty"`      // BATON_SKILLS_PATH there
}
