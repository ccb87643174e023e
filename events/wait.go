package events

import "encoding/json"

// ApprovalAsked asks a person about one exact action. Action is the SHA-256 of Params: an answer is
// for these parameters and no others.
type ApprovalAsked struct {
	mark
	Approval  string          `json:"approval"`
	Run       string          `json:"run"`
	Step      string          `json:"step"`
	Call      string          `json:"call"`
	Question  string          `json:"question"`
	Params    json.RawMessage `json:"params,omitempty"` // what will be done: executor, settings, inputs
	Action    string          `json:"action"`
	ExpiresIn float64         `json:"expires_in,omitempty"` // seconds; silence is a no
	About     string          `json:"about,omitempty"`      // what made it necessary: unknown, budget; empty: the step says so
}

// What can make a question necessary that no step asks.
const (
	AboutUnknown = "unknown" // an at-most-once attempt never reported
	AboutBudget  = "budget"  // the run has used up what it may
)

// ApprovalAnswered is the first answer; there is no second.
type ApprovalAnswered struct {
	mark
	Approval string `json:"approval"`
	Yes      bool   `json:"yes"`
	By       string `json:"by"`
	Note     string `json:"note,omitempty"`
}

// SignalReceived is a message to a run. One that comes before anybody waits for it is kept.
type SignalReceived struct {
	mark
	Run    string `json:"run"`
	Signal string `json:"signal"`
	Value  Value  `json:"value"`
	By     string `json:"by,omitempty"`
}
