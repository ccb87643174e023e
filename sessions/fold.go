package sessions

import (
	"fmt"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
)

// Fold takes the next event of the session.
func (s *State) Fold(e events.Event) {
	s.UpdatedAt = e.Time
	switch d := e.Data.(type) {
	case events.SessionStarted:
		s.Goal, s.Mode, s.Workspace, s.Status, s.StartedAt = d.Goal, d.Mode, d.Workspace, Active, e.Time
	case events.SessionForked:
		s.forked(d, e.Time)
	case events.SessionEnded:
		s.Summary, s.Status = d.Summary, Ended
	case events.SwitchMade:
		s.Switches = append(s.Switches, Switch{d, e.Time})
		s.CurrentSkill = d.To
	case events.RouteDecided:
		s.Routes = append(s.Routes, Route{Decided: &d, Time: e.Time})
		if d.Run == "" && d.Router == "" {
			s.pending = len(s.Routes)
		}
	case events.RouteBlocked:
		s.Routes = append(s.Routes, Route{Blocked: &d, Time: e.Time})
		s.pending = 0
	case events.FeedbackGiven:
		s.Learned++
		s.known(d.Call).taught = true
	case events.ContextSet:
		s.write(d.Key, Rev{Value: d.Value, By: d.By, Call: d.Call, Time: e.Time})
	case events.ContextDeleted:
		s.write(d.Key, Rev{By: d.By, Call: d.Call, Time: e.Time, Deleted: true})
	case events.ContextRolledBack:
		old, ok := s.Context[d.Key].At(d.To)
		s.write(d.Key, Rev{Value: old.Value, By: d.By, Call: d.Call, Time: e.Time, Deleted: !ok, From: d.To})
	case events.Unknown:
		s.Newer = append(s.Newer, fmt.Sprintf("%s v%d", e.Type, e.V))
	default:
		s.foldCall(e)
	}
	s.remember(e)
}

func (s *State) write(key string, rev Rev) {
	slot := s.Context[key]
	if slot == nil {
		slot = &Slot{Key: key}
		s.Context[key] = slot
	}
	slot.Revs = append(slot.Revs, rev)
}

func (s *State) remember(e events.Event) {
	if e.Request == "" {
		return
	}
	if _, known := s.Requests[e.Request]; known {
		return
	}
	s.Requests[e.Request] = Done{Command: e.Command, Ref: s.RefOf(e.Data)}
}

// RefOf names what a command's first event made, once it is folded.
func (s *State) RefOf(d events.Data) Ref {
	switch d := d.(type) {
	case events.ContextSet:
		return Ref{Key: d.Key, Rev: d.Rev}
	case events.ContextDeleted:
		return Ref{Key: d.Key, Rev: d.Rev}
	case events.ContextRolledBack:
		return Ref{Key: d.Key, Rev: d.Rev}
	case events.RouteDecided, events.RouteBlocked:
		return Ref{Route: len(s.Routes)}
	case events.CallOpened:
		return Ref{Call: d.Call}
	case events.CallStarted:
		return Ref{Call: d.Call}
	case events.CallClosed:
		return Ref{Call: d.Call}
	case events.CallFailed:
		return Ref{Call: d.Call}
	case events.CallSuspended:
		return Ref{Call: d.Call}
	case events.CallResumed:
		return Ref{Call: d.Call}
	case events.RunStarted:
		return Ref{Run: d.Run}
	case events.RunResumed:
		return Ref{Run: d.Run}
	case events.SessionForked:
		return Ref{Call: d.Call}
	case events.SwitchMade:
		return Ref{Switch: len(s.Switches)}
	case events.FeedbackGiven:
		return Ref{Feedback: d.Feedback}
	}
	return Ref{}
}

func (s *State) foldCall(e events.Event) {
	switch d := e.Data.(type) {
	case events.CallOpened:
		s.opened(d, e)
	case events.CallStarted:
		s.started(d, e.Time)
	case events.CallSuspended:
		s.known(d.Call).Phase = Suspended
	case events.CallResumed:
		c := s.known(d.Call)
		c.Phase = Running
		s.raise(d.Call)
		s.CurrentSkill = c.Skill
	case events.CallClosed:
		c := s.known(d.Call)
		c.Closed, c.Failure = d, nil
		s.end(c, d.Status, e.Time)
	case events.CallFailed:
		c := s.known(d.Call)
		c.Failures++
		c.failed(d.Attempt, d.Failure, e.Time)
		s.attemptOver(c, d.Final, e.Time)
	case events.CallLost:
		c := s.known(d.Call)
		c.Losses++
		c.failed(d.Attempt, events.Failure{Class: "lost", Code: "worker_gone", Message: d.Reason}, e.Time)
		s.attemptOver(c, d.Final, e.Time)
	case events.CallCancelled:
		c := s.known(d.Call)
		c.Failure = &events.Failure{Class: Cancelled, Code: Cancelled, Message: d.Reason}
		s.end(c, Cancelled, e.Time)
	}
}

