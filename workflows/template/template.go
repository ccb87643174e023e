// Package template reads a workflow as somebody wrote it and says whether it can be run.
//
// It exists so that nothing invalid ever starts: [Parse] gives either a template whose steps,
// dependencies, expressions and durations have all been checked, or every fault it found, each with
// its line, its column and what to do. A parsed template is immutable and may be used by many
// goroutines at once; evaluating a condition or filling in a step's values compiles nothing.
//
// Promises: the same text gives the same template and the same faults anywhere. An expression reads
// only the run's inputs, the context and the current item; it knows no clock, no random numbers, no
// time zone and no order of map keys, and what it may cost is bounded, so that a decision made from it
// can be made again years later. The package is pure: bytes in, values out.
package template

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

const (
	// MaxBytes is the largest template text that is read.
	MaxBytes = 1 << 20
	// MaxSteps is the largest number of steps of one template.
	MaxSteps = 10_000
	// MaxDepth is how deep mappings and lists may stand in each other.
	MaxDepth = 64
	// MaxDependencies bounds what a dataflow template derives from who writes what others read.
	MaxDependencies = 200_000
)

// Orders of a template.
const (
	Sequential = "sequential" // a step that says no needs of its own needs the step before it
	Dataflow   = "dataflow"   // a step needs its needs and the writers of what it reads
)

// What a run does when a step has failed for good.
const (
	Stop       = "stop"       // nothing new starts
	Continue   = "continue"   // what does not need the failed step goes on
	Compensate = "compensate" // nothing new starts, and what has completed is undone, the last first
)

// Template is a workflow as written, checked. Read only.
type Template struct {
	Name        string // may be empty: the caller then names it after its file
	Description string
	Order       string // Sequential or Dataflow
	Inputs      map[string]Input
	Limits      Limits
	Steps       []Step // in the order of the text
	OnFailure   string // Stop, Continue, Compensate or the id of a step, see Handler

	byID map[string]int
}

// Input is one typed value that a run is started with.
type Input struct {
	Type        string // string, number, integer, boolean, object, array
	Required    bool
	Default     json.RawMessage // nil: none
	Description string
}

// Step is one node of a template; when it runs it is a call. Read only.
type Step struct {
	ID      string
	Index   int    // position in Template.Steps
	Skill   string // may be empty
	Intent  string // may hold ${…}
	Inputs  map[string]any
	Input   []string // keys read, as written; a key may name a template input, see Template.InputOf
	Output  string   // context key written; empty: none
	When    string   // condition; empty: always
	Queue   string   // empty: by executor
	Retry   Retry
	Timeout time.Duration // of one attempt; 0: no limit
	Limit   []string      // named limits it counts against, sorted

	Effects string  // AtLeastOnce or AtMostOnce
	Unknown string  // of AtMostOnce: AskUnknown, RetryUnknown or ProbeUnknown; else empty
	Probe   *Action // of ProbeUnknown; else nil

	Foreach    *Foreach // nil: one call
	Optional   bool     // what needs the step goes on without it when it has failed
	Confirm    *Approve // asked before the step's own action starts; nil: it just starts
	Compensate *Action  // undoes the step once it has completed; nil: nothing does
	// Env are variables for the executor, the template's and over them the step's own, as written:
	// see Environment.
	Env map[string]string
	// Sandbox bounds the step's program; nil: as the worker is set.
	Sandbox *Sandbox
	// AfterFailure says that the step is no part of the normal flow: it is the template's Handler.
	AfterFailure bool

	// Executor is the word of run (see [Exec]); empty: by skill, else by routing the intent.
	Executor string
	// Run is the canonical object with the executor's name as its only key, values may hold ${…};
	// nil when Executor is empty.
	Run json.RawMessage
	// TerminalExits are exit statuses of exec after which a retry is pointless.
	TerminalExits []int

	Approve  *Approve  // of run: approve; else nil
	Wait     *Wait     // of run: wait; else nil
	Workflow *Workflow // of run: workflow; else nil
	Atom     *Atom     // of run: atom; else nil

	// Needs are the positions of the steps that must have completed or been skipped before this one
	// may start, ascending: the needs that are written and those that follow from the order.
	Needs []int
	// Reads are all context keys that the step reads, sorted: those of Input and those of Mentions.
	Reads []string
	// ItemReads are those that the call of one item reads: not what only the list or when reads.
	ItemReads []string
	// Mentions are the context keys that its expressions name, sorted.
	Mentions []string

	itemMentions []string

	explicit []string // needs as written
	given    bool     // whether needs is written at all
	action   *Action  // Run
	programs programs
}

// Retry says how often and how far apart a step is tried.
type Retry struct {
	Attempts int           // all tries together, from 1
	Backoff  time.Duration // before the second try
	Factor   float64       // by which the wait grows from try to try
	Max      time.Duration // the longest wait
	Jitter   bool          // whether waits are spread
}

// Known is what the reader of a template cannot know by itself. A nil list is not checked.
type Known struct {
	Executors []string // words that run may have
	Builtins  []string // names that run: {builtin: …} may have
	Limits    []string // names that limit may have
}

// Parse reads a template, YAML or JSON. It gives the template, or every fault found in order of line.
func Parse(text []byte, known Known) (*Template, Faults) {
	return parse(text, known, release.later)
}

func parse(text []byte, known Known, later []string) (*Template, Faults) {
	r := &reader{known: known, later: later, programs: programs{}}
	root := r.source(text)
	if root == nil {
		return nil, r.sorted()
	}
	t := r.template(root)
	if len(r.faults) > 0 {
		return nil, r.sorted()
	}
	return t, nil
}

// Digest is the SHA-256 of a template's text, in hex.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Step gives the step with an id.
func (t *Template) Step(id string) (*Step, bool) {
	i, ok := t.byID[id]
	if !ok {
		return nil, false
	}
	return &t.Steps[i], true
}

// Handler gives the step that runs only after another has failed; nil when there is none.
func (t *Template) Handler() *Step {
	if i, ok := t.byID[t.OnFailure]; ok && t.Steps[i].AfterFailure {
		return &t.Steps[i]
	}
	return nil
}

// InputOf says which template input a key of Step.Input stands for: "inputs.topic", or "topic" when
// no step writes such a key. Any other key is a context key.
func (t *Template) InputOf(key string) (name string, ok bool) {
	return inputOf(key, t.Inputs, func(key string) bool {
		return slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Output == key })
	})
}
