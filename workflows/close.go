package workflows

import (
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Close ends a call by whoever did the work by hand or claimed it from outside; see sessions.Close.
type Close struct{ sessions.Close }

// Decide turns a step that is closed as failed into a failed attempt, so that the step's own policy
// says whether another follows.
func (c Close) Decide(s *State, w sessions.World) ([]events.Data, error) {
	if call, err := s.FindCall(c.Call); err == nil && c.Call != "" {
		c.Outputs = s.scoped(call, c.Outputs)
	}
	facts, err := c.Close.Decide(s.State, w)
	if err != nil {
		return nil, err
	}
	end, ok := facts[0].(events.CallClosed)
	if !ok || s.Calls[end.Call].Run == "" {
		return facts, nil
	}
	call := s.Calls[end.Call]
	failure := events.Failure{Class: "retryable", Code: "reported_failed", Message: c.Note}
	if end.Status != "failed" {
		breach, again, err := s.handIn(call, end, w)
		if err != nil || breach == nil {
			return again, err
		}
		failure = *breach
	}
	failed := events.CallFailed{Call: end.Call, Attempt: end.Attempt, Failure: failure, Final: !s.again(call, failure)}
	return append([]events.Data{failed}, s.Undo(call)...), nil
}

// handIn gives the closing of a step as it stands, with a value where it is a step of a research task;
// or what is wrong with its output.
func (s *State) handIn(call *sessions.Call, end events.CallClosed, w sessions.World) (*events.Failure, []events.Data, error) {
	r, i, ok := s.step(call.Run, call.Step)
	atom := ok && r.Template.Steps[i].Atom != nil && end.Status != "skipped"
	if _, bound := call.Inputs[AllowedTools]; !atom && !bound {
		return nil, s.Result(call, end), nil
	}
	value, err := s.outcomeOf(call, end.Outputs, w)
	if err != nil {
		return nil, nil, err
	}
	if failure := s.breach(call, value, w); failure != nil {
		return failure, nil, nil
	}
	if atom {
		end.Value = value
	}
	return nil, s.Result(call, end), nil
}

// Answer gives the stack without the call.
func (c Close) Answer(s *State, ref sessions.Ref, w sessions.World) (any, error) {
	return c.Close.Answer(s.State, ref, w)
}
