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
	facts, err := c.Close.Decide(s.State, w)
	if err != nil {
		return nil, err
	}
	end, ok := facts[0].(events.CallClosed)
	if !ok || end.Status != "failed" {
		return facts, nil
	}
	call := s.Calls[end.Call]
	if call.Run == "" {
		return facts, nil
	}
	failure := events.Failure{Class: "retryable", Code: "reported_failed", Message: c.Note}
	failed := events.CallFailed{Call: end.Call, Attempt: end.Attempt, Failure: failure, Final: !s.again(call, failure)}
	return append([]events.Data{failed}, s.Undo(call)...), nil
}

// Answer gives the stack without the call.
func (c Close) Answer(s *State, ref sessions.Ref, w sessions.World) (any, error) {
	return c.Close.Answer(s.State, ref, w)
}
