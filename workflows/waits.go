package workflows

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Approval is a question to a person about one exact action.
type Approval struct {
	events.ApprovalAsked
	AskedAt    time.Time
	Answer     *events.ApprovalAnswered // nil while nobody has answered
	AnsweredAt time.Time
}

// ending is how a call ends that waited: with a value or a failure. Follow says it.
type ending struct {
	call    string
	value   events.Value
	failure *events.Failure
	child   string // the run whose outputs are the value
}

// signalWait is a call that waits for a signal.
type signalWait struct{ call, signal string }

// foldWait takes the events of approvals, signals and timers.
func (s *State) foldWait(e events.Event) {
	switch d := e.Data.(type) {
	case events.ApprovalAsked:
		s.trust(d.Call)
		s.Approvals[d.Approval] = &Approval{ApprovalAsked: d, AskedAt: e.Time}
		s.ApprovalOrder = append(s.ApprovalOrder, d.Approval)
		s.asking = append(s.asking, d.Approval)
		s.Hold(d.Call)
	case events.ApprovalAnswered:
		s.expiries = slices.DeleteFunc(s.expiries, func(id string) bool { return id == d.Approval })
		s.asking = slices.DeleteFunc(s.asking, func(id string) bool { return id == d.Approval })
		if a := s.Approvals[d.Approval]; a != nil && a.Answer == nil {
			a.Answer, a.AnsweredAt = &d, e.Time
			s.answered(a)
		}
	case events.SignalReceived:
		if r := s.Runs[d.Run]; r != nil {
			r.signals = append(r.signals, d)
			s.deliver(r)
		}
	case events.TimerFired:
		s.fired(d.Timer)
		s.dropTimer(d.Timer)
	case events.TimerVoided:
		s.dropTimer(d.Timer)
	}
}

// answered lets the call go on, or ends it: the value of an approval is its answer, a no is a failure.
func (s *State) answered(a *Approval) {
	call := s.Calls[a.Call]
	if call == nil {
		return
	}
	if !a.Answer.Yes {
		s.endings = append(s.endings, ending{call: a.Call, failure: denial(a)})
		return
	}
	if a.About == events.AboutBudget {
		s.allow(s.Runs[a.Run])
	}
	if call.Waits() && !call.Held {
		value, err := events.Marshal(map[string]any{"approved": true, "by": a.Answer.By, "note": a.Answer.Note})
		if err == nil {
			s.endings = append(s.endings, ending{call: a.Call, value: events.Value{JSON: value}})
		}
		return
	}
	s.ready(a.Call)
}

// denial is the failure of a call that a person, or silence, said no to.
func denial(a *Approval) *events.Failure {
	f := &events.Failure{Class: "terminal", Code: "denied", Message: "approval " + a.Approval + " was answered no by " + a.Answer.By}
	switch {
	case a.About == events.AboutUnknown:
		f.Class, f.Code = unknownClass, "effect_unknown"
	case a.About == events.AboutBudget:
		f.Code = "budget_spent"
	case a.Answer.By == Expiry:
		f.Code = "approval_expired"
	}
	if a.Answer.Note != "" {
		f.Message += ": " + a.Answer.Note
	}
	return f
}

// Expiry is who answers an approval that nobody answered in time.
const Expiry = "expiry"

// deliver gives kept signals to the calls that wait for them, in the order in which both came.
func (s *State) deliver(r *Run) {
	for i := 0; i < len(r.awaits); i++ {
		at := slices.IndexFunc(r.signals, func(d events.SignalReceived) bool { return d.Signal == r.awaits[i].signal })
		if at < 0 {
			continue
		}
		s.endings = append(s.endings, ending{call: r.awaits[i].call, value: r.signals[at].Value})
		r.signals = slices.Delete(r.signals, at, at+1)
		r.awaits = slices.Delete(r.awaits, i, i+1)
		i--
	}
}

// fired ends what waited for the time.
func (s *State) fired(timer string) {
	t, ok := s.Timers[timer]
	if !ok {
		return
	}
	switch t.Kind {
	case timerWait:
		s.endings = append(s.endings, ending{call: t.Call, value: events.Value{JSON: json.RawMessage("null")}})
	case timerExpiry:
		s.expired(t.Call)
	case timerDeadline:
		s.endings = append(s.endings, ending{call: t.Call, failure: &events.Failure{Class: "timeout", Code: "child_timeout", Message: "the child run did not end in time"}})
	}
}

func (s *State) expired(call string) {
	if a := s.OpenApproval(call); a != nil {
		s.expiries = append(s.expiries, a.Approval)
		return
	}
	s.endings = append(s.endings, ending{call: call, failure: &events.Failure{Class: "timeout", Code: "signal_expired", Message: "no signal came in time"}})
}

// OpenApproval is the unanswered approval of a call; nil when it has none.
func (s *State) OpenApproval(call string) *Approval {
	for _, id := range slices.Backward(s.asking) {
		if a := s.Approvals[id]; a.Call == call {
			return a
		}
	}
	return nil
}

// settled forgets what a call that is over waited for; timers of it are voided by Follow.
func (s *State) settled(call string) {
	s.trust(call)
	s.asking = slices.DeleteFunc(s.asking, func(id string) bool { return s.Approvals[id].Call == call })
	s.births = slices.DeleteFunc(s.births, func(id string) bool { return id == call })
	s.endings = slices.DeleteFunc(s.endings, func(e ending) bool { return e.call == call })
	s.expiries = slices.DeleteFunc(s.expiries, func(id string) bool { return s.Approvals[id].Call == call })
	s.resting = slices.DeleteFunc(s.resting, func(t Timer) bool { return t.Call == call })
	if c := s.Calls[call]; c != nil {
		if r := s.Runs[c.Run]; r != nil {
			r.awaits = slices.DeleteFunc(r.awaits, func(w signalWait) bool { return w.call == call })
		}
	}
	for _, id := range sortedKeys(s.Timers) {
		if s.Timers[id].Call == call {
			s.orphans = append(s.orphans, id)
		}
	}
}

// followWaits says what follows from answers, signals and times that came.
func (s *State) followWaits(w sessions.World) []events.Data {
	switch {
	case len(s.orphans) > 0:
		return []events.Data{events.TimerVoided{Timer: s.orphans[0], Reason: "its call is over"}}
	case len(s.expiries) > 0:
		return []events.Data{events.ApprovalAnswered{Approval: s.expiries[0], By: Expiry, Note: "nobody answered in time"}}
	case len(s.endings) > 0:
		return s.end(s.endings[0], w)
	}
	return nil
}

// end says how a call ends that waited. No attempt ends twice: one that has ended before is not named.
func (s *State) end(e ending, w sessions.World) []events.Data {
	call := s.Calls[e.call]
	if child := s.Runs[e.child]; child != nil && e.failure == nil {
		var err error
		if e.value, err = s.outcome(child, w); err != nil {
			e.failure = &events.Failure{Class: "terminal", Code: "child_outputs_missing", Message: err.Error()}
		}
	}
	if e.failure != nil {
		failed := events.CallFailed{Call: e.call, Attempt: call.Live(), Failure: *e.failure, Final: !s.again(call, *e.failure)}
		return append([]events.Data{failed}, s.Undo(call)...)
	}
	return s.Result(call, events.CallClosed{Call: e.call, Attempt: call.Live(), Status: "ok", Value: e.value})
}
