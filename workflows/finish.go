package workflows

import (
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Claim asks for the next attempt of a call; see sessions.Claim.
type Claim struct{ sessions.Claim }

// Decide grants or refuses; what a lost attempt wrote is taken back first.
func (c Claim) Decide(s *State, w sessions.World) ([]events.Data, error) {
	out, err := c.Claim.Decide(s.State, w)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	if lost, ok := out[0].(events.CallLost); ok {
		call := s.Calls[lost.Call]
		if s.doubtful(call) {
			out = out[:1] // its template's policy has a say before another attempt
		}
		out = append(out, s.Undo(call)...)
	}
	return out, nil
}

// Answer describes the claimed call to its worker.
func (c Claim) Answer(s *State, _ sessions.Ref, w sessions.World) (any, error) {
	call := s.HeldBy(c.Worker)
	if call == nil {
		return nil, sessions.Refuse(sessions.Conflict, sessions.ClaimForget, "acknowledge the baton", "call %s needs no hand", c.Call)
	}
	return s.Task(call, w)
}

// Task is what a worker needs to make an attempt.
type Task struct {
	sessions.Claimed
	Folder        string            `json:"folder"`
	Workspace     string            `json:"workspace"`
	Env           map[string]string `json:"env"`
	Item          json.RawMessage   `json:"item,omitempty"`
	Named         map[string]string `json:"named,omitempty"` // variables that the template names, with references to secrets
	TerminalExits []int             `json:"terminal_exits,omitempty"`
	Sandbox       *template.Sandbox `json:"sandbox,omitempty"` // nil: as the worker is set
}

// Task describes a claimed call to its worker.
func (s *State) Task(call *sessions.Call, w sessions.World) (Task, error) {
	claimed, err := s.Claimed(call, w)
	if err != nil {
		return Task{}, err
	}
	t := Task{Claimed: claimed, Workspace: s.Workspace, Folder: s.Workspace}
	of := s.origin(call)
	if r, i, ok := s.stepOf(of); ok {
		r.local(&t.Envelope)
		if t.Envelope.Inputs, err = s.inputsOf(r, of, t.Envelope.Inputs, w); err != nil {
			return Task{}, err
		}
		if r.Template.Steps[i].Atom != nil {
			t.Envelope = bare(t.Envelope)
		}
		t.Named = call.Env
		if t.Item, err = s.itemValue(r, i, of, w); err != nil {
			return Task{}, err
		}
		t.Folder, t.Workspace, t.Env, t.TerminalExits = r.Folder, r.Workspace, r.Env, r.Template.Steps[i].TerminalExits
		t.Sandbox = r.Template.Steps[i].Sandbox
	}
	return t, err
}

// itemValue is the item that a foreach step's call is for; nil for any other.
func (s *State) itemValue(r *Run, i int, call *sessions.Call, w sessions.World) (json.RawMessage, error) {
	n, ok := itemOf(call.ID())
	if !ok || r.Steps[i].Items == nil {
		return nil, nil
	}
	return r.Steps[i].Items.element(n, w)
}

// inputsOf are the call's inputs: its own, or the run's where the step names none.
func (s *State) inputsOf(r *Run, call *sessions.Call, own map[string]json.RawMessage, w sessions.World) (map[string]json.RawMessage, error) {
	if _, i, ok := s.step(call.Run, call.Step); ok && call.Inputs != nil {
		return s.handed(&r.Template.Steps[i], call, own, w)
	}
	for name, value := range r.Inputs {
		raw, err := w.Value(value)
		if err != nil {
			return nil, err
		}
		own[name] = raw
	}
	return own, nil
}

// Envelope is the envelope of a call, with the run's inputs where the step names none.
func (s *State) Envelope(id string, w sessions.World) (sessions.Envelope, error) {
	e, err := s.State.Envelope(id, w)
	if err != nil {
		return e, err
	}
	r, i, ok := s.step(e.Run, e.Step)
	if !ok {
		return e, nil
	}
	r.local(&e)
	e.Inputs, err = s.inputsOf(r, s.Calls[e.CallID], e.Inputs, w)
	if r.Template.Steps[i].Atom != nil {
		e = bare(e)
	}
	return e, err
}

// Finish ends an attempt, well or badly, and may take the next call of the queue in the same commit.
type Finish struct {
	Call      string                  `json:"call"`
	Attempt   int                     `json:"attempt"`
	Worker    string                  `json:"worker"`
	Value     events.Value            `json:"value,omitzero"`
	Outputs   map[string]events.Value `json:"outputs,omitempty"`
	Artifacts []string                `json:"artifacts,omitempty"`
	Note      string                  `json:"note,omitempty"`
	Usage     json.RawMessage         `json:"usage,omitempty"`
	Failure   *events.Failure         `json:"failure,omitempty"`
	Next      *sessions.Next          `json:"next,omitempty"`
}

// Decide refuses whatever does not hold the current attempt. A worker that holds another one by now
// has ended this attempt before and not heard the answer: it is told what it holds.
func (c Finish) Decide(s *State, w sessions.World) ([]events.Data, error) {
	call, err := s.Fenced(c.Call, c.Attempt, c.Worker)
	if err != nil && c.Next != nil && c.held(s) != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Failure == nil {
		c.Failure = s.breach(call, c.Value, w)
	}
	if c.Failure == nil {
		return s.Result(call, events.CallClosed{
			Call: c.Call, Attempt: c.Attempt, Status: "ok", Value: c.Value, Outputs: s.scoped(call, c.Outputs),
			Artifacts: c.Artifacts, Note: c.Note, Usage: c.Usage,
		}), nil
	}
	if c.Failure.Class == "lost" { // what ran it is gone: nobody's fault
		return append([]events.Data{sessions.Lose(call, c.Failure.Message)}, s.Undo(call)...), nil
	}
	failed := events.CallFailed{Call: c.Call, Attempt: c.Attempt, Failure: *c.Failure}
	if s.doubtful(call) && unreported(failed.Failure) {
		failed.Failure.Class = unknownClass
	} else {
		failed.Final = !s.again(call, failed.Failure)
	}
	return append([]events.Data{failed}, s.Undo(call)...), nil
}

// again says whether another attempt follows a failure by itself.
func (s *State) again(call *sessions.Call, f events.Failure) bool {
	r, i, ok := s.stepOf(call)
	if !ok || f.Class != "retryable" && f.Class != "timeout" || call.Purpose == events.Probe || s.overFor(call) {
		return false
	}
	return call.Failures+1 < max(r.Template.Steps[i].Retry.Attempts, 1)
}

// overFor says whether no run waits for the call any more.
func (s *State) overFor(call *sessions.Call) bool {
	run := call.Run
	if call.Purpose != "" {
		run = s.besides[call.ID()]
	}
	r := s.Runs[run]
	return r == nil || r.Over()
}

// After is the call that the worker takes next, decided once all consequences are folded.
func (c Finish) After(s *State) (events.CallStarted, bool) {
	if c.Next == nil || c.held(s) != nil {
		return events.CallStarted{}, false
	}
	return c.Next.Take(s.State)
}

// Finished is the answer to Finish.
type Finished struct {
	Call string `json:"call"`
	Next *Task  `json:"next,omitempty"`
}

// Answer gives the next call, if one was taken.
func (c Finish) Answer(s *State, _ sessions.Ref, w sessions.World) (any, error) {
	out := Finished{Call: c.Call}
	if c.Next == nil {
		return out, nil
	}
	call := c.held(s)
	if call == nil {
		return out, nil
	}
	task, err := s.Task(call, w)
	out.Next = &task
	return out, err
}

// held is the attempt that the worker holds besides this one.
func (c Finish) held(s *State) *sessions.Call {
	call := s.HeldBy(c.Next.Worker)
	if call == nil || call.ID() == c.Call && call.Attempt == c.Attempt {
		return nil
	}
	return call
}

// Release gives an attempt back that its worker cannot finish because it must stop.
type Release struct {
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker"`
	Reason  string `json:"reason"`
}

// Decide refuses whatever does not hold the current attempt.
func (c Release) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	call, err := s.Fenced(c.Call, c.Attempt, c.Worker)
	if err != nil {
		return nil, err
	}
	return append([]events.Data{sessions.Lose(call, c.Reason)}, s.Undo(call)...), nil
}

// Answer has nothing to tell.
func (c Release) Answer(*State, sessions.Ref, sessions.World) (any, error) { return struct{}{}, nil }

// Fire says that a timer rang. Now is the committer's clock: an alarm that rings early is refused.
type Fire struct {
	Timer string    `json:"timer"`
	Now   time.Time `json:"now"`
}

// TimerEarly is the code of a refused alarm: let it ring again when it is due.
const TimerEarly = "timer_early"

// Decide ignores a timer that is void, unknown, or whose run has ended, and refuses an early one.
func (c Fire) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	t, ok := s.Timers[c.Timer]
	if !ok {
		return nil, nil
	}
	if c.Now.Before(t.At) {
		return nil, sessions.Refuse(sessions.Conflict, TimerEarly, "wait", "timer %s is due at %s", c.Timer, t.At.Format(time.RFC3339Nano)).With("at", t.At)
	}
	return []events.Data{events.TimerFired{Timer: c.Timer}}, nil
}

// Answer has nothing to tell.
func (c Fire) Answer(*State, sessions.Ref, sessions.World) (any, error) { return struct{}{}, nil }
