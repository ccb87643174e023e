package workflows

import (
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Endings of the ids of calls that are made beside a step's own.
const (
	probeSuffix = "?probe"
	undoSuffix  = "!undo"
)

// beside opens a call that is not the step's own but about one: a probe, a compensation. It reads the
// context keys that its action names, as they are now.
func (s *State) beside(of *sessions.Call, purpose, suffix string, action *template.Action, w sessions.World) (events.CallOpened, error) {
	r, i, _ := s.stepOf(of)
	step := &r.Template.Steps[i]
	opened := events.CallOpened{
		Call: of.ID() + suffix, Parent: of.ID(), Purpose: purpose, Run: of.Run, Step: of.Step, Intent: purpose + " " + step.ID,
		Queue: queueOf(step, false), Timeout: step.Timeout.Seconds(), Reads: s.State.Reads(r.keys(action.Mentions)),
	}
	opened.Limits = w.Limited(opened.Queue)
	env, err := s.env(r, action.Mentions, w)
	if err != nil {
		return opened, err
	}
	if opened.Execute, err = action.Execute(env); err != nil {
		return opened, err
	}
	opened.Env, err = step.Environment(env)
	return opened, err
}

// stepOf finds the step that a call belongs to.
func (s *State) stepOf(call *sessions.Call) (*Run, int, bool) { return s.step(call.Run, call.Step) }

// besideOver tells what a call that is over was made for.
func (s *State) besideOver(call *sessions.Call, phase StepPhase, failure *events.Failure) {
	of := s.Calls[call.Parent]
	if of == nil {
		return
	}
	switch call.Purpose {
	case events.Probe:
		s.probed(of, call, phase, failure)
	case events.Compensate:
		if r := s.Runs[s.besides[call.ID()]]; r != nil {
			r.undone[of.ID()] = phase
		}
	}
}

// besideOpened counts the call for the run that waits for it: the nearest one that is not over, since
// the steps of a child run are undone when the run that started it fails.
func (s *State) besideOpened(d events.CallOpened) {
	s.trust(d.Parent)
	for r := range s.line(s.Runs[d.Run]) {
		if !r.Over() {
			r.open++
			s.besides[d.Call] = r.Run
			return
		}
	}
}
