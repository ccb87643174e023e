package engine

import (
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// maxBatons bounds the batons of one commit: each recruits a slot, which then goes on by itself
// through what is queued. What none of them reaches, the reconciler finds.
const maxBatons = 64

// effects is what a commit lets out once it has settled.
type effects struct {
	opened    []string // calls that may be claimed
	set       []workflows.Timer
	voided    []string
	cancelled []stream.Beat // attempts that must stop
	dropped   []uint64      // batons of lost attempts
	limited   []string      // calls that hold permits and whose attempt has ended
	kin       []kin         // calls and child runs in sessions of their own, of which one side has moved
}

// foresee notes what the fold of an event forgets: who held the attempt that it ends.
func (f *effects) foresee(s *workflows.State, e events.Event) {
	switch d := e.Data.(type) {
	case events.CallCancelled:
		if call := s.Calls[d.Call]; call != nil && call.Worker != "" {
			f.cancelled = append(f.cancelled, stream.Beat{Session: s.ID, Call: d.Call, Attempt: d.Attempt, Worker: call.Worker})
		}
	case events.CallLost:
		if call := s.Calls[d.Call]; call != nil && call.Baton > 0 {
			f.dropped = append(f.dropped, call.Baton)
		}
	case events.CallStarted:
		f.dropped = slices.DeleteFunc(f.dropped, func(baton uint64) bool { return baton == d.Baton })
	}
}

// note notes what the outside must hear of.
func (f *effects) note(s *workflows.State, e events.Event) {
	if id := endedBy(e.Data); id != "" && s.Calls[id] != nil && len(s.Calls[id].Limits) > 0 {
		f.limited = append(f.limited, id)
	}
	f.noteKin(s, e.Data)
	switch d := e.Data.(type) {
	case events.CallOpened:
		if d.Queue != "" {
			f.opened = append(f.opened, d.Call)
		}
	case events.CallFailed:
		if !d.Final {
			f.opened = append(f.opened, d.Call)
		} else if call := s.Calls[d.Call]; call != nil && call.Purpose == events.Probe {
			f.opened = append(f.opened, call.Parent) // its effect did not happen
		}
	case events.CallLost:
		if !d.Final {
			f.opened = append(f.opened, d.Call)
		}
	case events.ApprovalAnswered:
		if a := s.Approvals[d.Approval]; a != nil {
			f.opened = append(f.opened, a.Call)
		}
	case events.TimerFired:
		f.opened = append(f.opened, workflows.TimerCall(d.Timer))
	case events.TimerSet:
		f.set = append(f.set, s.Timers[d.Timer])
	case events.TimerVoided:
		f.voided = append(f.voided, d.Timer)
	}
}

// noteKin notes a call that starts or gives up its child run in another session, and such a run that ends.
func (f *effects) noteKin(s *workflows.State, data events.Data) {
	id := endedBy(data)
	if started, ok := data.(events.CallStarted); ok {
		id = started.Call
	}
	if call := s.Calls[id]; call != nil && call.Child != "" && call.Status != "ok" {
		f.kin = append(f.kin, kin{s.ID, id})
	}
	if r := s.Runs[runEndedBy(data)]; r != nil && r.Caller.Session != "" {
		f.kin = append(f.kin, kin{r.Caller.Session, r.Caller.Call})
	}
}

// runEndedBy is the run that an event ends; "" when it ends none.
func runEndedBy(data events.Data) string {
	switch d := data.(type) {
	case events.RunCompleted:
		return d.Run
	case events.RunFailed:
		return d.Run
	case events.RunCancelled:
		return d.Run
	}
	return ""
}

// endedBy is the call whose attempt an event ends; "" when it ends none.
func endedBy(data events.Data) string {
	switch d := data.(type) {
	case events.CallClosed:
		return d.Call
	case events.CallFailed:
		return d.Call
	case events.CallLost:
		return d.Call
	case events.CallCancelled:
		return d.Call
	}
	return ""
}

// giveBack frees the permits of attempts that have ended; a call that runs on keeps its own.
func (e *Engine) giveBack(session string, s *workflows.State, ids []string) {
	for _, id := range ids {
		call := s.Calls[id]
		if call.Phase == sessions.Running {
			continue
		}
		limits, attempt := call.Limits, call.Attempt
		e.group.Go(func() { e.permits.ended(e.ctx, session, id, limits, attempt) })
	}
}

// release lets a settled commit's effects out. Errors are only logged: every wake-up and alarm is
// made up for by the reconciler, and a cancelled attempt hears of it with its next beat.
func (e *Engine) release(session string, s *workflows.State, sequence uint64, f *effects) {
	for _, t := range f.set {
		e.warn("arm timer", e.Timers.Arm(e.ctx, stream.Alarm{Session: session, Timer: t.ID, At: t.At}))
	}
	for _, id := range f.voided {
		e.warn("disarm timer", e.Timers.Disarm(e.ctx, session, id))
	}
	for _, beat := range f.cancelled {
		e.warn("tell workers", e.Beats.Tell(e.ctx, beat.Worker, beat))
	}
	for _, sequence := range f.dropped {
		e.warn("remove baton", e.Queue.Remove(e.ctx, sequence))
	}
	e.giveBack(session, s, f.limited)
	e.tendAll(f.kin)
	sent := map[string]int{}
	slices.Sort(f.opened)
	for _, id := range slices.Compact(f.opened) {
		call := s.Calls[id]
		if call == nil || call.Phase != sessions.Queued || call.Outside() || sent[call.Queue] >= maxBatons {
			continue
		}
		sent[call.Queue]++
		_, err := e.Queue.Publish(e.ctx, call.Queue, stream.Baton{Session: session, Call: id, After: sequence})
		e.warn("publish baton", err)
	}
}

func (e *Engine) warn(doing string, err error) {
	if err != nil && e.ctx.Err() == nil {
		e.Logger.Warn(doing, "err", err)
	}
}
