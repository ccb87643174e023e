package events

// RunStarted starts a template inside a session. Text is the whole template as written, and Templates
// those of the runs that its steps start, so that a run never depends on a file that may change. A
// child run names the one of them that it executes. With Router it is a run whose steps that router
// decides, and Text is what the router goes by.
type RunStarted struct {
	mark
	Run       string            `json:"run"`
	Name      string            `json:"name"`
	Text      string            `json:"text,omitempty"`
	SHA256    string            `json:"sha256"`
	Inputs    map[string]Value  `json:"inputs,omitempty"`
	Workspace string            `json:"workspace"`
	Folder    string            `json:"folder"`              // the template's folder; relative paths start here
	Path      string            `json:"path,omitempty"`      // where the template was read, for resume
	Env       map[string]string `json:"env,omitempty"`       // allow-listed, as it was where it was typed
	Templates map[string]Source `json:"templates,omitempty"` // by what a step names: a name, or an absolute path
	Parent    string            `json:"parent,omitempty"`    // the call that it is the child run of
	Source    string            `json:"source,omitempty"`    // with a parent: which of the first run's templates
	Router    string            `json:"router,omitempty"`    // source or web
	Caller    Caller            `json:"caller,omitzero"`     // with a session of its own: for whom it is the child run
}

// Caller is the attempt of a call in another session that a run is carried out for.
type Caller struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
}

// Source is the text of a template that a step starts, and where it was found.
type Source struct {
	Text   string `json:"text"`
	Folder string `json:"folder"`
	Path   string `json:"path"`
}

// StepSkipped says that a step is not run: its condition was false.
type StepSkipped struct {
	mark
	Run    string `json:"run"`
	Step   string `json:"step"`
	Reason string `json:"reason"`
}

// StepFailed says that a step is given up without a call: its condition or its route failed.
type StepFailed struct {
	mark
	Run     string  `json:"run"`
	Step    string  `json:"step"`
	Failure Failure `json:"failure"`
}

// StepResolved says what becomes of a step that had failed for good. A run that ended with it goes on,
// unless the step is only given up.
type StepResolved struct {
	mark
	Run    string `json:"run"`
	Step   string `json:"step"`
	Action string `json:"action"` // retry, skip, fail
	By     string `json:"by,omitempty"`
	Note   string `json:"note,omitempty"`
}

// What can become of a dead letter.
const (
	Retry = "retry" // its call is opened again
	Skip  = "skip"  // those who need it go on without
	Fail  = "fail"  // it stays failed and is no longer listed
)

// ItemsListed begins a step that goes through a list: one call for each item. The list is kept once.
type ItemsListed struct {
	mark
	Run   string `json:"run"`
	Step  string `json:"step"`
	Items Value  `json:"items"`
	Count int    `json:"count"`
}

// StepJoined ends a step that went through a list.
type StepJoined struct {
	mark
	Run    string `json:"run"`
	Step   string `json:"step"`
	Done   int    `json:"done"`
	Failed int    `json:"failed"`
	Value  Value  `json:"value"`
}

// RunCompleted ends a run well.
type RunCompleted struct {
	mark
	Run string `json:"run"`
}

// RunFailed ends a run that cannot go on by itself.
type RunFailed struct {
	mark
	Run    string   `json:"run"`
	Steps  []string `json:"steps"` // the steps that failed
	Reason string   `json:"reason"`
}

// RunCancelled ends a run on request.
type RunCancelled struct {
	mark
	Run    string `json:"run"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// RunResumed takes a failed run up again: failed steps are opened anew.
type RunResumed struct {
	mark
	Run    string   `json:"run"`
	By     string   `json:"by,omitempty"`
	Policy string   `json:"policy,omitempty"` // pin, accept; empty: the template is unchanged
	Text   string   `json:"text,omitempty"`   // with accept: the new template
	SHA256 string   `json:"sha256,omitempty"`
	Redo   []string `json:"redo,omitempty"`  // finished steps to run again
	Stale  []string `json:"stale,omitempty"` // finished steps whose text changed and that are kept
	// Caller is for whom a child run with a session of its own goes on; empty where a person resumed it:
	// then it is no longer anybody's child.
	Caller Caller `json:"caller,omitzero"`
}

// TimerSet asks to be woken; the alarm clock is only a reminder of this fact.
type TimerSet struct {
	mark
	Timer string `json:"timer"`
	Kind  string `json:"kind"` // backoff, wait, expiry
	At    string `json:"at"`   // RFC 3339 with nanoseconds, UTC
	Run   string `json:"run,omitempty"`
	Call  string `json:"call,omitempty"`
}

// TimerFired says that the time has come.
type TimerFired struct {
	mark
	Timer string `json:"timer"`
}

// TimerVoided says that the timer is no longer wanted.
type TimerVoided struct {
	mark
	Timer  string `json:"timer"`
	Reason string `json:"reason,omitempty"`
}
