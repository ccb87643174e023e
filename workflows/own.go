package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// A child run with `session: own` is a line of commits of its own. The opening of its call names the
// session, and the run has the call's id there too. Nothing of it is decided here: whoever commits the
// start or the end of either side looks at both, and Between says what is due. What is lost on the way is
// looked for again, and what is said twice counts once: each side knows for which attempt it is.

// ChildSession is the id of the session that a call's child run has: a UUID of version 8.
func ChildSession(session, call string) string {
	sum := sha256.Sum256([]byte("child\x00" + session + "\x00" + call))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	id := hex.EncodeToString(sum[:16])
	return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
}

// owned gives an opening the session of its child run, where that has one of its own.
func (s *State) owned(step *template.Step, opened events.CallOpened) events.CallOpened {
	if step.Workflow.Session == template.Own {
		opened.Child = ChildSession(s.ID, opened.Call)
	}
	return opened
}

// CallerSide is what a call says of its child run.
type CallerSide struct {
	Child string // the session; empty: it has no child run with a session of its own
	Call  CallChild
	Live  bool // an attempt is under way, which Call is for
}

// CallerSide shows what the call wants of its child run.
func (s *State) CallerSide(id string) (CallerSide, error) {
	call := s.Calls[id]
	if call == nil || call.Child == "" {
		return CallerSide{}, nil
	}
	side := CallerSide{Child: call.Child, Live: call.Live() > 0}
	side.Call = CallChild{Start: Start{Run: id}, Caller: events.Caller{Session: s.ID, Call: id, Attempt: call.Attempt}}
	if !side.Live {
		return side, nil
	}
	start, err := s.starts(call)
	start.Goal, start.Mode = s.Goal, s.Mode
	side.Call.Start = start
	return side, err
}

// ChildSide is where a child run stands in its session.
type ChildSide struct {
	There  bool
	Caller events.Caller
	Status RunStatus
	Reason string
	Value  events.Value // what it gives, once it has completed
	Ended  bool         // its session has ended
}

// ChildSide shows where a run stands for the call that it is carried out for.
func (s *State) ChildSide(run string, w sessions.World) (ChildSide, error) {
	r := s.Runs[run]
	if r == nil {
		return ChildSide{Ended: s.Status == sessions.Ended}, nil
	}
	side := ChildSide{There: true, Caller: r.Caller, Status: r.Status, Reason: r.Reason, Ended: s.Status == sessions.Ended}
	var err error
	if r.Status == Completed {
		side.Value, err = s.outcome(r, w)
	}
	return side, err
}

// over says whether nothing will become of the run any more.
func (c ChildSide) over() bool { return c.There && c.Status != Running || c.Ended }

// Between says what is due between a call and its child run, and in which session; nil: nothing is.
func Between(of CallerSide, child ChildSide) (session string, due Command) {
	c := of.Call.Caller
	serves := child.There && child.Caller == c
	switch {
	case of.Child == "":
		return "", nil
	case of.Live && child.Ended && !(serves && child.Status != Running):
		return c.Session, ChildOver{Call: c.Call, Attempt: c.Attempt, Failure: &events.Failure{Class: "terminal", Code: "child_ended", Message: "the session of its run has ended"}}
	case of.Live && serves && child.over():
		return c.Session, ChildOver{Call: c.Call, Attempt: c.Attempt, Value: child.Value, Failure: childFailure(child.Status, child.Reason)}
	case of.Live && (!child.There || child.over()):
		return of.Child, of.Call
	case !of.Live && child.There && !child.over() && child.Caller.Session == c.Session && child.Caller.Call == c.Call:
		return of.Child, StopChild{Run: of.Call.Start.Run, Caller: child.Caller}
	}
	return "", nil
}

// childFailure is why a call fails whose child run ended so; nil when it ended well.
func childFailure(status RunStatus, reason string) *events.Failure {
	switch status {
	case Failed:
		return &events.Failure{Class: "retryable", Code: "child_failed", Message: "its run failed: " + reason}
	case Cancelled:
		return &events.Failure{Class: "terminal", Code: "child_cancelled", Message: "its run was cancelled"}
	}
	return nil
}

