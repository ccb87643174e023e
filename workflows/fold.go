package workflows

import (
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Fold takes the next event of the session.
func (s *State) Fold(e events.Event) {
	s.State.Fold(e)
	switch d := e.Data.(type) {
	case events.RunStarted:
		s.begin(d, e.Time)
	case events.RunResumed:
		s.resume(d)
	case events.SessionForked:
		s.forked(d, e.Time)
	case events.StepResolved:
		s.resolved(d)
	case events.RunCompleted:
		s.finish(d.Run, Completed, "", e.Time)
	case events.RunFailed:
		s.finish(d.Run, Failed, d.Reason, e.Time)
	case events.RunCancelled:
		s.finish(d.Run, Cancelled, d.Reason, e.Time)
	case events.ItemsListed:
		s.listed(d)
	case events.StepJoined:
		s.joined(d)
	case events.StepSkipped:
		if r, i, ok := s.step(d.Run, d.Step); ok {
			r.Steps[i].Note = d.Reason
			r.settle(i, StepSkipped)
		}
	case events.StepFailed:
		if r, i, ok := s.step(d.Run, d.Step); ok {
			r.Steps[i].Failure = &d.Failure
			r.unfan(i)
			r.settle(i, StepFailed)
		}
	case events.StepJudged:
		s.judged(d)
	case events.SearchDowngraded:
		s.heard(d.Run)
	case events.WebAdvanced:
		s.heard(d.Run)
	case events.TimerSet:
		s.setTimer(d)
	case events.GoalSet, events.GoalCleared, events.GoalEvaluated:
		s.foldGoal(e)
	case events.ApprovalAsked, events.ApprovalAnswered, events.SignalReceived, events.TimerFired, events.TimerVoided:
		s.foldWait(e)
	default:
		s.foldCall(e)
	}
}

func (s *State) begin(d events.RunStarted, at time.Time) {
	if d.Router != "" {
		s.beginRouted(d, at)
		return
	}
	r := &Run{RunStarted: d, Status: Running, StartedAt: at}
	if parent := s.parent(r); parent != nil {
		s.inherit(r, parent)
	}
	t, faults := s.read(r.Text)
	if len(faults) > 0 {
		s.Newer = append(s.Newer, "run.started of "+d.Name) // a template that a newer Baton allows
		return
	}
	r.Template, r.allowed = t, events.Used(t.Limits.Budget)
	r.plan(nil)
	r.serve(d.Caller)
	s.Runs[d.Run] = r
	s.RunOrder = append(s.RunOrder, d.Run)
}

// resume keeps what is done, under the new template where one was accepted, and plans the rest anew.
func (s *State) resume(d events.RunResumed) {
	r := s.Runs[d.Run]
	if r == nil {
		return
	}
	if r.pilot != nil {
		r.pilot.again()
		r.Status, r.Reason, r.EndedAt, r.ResumedBy = Running, "", time.Time{}, d.By
		r.Resumes++
		return
	}
	keep, missed := map[string]Step{}, r.missed()
	for i, step := range r.Template.Steps {
		if step.AfterFailure {
			continue
		}
		if (r.Steps[i].Met() || r.Steps[i].Items != nil) && !slices.Contains(d.Redo, step.ID) && !s.undid(r, i) && !missed[i] {
			keep[step.ID] = r.Steps[i]
		}
	}
	if d.Text != "" {
		t, faults := template.Parse([]byte(d.Text), template.Known{})
		if len(faults) > 0 {
			s.Newer = append(s.Newer, "run.resumed of "+r.Name)
			return
		}
		r.Template, r.Text, r.SHA256 = t, d.Text, d.SHA256
	}
	r.plan(keep)
	r.Stale = d.Stale
	r.Status, r.Reason, r.EndedAt, r.ResumedBy = Running, "", time.Time{}, d.By
	r.serve(d.Caller)
	r.Resumes++
}

func (s *State) finish(run string, status RunStatus, reason string, at time.Time) {
	r := s.Runs[run]
	if r == nil {
		return
	}
	r.Status, r.Reason, r.EndedAt = status, reason, at
	s.childOver(r)
	if status == Cancelled {
		for i := range r.Steps {
			if r.Steps[i].Phase == StepPending || r.Steps[i].Items != nil && r.Steps[i].Phase == StepOpen {
				r.Steps[i].Phase = StepCancelled
			}
		}
		r.ready, r.forced, r.fanning = nil, nil, nil
	}
}

func (s *State) step(run, step string) (*Run, int, bool) {
	r := s.Runs[run]
	if r == nil {
		return nil, 0, false
	}
	i, ok := r.index[step]
	return r, i, ok
}

func (s *State) setTimer(d events.TimerSet) {
	at, err := time.Parse(time.RFC3339Nano, d.At)
	if err != nil {
		return // a timer nobody can read rings never; decide never sets one
	}
	s.Timers[d.Timer] = Timer{ID: d.Timer, Kind: d.Kind, At: at, Run: d.Run, Call: d.Call}
	s.resting = slices.DeleteFunc(s.resting, func(t Timer) bool { return t.ID == d.Timer })
	if d.Kind == timerBackoff {
		s.Rest(d.Call)
	}
}

func (s *State) dropTimer(id string) {
	s.orphans = slices.DeleteFunc(s.orphans, func(orphan string) bool { return orphan == id })
	t, ok := s.Timers[id]
	if !ok {
		return
	}
	delete(s.Timers, id)
	if t.Kind == timerBackoff {
		s.ready(t.Call)
	}
}

// ready brings a resting or held call back to its queue; one for a child run is started by Follow.
func (s *State) ready(call string) {
	s.Ready(call)
	if c := s.Calls[call]; c != nil && c.Starts() && c.Phase == sessions.Queued {
		s.births = append(s.births, call)
	}
}

func (s *State) foldCall(e events.Event) {
	switch d := e.Data.(type) {
	case events.CallOpened:
		if d.Purpose != "" {
			s.besideOpened(d)
			return
		}
		if r := s.Runs[d.Run]; r != nil && r.pilot != nil {
			r.pilot.opened(r, d)
		}
		if r, i, ok := s.step(d.Run, d.Step); ok {
			r.open++
			if n, item := itemOf(d.Call); item && r.Steps[i].Items != nil {
				r.Steps[i].Items.itemOpened(n)
			} else {
				r.unready(i)
				r.Steps[i] = Step{Phase: StepOpen, Call: d.Call}
			}
			s.awaits(r, i, d, e.Time)
		}
	case events.CallStarted:
		s.born(d, e.Time)
	case events.CallClosed:
		phase := StepDone
		if d.Status == "failed" {
			phase = StepFailed
		}
		s.spend(d)
		s.callOver(d.Call, phase, nil)
	case events.CallFailed:
		s.attemptOver(d.Call, d.Final, d.Failure)
		if !d.Final && d.Failure.Class != unknownClass {
			s.retry(d, e.Time)
		}
	case events.CallLost:
		s.attemptOver(d.Call, d.Final, events.Failure{Class: "lost"})
	case events.CallCancelled:
		s.callOver(d.Call, StepCancelled, nil)
	}
}

// attemptOver ends the call with its last attempt; before another one, an effect that may have
// happened is in doubt.
func (s *State) attemptOver(id string, final bool, f events.Failure) {
	call := s.Calls[id]
	s.endings = slices.DeleteFunc(s.endings, func(e ending) bool { return e.call == id })
	switch {
	case call == nil:
	case final:
		s.callOver(id, StepFailed, call.Failure)
	case call.Starts():
		s.voidDeadline(id)
	case (f.Class == "lost" || f.Class == unknownClass) && s.doubtful(call):
		s.suspect(call)
	}
}

func (s *State) callOver(id string, phase StepPhase, failure *events.Failure) {
	call := s.Calls[id]
	if call == nil {
		return
	}
	s.settled(id)
	if call.Purpose != "" {
		if r := s.Runs[s.besides[id]]; r != nil {
			r.open--
		}
		s.besideOver(call, phase, failure)
		delete(s.besides, id)
		return
	}
	r, i, ok := s.stepOf(call)
	if !ok {
		return
	}
	r.open--
	if r.Steps[i].Phase != StepOpen {
		return
	}
	if n, item := itemOf(id); item && r.Steps[i].Items != nil {
		r.Steps[i].Items.itemOver(n, phase, failure)
		return
	}
	r.Steps[i].Failure = failure
	r.settle(i, phase)
	if r.pilot != nil {
		r.pilot.unread = append(r.pilot.unread, call.Step)
	}
}

// retry remembers the backoff that the failure asks for; Follow sets it in the same commit.
func (s *State) retry(d events.CallFailed, at time.Time) {
	call := s.Calls[d.Call]
	if call == nil {
		return
	}
	r, i, ok := s.stepOf(call)
	if !ok {
		return
	}
	pause := max(backoff(r.Template.Steps[i].Retry, d.Call, call.Failures), askedFor(d.Failure))
	if pause <= 0 {
		s.ready(d.Call)
	} else {
		s.resting = append(s.resting, Timer{ID: timerID(d.Call, d.Attempt), Kind: timerBackoff, At: at.Add(pause), Run: call.Run, Call: d.Call})
	}
}
