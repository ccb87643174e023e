package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// amend says what a run that has failed still does before it ends: it undoes what has completed, the
// last first, or runs the step that is there for it.
func (s *State) amend(r *Run, w sessions.World) []events.Data {
	if len(r.failed) == 0 {
		return nil
	}
	if handler := r.Template.Handler(); handler != nil && r.Steps[handler.Index].Phase == StepPending {
		return s.start(r, handler.Index, w)
	}
	if r.Template.OnFailure != template.Compensate {
		return nil
	}
	for _, id := range s.undoable(r) {
		if _, tried := r.undone[id]; !tried {
			return s.undoStep(s.Calls[id], w)
		}
	}
	return nil
}

// undoable lists the calls of completed steps that say how they are undone, the last completed first;
// in the place of a child run those of its steps.
func (s *State) undoable(r *Run) []string {
	done := []int{}
	for i := range r.Steps {
		if r.Steps[i].Phase == StepDone {
			done = append(done, i)
		}
	}
	slices.SortFunc(done, func(a, b int) int { return cmp.Compare(r.Steps[b].Order, r.Steps[a].Order) })
	var out []string
	for _, i := range done {
		for _, call := range s.callsOf(r, i) {
			child := s.Runs[call]
			switch {
			case r.Template.Steps[i].Compensate != nil:
				out = append(out, call)
			case child != nil:
				out = append(out, s.undoable(child)...)
			}
		}
	}
	return out
}

// callsOf are the calls of a step that completed: its only one, or those of its items, the last first.
func (s *State) callsOf(r *Run, i int) []string {
	step := r.Steps[i]
	if step.Items == nil {
		return []string{step.Call}
	}
	var out []string
	for n, phase := range slices.Backward(step.Items.Phases) {
		if phase == StepDone {
			out = append(out, r.ItemCall(r.Template.Steps[i].ID, n))
		}
	}
	return out
}

// undoStep opens the call that undoes another one. What cannot even be opened counts as failed.
func (s *State) undoStep(call *sessions.Call, w sessions.World) []events.Data {
	of, i, _ := s.stepOf(call)
	step := &of.Template.Steps[i]
	opened, err := s.beside(call, events.Compensate, undoSuffix, step.Compensate, w)
	if err != nil {
		opened.Execute, opened.Queue = nil, ""
		failed := events.CallFailed{Call: opened.Call, Failure: events.Failure{Class: "terminal", Code: "settings_failed", Message: err.Error()}, Final: true}
		return []events.Data{opened, failed}
	}
	return []events.Data{opened}
}

// amended says in words what was undone, and what could not be.
func (s *State) amended(r *Run) string {
	var undone, left []string
	for _, id := range s.undoable(r) {
		name := strings.TrimPrefix(id, r.Run+"/")
		if r.undone[id] == StepDone {
			undone = append(undone, name)
		} else {
			left = append(left, name)
		}
	}
	words := ""
	if len(undone) > 0 {
		words = "; undone: " + strings.Join(undone, ", ")
	}
	if len(left) > 0 {
		words += "; could not be undone: " + strings.Join(left, ", ")
	}
	return words
}

// undid says whether a completed step was undone, so that it has to run again.
func (s *State) undid(r *Run, i int) bool {
	if r.Steps[i].Phase != StepDone {
		return false
	}
	for _, call := range s.callsOf(r, i) {
		if r.undone[call] == StepDone {
			return true
		}
		child := s.Runs[call]
		if child != nil && slices.ContainsFunc(s.undoable(child), func(id string) bool { return r.undone[id] == StepDone }) {
			return true
		}
	}
	return false
}

// ending says how a run ends that has nothing left to do.
func (s *State) ending(r *Run) []events.Data {
	if len(r.failed) == 0 {
		return []events.Data{events.RunCompleted{Run: r.Run}}
	}
	verb := "failed"
	if r.unfinished > 0 {
		verb = fmt.Sprintf("failed, and %d steps were not started", r.unfinished)
	}
	reason := strings.Join(r.failed, ", ") + " " + verb + s.amended(r)
	return []events.Data{events.RunFailed{Run: r.Run, Steps: slices.Clone(r.failed), Reason: reason}}
}
