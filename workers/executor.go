// Package workers does the work that the log asks for: it takes batons, claims calls, runs them
// through an executor and commits what came of it.
//
// An executor is one way to do a call (a program, a coding agent, a function of Baton's own). It is
// given one attempt as a [Task] and gives back one [Outcome]; it knows no log and no stream. Whoever
// runs it ends it by cancelling the context with one of the causes below, and may rely on this:
// when Execute has returned, nothing that the attempt started is running any more, as far as the
// system lets it be found.
package workers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Why an attempt's context was ended: causes for [context.CancelCauseFunc].
var (
	// ErrCancelled says that the call or its run is no longer wanted.
	ErrCancelled = errors.New("call was cancelled")
	// ErrStale says that a later attempt holds the call; this one's result would be refused.
	ErrStale = errors.New("attempt is stale")
	// ErrDeadline says that the attempt took longer than it may.
	ErrDeadline = errors.New("attempt ran out of time")
	// ErrStopping says that the worker is going down; it is not the call's fault.
	ErrStopping = errors.New("worker is stopping")
)

// Classes of failure, as [events.Failure] keeps them.
const (
	Retryable = "retryable"          // trying again may help
	Terminal  = "terminal"           // trying again cannot help
	Timeout   = "timeout"            // it took too long
	Cancelled = sessions.Cancelled   // it was no longer wanted
	Lost      = "lost"               // what ran it is gone; nobody's fault
	Stale     = sessions.StaleResult // another attempt holds the call
)

// DefaultMaxOutput is the largest result of a call, in bytes, where a task names no other.
const DefaultMaxOutput = 64 << 20

// Task is what an executor is given: one attempt of one call.
type Task struct {
	Session, Call, Run, Step string
	Attempt                  int    // from 1, rising: the fence
	EffectKey                string // the same for all attempts of the call
	Skill, Intent            string
	Execute                  json.RawMessage   // the executor's own settings, for exec ["./a.sh"]
	Input                    json.RawMessage   // one JSON document {inputs, context, item, call}
	Folder                   string            // the template's or skill's; its relative paths start here
	Workspace                string            // working folder
	Env                      map[string]string // allow-listed, plus what the template names
	Timeout                  time.Duration     // of the attempt; 0: none
	MaxOutput                int64             // bytes of result; 0: DefaultMaxOutput
	TerminalExits            []int             // exit codes that no repetition mends
	Sandbox                  *template.Sandbox // bounds of its program; nil: as the worker is set
	SkillFile                string            // SKILL.md for agents; may be empty
}

// Outcome is how an attempt ended. Failure nil means that it went well; Value is then one JSON
// document, null when there is nothing to say.
type Outcome struct {
	Value     json.RawMessage
	Note      string
	Artifacts []string        // paths of files left behind
	Usage     json.RawMessage // {usd, tokens, …} where the executor knows it
	Failure   *events.Failure
}

// Executor runs attempts of one kind. Execute returns when the attempt has ended and nothing of it
// is left running. What the attempt says while it works goes to live, which may be nil.
type Executor interface {
	Execute(ctx context.Context, t Task, live io.Writer) Outcome
}

// ClassOf says what class of failure it is when an attempt was ended for this cause.
func ClassOf(cause error) string {
	switch {
	case errors.Is(cause, ErrStale):
		return Stale
	case errors.Is(cause, ErrStopping):
		return Lost
	case errors.Is(cause, ErrDeadline), errors.Is(cause, context.DeadlineExceeded):
		return Timeout
	default:
		return Cancelled
	}
}

// Failed makes the outcome of an attempt that went wrong; code is stable, message is for people and
// says what to do.
func Failed(class, code, message string) Outcome {
	return Outcome{Failure: &events.Failure{Class: class, Code: code, Message: message}}
}
