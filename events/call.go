package events

import "encoding/json"

// CallOpened asks for one use of a skill or executor. Opening a failed call again (resume, retry)
// keeps its id; attempt numbers go on rising.
type CallOpened struct {
	mark
	Call    string            `json:"call"`
	Skill   string            `json:"skill,omitempty"`
	Intent  string            `json:"intent,omitempty"`
	Parent  string            `json:"parent,omitempty"`
	Queue   string            `json:"queue,omitempty"` // empty: by hand, nobody is woken
	Inputs  map[string]Value  `json:"inputs,omitempty"`
	Reads   []Read            `json:"reads,omitempty"`
	Writes  []string          `json:"writes,omitempty"`
	Run     string            `json:"run,omitempty"`
	Step    string            `json:"step,omitempty"`
	Route   string            `json:"route,omitempty"`   // the decision that chose the skill
	Execute json.RawMessage   `json:"execute,omitempty"` // how to run it: {"exec": [...]}, {"agent": {...}} …
	Env     map[string]string `json:"env,omitempty"`     // variables that the template names; secrets as references
	Limits  []string          `json:"limits,omitempty"`  // that it counts against while it runs: gpu, queue:ocr
	Timeout float64           `json:"timeout,omitempty"` // seconds an attempt may take; 0: no limit
	Cause   string            `json:"cause,omitempty"`   // why it was opened again
	Of      string            `json:"of,omitempty"`      // the call that it repeats on request
	Purpose string            `json:"purpose,omitempty"` // beside its step: probe, compensate; empty: the step itself
	Once    bool              `json:"once,omitempty"`    // an attempt that is lost is not made up for
	Child   string            `json:"child,omitempty"`   // the session of its child run, where that has one of its own
}

// CallStarted is the claim: this worker makes this attempt, under this baton.
type CallStarted struct {
	mark
	Call     string `json:"call"`
	Attempt  int    `json:"attempt"`
	Worker   string `json:"worker,omitempty"`   // "<process>.<slot>"; empty: by hand
	Baton    uint64 `json:"baton,omitempty"`    // sequence of the baton's message in the work stream
	Delivery int    `json:"delivery,omitempty"` // how often that message had been delivered
}

// CallSuspended sets a call aside, stack and context kept.
type CallSuspended struct {
	mark
	Call   string `json:"call"`
	Reason string `json:"reason,omitempty"`
}

// CallResumed brings a suspended call back to the top of the stack.
type CallResumed struct {
	mark
	Call string `json:"call"`
}

// CallClosed ends a call with a result.
type CallClosed struct {
	mark
	Call      string           `json:"call"`
	Attempt   int              `json:"attempt"`
	Status    string           `json:"status"` // ok, partial, failed, skipped
	Outputs   map[string]Value `json:"outputs,omitempty"`
	Value     Value            `json:"value,omitzero"` // the step's value
	Artifacts []string         `json:"artifacts,omitempty"`
	Note      string           `json:"note,omitempty"`
	Usage     json.RawMessage  `json:"usage,omitempty"`
	Missing   []string         `json:"missing,omitempty"` // promised writes that never came
}

// Purposes of a call that is made beside a step's own.
const (
	Probe      = "probe"      // whether the effect of a lost attempt happened
	Compensate = "compensate" // undoes a completed step
)

// CallFailed ends an attempt badly.
type CallFailed struct {
	mark
	Call    string  `json:"call"`
	Attempt int     `json:"attempt"`
	Failure Failure `json:"failure"`
	Final   bool    `json:"final"` // no further attempt follows by itself
}

// Failure says what went wrong, for people and for decisions.
type Failure struct {
	Class   string `json:"class"` // retryable, terminal, timeout, cancelled, lost, stale, unknown
	Code    string `json:"code"`
	Message string `json:"message"`
	Exit    int    `json:"exit,omitempty"`
	Status  int    `json:"status,omitempty"` // of an HTTP answer
	Tail    string `json:"tail,omitempty"`   // end of what it said on stderr
	// RetryAfter is how many seconds a service asked to be left alone; the next attempt keeps to it.
	RetryAfter float64 `json:"retry_after,omitempty"`
}

// CallLost ends an attempt whose worker is gone; it is nobody's fault.
type CallLost struct {
	mark
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker,omitempty"`
	Reason  string `json:"reason"`
	Final   bool   `json:"final"`
}

// CallCancelled ends a call that is no longer wanted.
type CallCancelled struct {
	mark
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
	Reason  string `json:"reason,omitempty"`
}