// CallChild begins the session of a child run, or takes the run up again for a later attempt.
type CallChild struct {
	Start  Start         `json:"start"`
	Caller events.Caller `json:"caller"`
}

// Decide says nothing where the run was carried out for that attempt already, or is under way.
func (c CallChild) Decide(s *State, w sessions.World) ([]events.Data, error) {
	r := s.Runs[c.Start.Run]
	if r != nil && (c.Caller.Attempt <= r.Served || !r.Over()) {
		return nil, nil
	}
	if r != nil {
		if err := s.Open(); err != nil {
			return nil, err
		}
		return []events.Data{events.RunResumed{Run: r.Run, By: Actor, Redo: r.again(), Caller: c.Caller}}, nil
	}
	facts, err := c.Start.Decide(s, w)
	if err != nil {
		return nil, err
	}
	last := len(facts) - 1
	started, _ := facts[last].(events.RunStarted) // Start's last fact
	started.Caller = c.Caller
	facts[last] = started
	return facts, nil
}

// Answer shows the run.
func (c CallChild) Answer(s *State, ref sessions.Ref, w sessions.World) (any, error) {
	return c.Start.Answer(s, ref, w)
}

// StopChild cancels a child run whose call no longer waits for it.
type StopChild struct {
	Run    string        `json:"run"`
	Caller events.Caller `json:"caller"`
}

// Decide says nothing where the run is carried out for another attempt by now, or for nobody.
func (c StopChild) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	r := s.Runs[c.Run]
	if r == nil || r.Over() || r.Caller != c.Caller {
		return nil, nil
	}
	return []events.Data{events.RunCancelled{Run: c.Run, Reason: "the step that it ran for is over"}}, nil
}

// Answer has nothing to tell.
func (c StopChild) Answer(*State, sessions.Ref, sessions.World) (any, error) { return struct{}{}, nil }

// serve notes for which attempt a run is carried out from now on; for none, where a person took it up.
func (r *Run) serve(caller events.Caller) {
	r.Caller = caller
	r.Served = max(r.Served, caller.Attempt)
}

// ChildOver ends the attempt of a call whose child run has ended in its session.
type ChildOver struct {
	Call    string          `json:"call"`
	Attempt int             `json:"attempt"`
	Value   events.Value    `json:"value,omitzero"`
	Failure *events.Failure `json:"failure,omitempty"`
}

// Decide says nothing where that attempt is not under way: it has ended otherwise, or was ended by this.
func (c ChildOver) Decide(s *State, w sessions.World) ([]events.Data, error) {
	call := s.Calls[c.Call]
	if call == nil || call.Child == "" || call.Live() == 0 || call.Live() != c.Attempt {
		return nil, nil
	}
	return s.end(ending{call: c.Call, value: c.Value, failure: c.Failure}, w), nil
}

// Answer has nothing to tell.
func (c ChildOver) Answer(*State, sessions.Ref, sessions.World) (any, error) { return struct{}{}, nil }

// starts gives the command that starts the template of a call's child run by itself.
func (s *State) starts(call *sessions.Call) (Start, error) {
	r, i, ok := s.stepOf(call)
	if !ok {
		return Start{Run: call.ID()}, nil
	}
	key := SourceOf(r.Folder, r.Template.Steps[i].Workflow)
	root := s.root(r)
	source := root.Templates[key]
	inputs, err := childInputs(call)
	return Start{
		Run: call.ID(), Name: nameOf(source), Text: source.Text, Inputs: inputs, Workspace: r.Workspace,
		Folder: source.Folder, Path: source.Path, Env: root.Env, Templates: root.Templates,
	}, err
}

// childInputs are the inputs that a call gives to its child run.
func childInputs(call *sessions.Call) (map[string]json.RawMessage, error) {
	var execute struct {
		Workflow struct {
			Inputs map[string]json.RawMessage `json:"inputs"`
		} `json:"workflow"`
	}
	err := json.Unmarshal(call.Execute, &execute)
	return execute.Workflow.Inputs, err
}
