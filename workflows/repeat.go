package workflows

import (
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Repeat does a call again as a new one, with what the old one was given.
type Repeat struct {
	Call string `json:"call"`
}

// Decide refuses a call that is nobody's work, and one that is not over: it would be done twice at once.
func (c Repeat) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	of, err := s.FindCallOrStep(c.Call)
	if err != nil {
		return nil, err
	}
	switch {
	case of.Phase != sessions.Over:
		return nil, sessions.Refuse(sessions.Conflict, "call_open", "wait for its end, see `baton call show "+of.ID()+"`", "call %s is not over", of.ID())
	case of.Waits():
		return nil, sessions.Refuse(sessions.Conflict, "call_waits", "repeat a call that does something", "call %s only waited", of.ID())
	}
	opened := events.CallOpened{
		Call: s.NextID(), Of: of.ID(), Skill: of.Skill, Intent: of.Intent, Parent: of.Parent, Queue: of.Queue, Inputs: of.Inputs,
		Reads: of.Reads, Writes: of.Writes, Limits: of.Limits, Execute: of.Execute, Env: of.Env, Timeout: of.Timeout,
	}
	if opened.Queue == "" {
		return []events.Data{opened, events.CallStarted{Call: opened.Call, Attempt: 1}}, nil
	}
	return []events.Data{opened}, nil
}

// Answer is the new call's envelope.
func (c Repeat) Answer(s *State, ref sessions.Ref, w sessions.World) (any, error) {
	return s.Envelope(ref.Call, w)
}

// origin is the call that a call repeats, or itself: its step says where and with what it is executed.
func (s *State) origin(call *sessions.Call) *sessions.Call {
	for of := s.Calls[call.Of]; of != nil; of = s.Calls[call.Of] {
		call = of
	}
	return call
}