// failed remembers why an attempt ended badly.
func (c *Call) failed(attempt int, f events.Failure, at time.Time) {
	c.Failure = &f
	c.Causes = append(c.Causes, Cause{attempt, at, f})
	if len(c.Causes) > maxCauses {
		c.Causes = slices.Delete(c.Causes, 0, 1)
	}
}

// known gives the call, or a stray one nobody sees: a fold never fails on a log that skips an opening.
func (s *State) known(id string) *Call {
	if c := s.Calls[id]; c != nil {
		return c
	}
	return &Call{CallOpened: events.CallOpened{Call: id}}
}

func (s *State) opened(d events.CallOpened, e events.Event) {
	c := s.Calls[d.Call]
	if c == nil {
		c = &Call{}
		s.Calls[d.Call] = c
		s.Order = append(s.Order, d.Call)
		if d.Run == "" {
			s.numbered++
		}
	}
	*c = Call{CallOpened: d, Phase: Queued, Attempt: c.Attempt, OpenedAt: e.Time, OpenedBy: e.ID}
	if d.Run == "" {
		c.follows, s.pending = s.pending, 0
	}
	if c.ByHand() {
		s.Stack = append(s.Stack, d.Call)
		s.CurrentSkill = d.Skill
		return
	}
	s.enqueue(c)
}

func (s *State) started(d events.CallStarted, at time.Time) {
	c := s.known(d.Call)
	s.dequeue(c)
	c.Phase, c.Attempt, c.Worker, c.Baton, c.Delivery, c.StartedAt, c.Held = Running, d.Attempt, d.Worker, d.Baton, d.Delivery, at, false
	if c.Waits() {
		c.Phase = Waiting
	}
	if d.Baton > 0 {
		s.held[d.Baton] = d.Call
	}
	if d.Worker != "" {
		s.holds[d.Worker] = d.Call
	}
}

// attemptOver ends the current attempt; the call goes back to its queue unless that was the last.
func (s *State) attemptOver(c *Call, final bool, at time.Time) {
	if final {
		s.end(c, "failed", at)
		return
	}
	s.release(c)
	c.Phase, c.EndedAt = Queued, at
	s.enqueue(c)
}

func (s *State) end(c *Call, status string, at time.Time) {
	s.dequeue(c)
	s.release(c)
	c.Phase, c.Status, c.ClosedAt = Over, status, at
	if c.ByHand() {
		s.Stack = slices.DeleteFunc(s.Stack, func(id string) bool { return id == c.ID() })
		if top := len(s.Stack); top > 0 {
			s.CurrentSkill = s.known(s.Stack[top-1]).Skill
		}
	}
}

// ID is the call's id.
func (c *Call) ID() string { return c.Call }

func (s *State) release(c *Call) {
	if s.held[c.Baton] == c.ID() {
		delete(s.held, c.Baton)
	}
	if s.holds[c.Worker] == c.ID() {
		delete(s.holds, c.Worker)
	}
	c.Baton, c.Delivery = 0, 0
}

func (s *State) raise(id string) {
	s.Stack = slices.DeleteFunc(s.Stack, func(x string) bool { return x == id })
	s.Stack = append(s.Stack, id)
}

// enqueue lets workers take the call by its queue; one for outside, one that needs a permit or
// one that runs alone is only taken by its name.
func (s *State) enqueue(c *Call) {
	if !c.Outside() && !c.Waits() && len(c.Limits) == 0 && !c.Alone() {
		s.queued[c.Queue] = append(s.queued[c.Queue], c.ID())
	}
}

func (s *State) dequeue(c *Call) {
	if c.Phase != Queued || c.ByHand() {
		return
	}
	ids := s.queued[c.Queue]
	if i := slices.Index(ids, c.ID()); i >= 0 {
		s.queued[c.Queue] = slices.Delete(ids, i, i+1)
	}
}

// Rest sets a failed call aside until its timer fires; Ready brings it back to its queue.
func (s *State) Rest(id string) {
	if c := s.Calls[id]; c != nil && c.Phase == Queued {
		s.dequeue(c)
		c.Phase = Backoff
	}
}

// Hold keeps an open call from being started until a person has agreed to it.
func (s *State) Hold(id string) {
	if c := s.Calls[id]; c != nil && c.Phase == Queued {
		s.dequeue(c)
		c.Phase, c.Held = Waiting, true
	}
}

// Ready brings a resting or held call back to its queue.
func (s *State) Ready(id string) {
	if c := s.Calls[id]; c != nil && (c.Phase == Backoff || c.Phase == Waiting && c.Held) {
		c.Phase, c.Held = Queued, false
		s.enqueue(c)
	}
}
