package events

import "encoding/json"

// GoalSet gives a session a condition that its runs are to meet; one set before no longer counts.
type GoalSet struct {
	mark
	Condition string          `json:"condition"`
	By        string          `json:"by,omitempty"`
	Evaluator json.RawMessage `json:"evaluator,omitempty"` // who judges after each run: {"exec": [...]}, {"agent": {...}}; none: a person
}

// GoalCleared takes the condition back.
type GoalCleared struct {
	mark
	By string `json:"by,omitempty"`
}

// GoalEvaluated says what was found of the condition after a run, and whether another run follows.
type GoalEvaluated struct {
	mark
	Run      string `json:"run"`
	Outcome  string `json:"outcome"` // satisfied, or what stands in the way
	Evidence string `json:"evidence"`
	By       string `json:"by,omitempty"`
	Continue bool   `json:"continue"`
	Reason   string `json:"reason"` // why it goes on or stops
}
