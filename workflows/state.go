// Package workflows holds what a run is: a template's steps, folded from events, and what follows
// from every event for them. It builds on package sessions, since a run lives inside a session: a
// step that runs is a call, and its value is a context key.
//
// The decisions are split in two. A command's Decide gives the events that say the command. Follow
// then says what follows from the state as it stands, one consequence at a time: a step opens, a
// condition skips one, a backoff is set, a run ends. Whoever commits the first also commits the
// second, so a run needs no orchestrator. Both are pure and never change the state; only Fold does.
//
// Promises: a step with a recorded result is never opened again, unless a person names it; a step
// opens when all it needs has completed or was skipped, in template order, never more than
// limits.parallel at once; the same events lead to the same consequences, to the byte.
package workflows

import (
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// State is a session with its runs and timers. Only Fold changes it.
type State struct {
	*sessions.State
	Runs     map[string]*Run
	RunOrder []string         // as they were started
	Timers   map[string]Timer // set, and neither fired nor voided

	Sought *Goal // what the runs are to bring about; nil: nothing was said

	Approvals     map[string]*Approval
	ApprovalOrder []string // as they were asked
	asking        []string // of those, the ones that nobody has answered and whose call waits

	// What Follow has still to say, in the order in which it came.
	resting  []Timer  // timers that are wanted and not set
	orphans  []string // timers of calls that are over
	expiries []string // approvals whose time has come
	endings  []ending // calls whose waiting is over
	doubts   []doubt  // calls whose last attempt may have had its effect
	births   []string // calls that a child run is to be started for

	besides map[string]string // calls made beside a step -> the run that waits for them

	parse Parse `freeze:"-"` // nil: template.Parse
}

// Parse reads a template as template.Parse does. The same text always gives the same template, which
// nobody changes, so whoever folds many sessions may remember what was read.
type Parse func(text string) (*template.Template, template.Faults)

// Parsing lets the state read templates by p.
func (s *State) Parsing(p Parse) *State {
	s.parse = p
	return s
}

func (s *State) read(text string) (*template.Template, template.Faults) {
	if s.parse != nil {
		return s.parse(text)
	}
	return template.Parse([]byte(text), template.Known{})
}

// New is the state before a session's first event.
func New(id string) *State {
	return &State{State: sessions.New(id), Runs: map[string]*Run{}, Timers: map[string]Timer{}, Approvals: map[string]*Approval{}, besides: map[string]string{}}
}

// Timer is a wish to be woken.
type Timer struct {
	ID   string
	Kind string
	At   time.Time
	Run  string
	Call string
}

// RunStatus is where a run stands.
type RunStatus string

// The states of a run. Waiting is told apart from Running only when it is shown.
const (
	Running   RunStatus = "running"
	Waiting   RunStatus = "waiting"
	Completed RunStatus = "completed"
	Failed    RunStatus = "failed"
	Cancelled RunStatus = "cancelled"
)

// Run is one execution of a template.
type Run struct {
	events.RunStarted
	Template  *template.Template `freeze:"-"` // see Reread
	Status    RunStatus
	Reason    string // why it failed or was cancelled
	StartedAt time.Time
	EndedAt   time.Time
	ResumedBy string
	Resumes   int
	Served    int      // the highest attempt of its caller's call that it was carried out for
	Stale     []string // finished steps that an accepted template changed
	Steps     []Step   // as in the template

	index      map[string]int // step id -> position
	dependents [][]int
	ready      []int // positions that may open, ascending
	open       int   // calls that are not over
	fanning    []int // foreach steps that have begun and not ended, ascending
	unfinished int   // steps that may still move
	failed     []string
	forced     []int                   // positions that a person asked for, whatever has failed
	completed  int                     // steps that have completed so far, for Step.Order
	undone     map[string]StepPhase    // calls that were undone after a failure, and how that ended
	used       events.Used             // what its calls have reported
	allowed    events.Used             // how much that may be before a person is asked
	signals    []events.SignalReceived // that nobody has waited for yet
	awaits     []signalWait
	pilot      *pilot // of a run that a router takes along; nil for a template's
}

// StepPhase is where a step stands; while it is Open, its call says more.
type StepPhase string

// The phases of a step.
const (
	StepPending   StepPhase = "pending"
	StepOpen      StepPhase = "open"
	StepDone      StepPhase = "completed"
	StepSkipped   StepPhase = "skipped"
	StepFailed    StepPhase = "failed"
	StepCancelled StepPhase = "cancelled"
)

// Step is a step's standing in a run.
type Step struct {
	Phase   StepPhase
	Unmet   int    // needs that are not met yet
	Call    string // its call's id, once it was opened
	Items   *Items // of a foreach step
	Failure *events.Failure
	Note    string
	Order   int    // of those that have completed: the how manieth it was
	Given   string // by whom it was given up; "": its failure is a dead letter
}

// Met says whether those who need the step may go on.
func (s Step) Met() bool { return s.Phase == StepDone || s.Phase == StepSkipped }

// Over says whether the run has ended.
func (r *Run) Over() bool { return r.Status != Running }

// Position finds a step by its id.
func (r *Run) Position(step string) (int, bool) {
	i, ok := r.index[step]
	return i, ok
}

// CallID is the id of a step's call: its path in the run, whatever finishes first.
func (r *Run) CallID(step string) string { return r.Run + "/" + step }

// plan lays the steps out anew: what is done stays, everything else waits for what it needs.
func (r *Run) plan(keep map[string]Step) {
	n := len(r.Template.Steps)
	r.Steps, r.dependents, r.index = make([]Step, n), make([][]int, n), make(map[string]int, n)
	r.ready, r.forced, r.fanning, r.unfinished, r.failed, r.undone = nil, nil, nil, n, nil, map[string]StepPhase{}
	for i, step := range r.Template.Steps {
		r.index[step.ID] = i
		r.Steps[i] = Step{Phase: StepPending}
		kept, ok := keep[step.ID]
		switch {
		case ok && kept.Met():
			r.Steps[i] = kept
			r.unfinished--
		case ok && kept.Items != nil && step.Foreach != nil:
			r.Steps[i] = Step{Phase: StepOpen, Items: kept.Items.again()}
			r.fanning = append(r.fanning, i)
		}
	}
	if r.Template.Handler() != nil {
		r.unfinished--
	}
	for i, step := range r.Template.Steps {
		for _, j := range step.Needs {
			r.dependents[j] = append(r.dependents[j], i)
			if !r.Steps[j].Met() {
				r.Steps[i].Unmet++
			}
		}
	}
	for i := range r.Steps {
		if r.Steps[i].Phase == StepPending && r.Steps[i].Unmet == 0 && !r.Template.Steps[i].AfterFailure {
			r.ready = append(r.ready, i)
		}
	}
}

// settle moves a step to its end and frees those who wait for it.
func (r *Run) settle(i int, phase StepPhase) {
	r.unready(i)
	r.Steps[i].Phase = phase
	if phase == StepDone {
		r.completed++
		r.Steps[i].Order = r.completed
	}
	if !r.Template.Steps[i].AfterFailure {
		r.unfinished--
	}
	if phase == StepFailed {
		r.failed = append(r.failed, r.Template.Steps[i].ID)
	}
	if !r.Steps[i].Met() && !(phase == StepFailed && r.Template.Steps[i].Optional) {
		return
	}
	for _, j := range r.dependents[i] {
		r.Steps[j].Unmet--
		if r.Steps[j].Unmet == 0 && r.Steps[j].Phase == StepPending {
			at, _ := slices.BinarySearch(r.ready, j)
			r.ready = slices.Insert(r.ready, at, j)
		}
	}
}

func (r *Run) unready(i int) {
	r.forced = slices.DeleteFunc(r.forced, func(forced int) bool { return forced == i })
	if at, found := slices.BinarySearch(r.ready, i); found {
		r.ready = slices.Delete(r.ready, at, at+1)
	}
}

// next is the step to open now: one that a person asked for, or the first that is ready, if the run
// still starts steps and has room.
func (r *Run) next() (int, bool) {
	if r.Over() || r.full() {
		return 0, false
	}
	for _, i := range r.forced {
		if r.Steps[i].Phase == StepPending {
			return i, true
		}
	}
	if r.halted() || len(r.ready) == 0 {
		return 0, false
	}
	return r.ready[0], true
}

// full says that the run may open no further call now.
func (r *Run) full() bool {
	return r.Template.Limits.Parallel > 0 && r.open >= r.Template.Limits.Parallel
}

// may says whether a step goes on though the run is halted.
func (r *Run) may(i int) bool {
	return !r.halted() || r.Template.Steps[i].AfterFailure || slices.Contains(r.forced, i)
}

// halted says that a failure stops the run from starting more.
func (r *Run) halted() bool {
	return r.Template.OnFailure != template.Continue && slices.ContainsFunc(r.failed, func(id string) bool {
		step, ok := r.Template.Step(id)
		return !ok || !step.Optional
	})
}

// missed marks the steps that were skipped in the wake of an optional one that failed: they are not
// done with, should that one be tried again.
func (r *Run) missed() []bool {
	marked := make([]bool, len(r.Steps))
	var behind []int
	for i := range r.Steps {
		if r.Steps[i].Phase == StepFailed {
			behind = append(behind, i)
		}
	}
	for len(behind) > 0 {
		at := behind[0]
		behind = behind[1:]
		for _, j := range r.dependents[at] {
			if r.Steps[j].Phase == StepSkipped && !marked[j] {
				marked[j] = true
				behind = append(behind, j)
			}
		}
	}
	return marked
}
