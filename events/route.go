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
	Rules      string          `json:"rules,omitempty"`     // SHA-256 of lexicon, vocabulary, sentinel's rules and version, in the payload store
	Run        string          `json:"run,omitempty"`
	Step       string          `json:"step,omitempty"`
	Lessons    []Lesson        `json:"lessons,omitempty"` // feedback that bore on it
	Router     string          `json:"router,omitempty"`  // source, web or task; empty: the skill router
	Input      Value           `json:"input,omitzero"`    // what another router was asked
	Answer     Value           `json:"answer,omitzero"`   // what it decided
	Judge      Judged          `json:"judge,omitzero"`    // what a judge outside said, where one was asked
}

// Judged is what a judge outside said of a decision. It is an input of the decision: taken as it stands
// when the decision is made again.
type Judged struct {
	By     string `json:"by"`
	Chosen string `json:"chosen,omitempty"`
	Why    string `json:"why,omitempty"`
	Error  string `json:"error,omitempty"` // why it chose none
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

// StepJudged says what the router of a run took the end of a step for; what follows rests on it.
type StepJudged struct {
	mark
	Run     string          `json:"run"`
	Step    string          `json:"step"`
	Call    string          `json:"call"`
	Outcome json.RawMessage `json:"outcome,omitempty"` // in the router's own form
}

// SearchDowngraded is one step of a query down the chain of providers, or off its end.
type SearchDowngraded struct {
	mark
	Run           string          `json:"run"`
	FromLevel     int             `json:"from_level"`
	ToLevel       json.RawMessage `json:"to_level,omitempty"` // a number; null: there is none
	Reason        string          `json:"reason"`
	Timestamp     string          `json:"timestamp"` // RFC 3339, UTC, whole seconds: the end of the attempt
	QueryAffected string          `json:"query_affected"`
}

// WebAdvanced is what the web router did, in its own words: calls, retries, switches, confirmations.
type WebAdvanced struct {
	mark
	Run   string          `json:"run"`
	Trace json.RawMessage `json:"trace,omitempty"` // list of what happened
	Notes json.RawMessage `json:"notes,omitempty"` // list of what the user is told
}
