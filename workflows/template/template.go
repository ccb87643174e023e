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
	Stop     = "stop"     // nothing new starts
	Continue = "continue" // what does not need the failed step goes on
)

// Template is a workflow as written, checked. Read only.
type Template struct {
	Name        string // may be empty: the caller then names it after its file
	Description string
	Order       string // Sequential or Dataflow
	Inputs      map[string]Input
	Limits      Limits
	Steps       []Step // in the order of the text
	OnFailure   string // Stop or Continue

	byID map[string]int
}

// Limits bound a run.
type Limits struct {
	Parallel int // calls of the run that may be open to workers at once; 0: no limit of its own
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
	Effects string        // "at-least-once"

	// Executor is "exec", "agent", "claim" or "builtin"; empty: by skill, else by routing the intent.
	Executor string
	// Run is the canonical object with the executor's name as its only key, values may hold ${…};
	// nil when Executor is empty.
	Run json.RawMessage
	// TerminalExits are exit statuses of exec after which a retry is pointless.
	TerminalExits []int

	// Needs are the positions of the steps that must have completed or been skipped before this one
	// may start, ascending: the needs that are written and those that follow from the order.
	Needs []int
	// Reads are all context keys that the step reads, sorted: those of Input and those of Mentions.
	Reads []string
	// Mentions are the context keys that its expressions name, sorted.
	Mentions []string

	explicit []string // needs as written
	given    bool     // whether needs is written at all
	run      any      // Run, decoded
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
	Executors []string // out of exec, agent, claim, builtin
	Builtins  []string // names that run: {builtin: …} may have
}

// Parse reads a template, YAML or JSON. It gives the template, or every fault found in order of line.
func Parse(text []byte, known Known) (*Template, Faults) {
	r := &reader{known: known, programs: programs{}}
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

// InputOf says which template input a key of Step.Input stands for: "inputs.topic", or "topic" when
// no step writes such a key. Any other key is a context key.
func (t *Template) InputOf(key string) (name string, ok bool) {
	return inputOf(key, t.Inputs, func(key string) bool {
		return slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Output == key })
	})
}
