package sessions

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
)

// MaxLosses is how often a lost attempt is made up for by itself.
const MaxLosses = 5

// AloneAfter is after how many losses a call runs alone in its worker, so that it is known who is to
// blame for the next one.
const AloneAfter = 2

// Alone says whether the call must run alone in its worker.
func (c *Call) Alone() bool { return c.Losses >= AloneAfter }

// Claim asks for the next attempt of a call on behalf of a worker that holds a baton. Dead and Silent
// are what the taker knows of the present holder; the log cannot know it.
type Claim struct {
	Call     string `json:"call"`
	Queue    string `json:"queue"`
	Worker   string `json:"worker"`
	Baton    uint64 `json:"baton"`
	Delivery int    `json:"delivery"`
	Wake     bool   `json:"wake,omitempty"`  // the baton was sent by a reconciler
	Alone    bool   `json:"alone,omitempty"` // nothing else runs in the worker's process, nor will meanwhile
	// Permitted is the call for which the permits of all its limits were granted.
	Permitted string `json:"permitted,omitempty"`
	Dead      bool   `json:"-"` // the holder's process is known to be gone
	Silent    bool   `json:"-"` // the holder has not been heard for a lease
}

// The codes of a refused claim: what to do with the baton.
const (
	ClaimForget = "claim_forget" // nothing to do here: acknowledge
	ClaimHeld   = "claim_held"   // its holder was heard: look again when the lease is over
	// ClaimLimited: the call needs permits first; when one is given back, somebody sends a new baton.
	ClaimLimited = "claim_limited"
	// ClaimAlone: the call may have brought its workers down; let what else runs in the process end first.
	ClaimAlone = "claim_alone"
)

// Lacks says which permits a claim needs.
type Lacks struct {
	Call    string   `json:"call"`
	Attempt int      `json:"attempt"`
	Limits  []string `json:"limits"`
}

// Wanted is the call that the baton is about: the one it names, if that still waits for a hand; the
// one whose claim names this message, since a chain goes on under one baton; the one that has waited
// longest on the queue, since the named one may have been taken without a baton. Nil: there is none.
func (c Claim) Wanted(s *State) *Call {
	named := s.Calls[c.Call]
	if named != nil && (named.Phase == Queued || named.Phase == Running && (c.Wake || named.Baton == c.Baton)) {
		return named
	}
	if held := s.Holding(c.Baton); held != nil {
		return held
	}
	return s.NextQueued(c.Queue)
}

// Decide grants a call that is open and unclaimed, or whose holder is gone. A second copy of a baton
// never takes a live call.
func (c Claim) Decide(s *State, _ World) ([]events.Data, error) {
	call := c.Wanted(s)
	switch {
	case call == nil || call.ByHand():
		return nil, forget(c.Call)
	case call.Phase == Queued && call.Alone() && !c.Alone:
		return nil, Refuse(Conflict, ClaimAlone, "let what else runs there end first", "call %s was lost %d times and runs alone in its worker", call.ID(), call.Losses)
	case call.Phase == Queued && len(call.Limits) > 0 && c.Permitted != call.ID():
		return nil, Refuse(Conflict, ClaimLimited, "ask for the permits first", "call %s counts against %s", call.ID(), strings.Join(call.Limits, ", ")).
			With("lacks", Lacks{call.ID(), call.Attempt + 1, call.Limits})
	case call.Phase == Queued:
		return []events.Data{c.start(call, call.Attempt+1)}, nil
	case c.Dead, c.Silent && c.Wake, c.Silent && call.Baton == c.Baton && c.Delivery > call.Delivery:
		return c.takeOver(call), nil
	case call.Baton == c.Baton && call.Worker != c.Worker || c.Silent:
		return nil, Refuse(Conflict, ClaimHeld, "look again after the lease", "call %s is held by %s", call.ID(), call.Worker)
	}
	return nil, forget(call.ID())
}

func forget(call string) error {
	return Refuse(Conflict, ClaimForget, "acknowledge the baton", "call %s needs no hand", call)
}

