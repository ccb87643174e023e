package workflows

import (
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// DeadLetter is a step that failed for good and of which nobody has said what becomes.
type DeadLetter struct {
	Run     string           `json:"run"`
	Session string           `json:"session"`
	Name    string           `json:"name"` // of the run's template
	Step    string           `json:"step"`
	CallID  string           `json:"call_id"`
	Status  string           `json:"status"`
	Causes  []sessions.Cause `json:"causes"` // of the last attempts, the oldest first
}

// DeadLetters lists them for every run of the session, as the runs were started.
func (s *State) DeadLetters() []DeadLetter {
	out := []DeadLetter{}
	for _, id := range s.RunOrder {
		r := s.Runs[id]
		if r.Status == Cancelled || s.detached(r) {
			continue
		}
		for i := range r.Steps {
			if r.Steps[i].Phase == StepFailed && r.Steps[i].Given == "" {
				out = append(out, s.deadLetter(r, i))
			}
		}
	}
	return out
}

func (s *State) deadLetter(r *Run, i int) DeadLetter {
	step := r.Steps[i]
	d := DeadLetter{Run: r.Run, Session: s.ID, Name: r.Name, Step: r.Template.Steps[i].ID, CallID: step.Call, Status: s.phaseOf(r, i), Causes: []sessions.Cause{}}
	if call := s.Calls[step.Call]; call != nil {
		d.Causes = append(d.Causes, call.Causes...)
	}
	if len(d.Causes) == 0 && step.Failure != nil {
		d.Causes = append(d.Causes, sessions.Cause{Time: r.EndedAt, Failure: *step.Failure})
	}
	return d
}

// phaseOf is a step's phase in words: one whose attempts are spent is dead, not merely failed.
func (s *State) phaseOf(r *Run, i int) string {
	step := r.Steps[i]
	if step.Phase != StepFailed || step.Failure == nil || step.Given != "" {
		return string(step.Phase)
	}
	switch class := step.Failure.Class; {
	case class == "lost", (class == "retryable" || class == "timeout") && r.Template.Steps[i].Retry.Attempts > 1:
		return "dead"
	}
	return string(StepFailed)
}

// Resolve says what becomes of a dead letter.
type Resolve struct {
	Run    string `json:"run"`
	Step   string `json:"step"`
	Action string `json:"action"` // retry, skip, fail
	By     string `json:"by,omitempty"`
	Note   string `json:"note,omitempty"`
}

// Decide refuses a step that has not failed for good. A run that was undone is taken up as a whole.
func (c Resolve) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	i, ok := r.index[c.Step]
	switch {
	case !slices.Contains([]string{events.Retry, events.Skip, events.Fail}, c.Action):
		return nil, sessions.Refuse(sessions.Usage, "bad_action", "use retry, skip or fail", "nothing can be done with a dead letter by %q", c.Action)
	case !ok:
		return nil, sessions.Refuse(sessions.NotFound, "step_not_found", "see `baton workflow dlq list`", "there is no step %q in run %s", c.Step, r.Run)
	case s.detached(r):
		return nil, sessions.Refuse(sessions.Conflict, "child_run_over", "say what becomes of step "+s.Calls[r.Parent].Step+" of run "+s.Calls[r.Parent].Run,
			"run %s is over together with the step that started it", r.Run)
	case r.Status == Cancelled:
		return nil, sessions.Refuse(sessions.Conflict, "run_cancelled", "start a new one with `baton workflow run`", "run %s was cancelled", r.Run)
	case r.Steps[i].Phase != StepFailed || r.Steps[i].Given != "":
		return nil, sessions.Refuse(sessions.Conflict, "not_dead", "see `baton workflow dlq list`", "step %s of run %s is no dead letter: it is %s", c.Step, r.Run, s.phaseOf(r, i))
	case len(r.undone) > 0 && c.Action != events.Fail:
		return nil, sessions.Refuse(sessions.Conflict, "run_undone", "take the whole run up with `baton workflow resume "+r.Run+"`",
			"what run %s had done was undone when it failed", r.Run)
	}
	return []events.Data{events.StepResolved{Run: r.Run, Step: c.Step, Action: c.Action, By: c.By, Note: c.Note}}, nil
}

// Answer shows the run.
func (c Resolve) Answer(s *State, _ sessions.Ref, w sessions.World) (any, error) {
	return s.View(c.Run, w)
}

// detached says whether a run is over together with the step that started it: that step is what can be
// taken up again.
func (s *State) detached(r *Run) bool {
	call := s.Calls[r.Parent]
	return call != nil && call.Phase == sessions.Over
}

// resolved opens a dead letter again, or lets those who need it go on without.
func (s *State) resolved(d events.StepResolved) {
	r, i, ok := s.step(d.Run, d.Step)
	if !ok || r.Steps[i].Phase != StepFailed {
		return
	}
	if d.Action == events.Fail {
		r.Steps[i].Given = d.By
		if d.By == "" {
			r.Steps[i].Given = "somebody"
		}
		return
	}
	r.failed = slices.DeleteFunc(r.failed, func(id string) bool { return id == d.Step })
	if !r.Template.Steps[i].AfterFailure {
		r.unfinished++
	}
	r.revive()
	if d.Action == events.Skip {
		r.Steps[i] = Step{Phase: StepPending, Note: note("skipped", d)}
		r.settle(i, StepSkipped)
		return
	}
	r.reopen(i)
}

func note(verb string, d events.StepResolved) string {
	text := verb
	if d.By != "" {
		text += " by " + d.By
	}
	if d.Note != "" {
		text += ": " + d.Note
	}
	return text
}

// revive lets an ended run go on, for nobody else.
func (r *Run) revive() {
	r.Status, r.Reason, r.EndedAt, r.Caller = Running, "", time.Time{}, events.Caller{}
}

// reopen makes a failed step one to be started, whatever else has failed.
func (r *Run) reopen(i int) {
	if it := r.Steps[i].Items; it != nil && r.Template.Steps[i].Foreach != nil {
		r.Steps[i] = Step{Phase: StepOpen, Items: it.again()}
		r.fanning = append(r.fanning, i)
		slices.Sort(r.fanning)
	} else {
		r.Steps[i] = Step{Phase: StepPending}
	}
	r.forced = append(r.forced, i)
}