func (c Claim) start(call *Call, attempt int) events.CallStarted {
	return events.CallStarted{Call: call.ID(), Attempt: attempt, Worker: c.Worker, Baton: c.Baton, Delivery: c.Delivery}
}

// takeOver records the loss first. The sixth loss is the last: nobody starts the call again.
func (c Claim) takeOver(call *Call) []events.Data {
	lost := Lose(call, "its worker was not heard of for a lease")
	if c.Dead {
		lost.Reason = "its worker's process is gone"
	}
	if lost.Final || call.Losses+1 >= AloneAfter && !c.Alone {
		return []events.Data{lost}
	}
	return []events.Data{lost, c.start(call, call.Attempt+1)}
}

// Lose is the end of an attempt whose worker is gone. A call that is made once ends with it.
func Lose(call *Call, reason string) events.CallLost {
	return events.CallLost{Call: call.ID(), Attempt: call.Attempt, Worker: call.Worker, Reason: reason, Final: call.Once || call.Losses >= MaxLosses}
}

// Claimed is what a claim that was granted gives to the worker.
type Claimed struct {
	Envelope Envelope        `json:"envelope"`
	Execute  json.RawMessage `json:"execute"`
	Timeout  float64         `json:"timeout"`
}

// Answer gives the envelope of the call that was claimed.
func (c Claim) Answer(s *State, ref Ref, w World) (any, error) {
	call := s.Calls[ref.Call]
	if call == nil || call.Phase != Running {
		return nil, forget(ref.Call)
	}
	return s.Claimed(call, w)
}

// Claimed describes a running call to its worker.
func (s *State) Claimed(call *Call, w World) (Claimed, error) {
	e, err := s.Envelope(call.ID(), w)
	return Claimed{Envelope: e, Execute: call.Execute, Timeout: call.Timeout}, err
}

// Next asks for another call of the same session and queue, under the same baton, in the commit that
// ends the last one.
type Next struct {
	Queue    string `json:"queue"`
	Worker   string `json:"worker"`
	Baton    uint64 `json:"baton"`
	Delivery int    `json:"delivery"`
}

// Take starts the call that has waited longest on the queue, if one waits.
func (n Next) Take(s *State) (events.CallStarted, bool) {
	call := s.NextQueued(n.Queue)
	if call == nil {
		return events.CallStarted{}, false
	}
	return events.CallStarted{Call: call.ID(), Attempt: call.Attempt + 1, Worker: n.Worker, Baton: n.Baton, Delivery: n.Delivery}, true
}

// Fenced gives the running call of an attempt, or refuses: an attempt that is not the current one of
// its worker can end nothing.
func (s *State) Fenced(id string, attempt int, worker string) (*Call, error) {
	call := s.Calls[id]
	if call == nil {
		return nil, Refuse(NotFound, "call_not_found", "drop the result", "there is no call %q in session %s", id, s.ID)
	}
	if call.Phase == Over && call.Status == Cancelled && call.Attempt == attempt {
		return nil, Refuse(Conflict, Cancelled, "stop the work and drop the result", "call %s was cancelled", id)
	}
	if call.Phase != Running || call.Attempt != attempt || call.Worker != worker {
		return nil, Stale(call, attempt)
	}
	return call, nil
}

// What a heartbeat is answered besides StaleResult: another attempt holds the call.
const (
	GoOn      = "go on"
	Cancelled = "cancelled" // the call is no longer wanted; its status and its failure say so, too
)

// Standing answers a heartbeat: GoOn, Cancelled or StaleResult.
func (s *State) Standing(id string, attempt int, worker string) string {
	_, err := s.Fenced(id, attempt, worker)
	switch r, _ := err.(*Refusal); {
	case r == nil:
		return GoOn
	case r.Code == Cancelled:
		return Cancelled
	}
	return StaleResult
}

// Undo takes back what a failed call wrote.
func (s *State) Undo(call *Call) []events.Data { return s.undo(call.Writer(), call) }

// Describe is the call in one line, for failures in tests and logs.
func (c *Call) Describe() string {
	return fmt.Sprintf("%s %s attempt %d worker %q failures %d losses %d", c.ID(), c.PublicStatus(), c.Attempt, c.Worker, c.Failures, c.Losses)
}
