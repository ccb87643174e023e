// Package sessions holds what a session is: its calls, its context and its switches, folded from
// events, and the rules by which commands become events.
//
// Fold takes every event of the session in order and cannot fail; all checking is in the commands'
// Decide, which reads the state and gives events or a [Refusal] and changes nothing. Neither knows
// the clock, a file, the network or a random number: times are those of the events, ids are counted
// or come in with the command. The same events give the same state anywhere.
//
// Safety of work rests here: a call's attempt number is its fence. Only the holder of the current
// attempt can end it, and an ended call takes nothing more.
package sessions

import (
	"bytes"
	"time"

	"github.com/batonflow/baton/events"
)

// State is a session as folded so far. Only Fold changes it.
type State struct {
	ID           string
	Goal         string
	Mode         string // auto, always, manual
	Workspace    string
	Status       string // "" before the first event, then active, then ended
	Summary      string
	From         string // the session that it was forked from; "": none
	StartedAt    time.Time
	UpdatedAt    time.Time
	CurrentSkill string
	Stack        []string // hand-made calls that are open or suspended, outermost first
	Switches     []Switch
	Routes       []Route
	Calls        map[string]*Call
	Order        []string // call ids as they were opened
	Context      map[string]*Slot
	Requests     map[string]Done
	Learned      int      // feedback given in this session
	Newer        []string // events this binary cannot read: no decision is made on such a state

	pending  int               // 1-based index of the route that no call has followed; 0: none
	numbered int               // calls that got a number, not a run's path
	held     map[uint64]string // baton sequence -> running call whose claim names it
	holds    map[string]string // worker -> the call it holds
	queued   map[string][]string
}

// Active and Ended are a session's states.
const (
	Active = "active"
	Ended  = "ended"
)

// New is the state before a session's first event.
func New(id string) *State {
	return &State{
		ID: id, Calls: map[string]*Call{}, Context: map[string]*Slot{}, Requests: map[string]Done{},
		held: map[uint64]string{}, holds: map[string]string{}, queued: map[string][]string{},
	}
}

// Phase is where a call stands.
type Phase string

// The phases of a call.
const (
	Queued    Phase = "queued"    // open, waiting for somebody to claim it
	Running   Phase = "running"   // claimed: an attempt is under way
	Backoff   Phase = "backoff"   // failed, another attempt follows when its timer fires
	Suspended Phase = "suspended" // set aside
	Waiting   Phase = "waiting"   // for a person, a time or a signal
	Over      Phase = "over"      // ended
)

// Call is one use of one skill or executor.
type Call struct {
	events.CallOpened
	Phase     Phase
	Status    string // when over: ok, partial, failed, skipped, cancelled
	Attempt   int    // number of the last attempt; the fence
	Failures  int    // attempts that failed since it was last opened
	Losses    int    // attempts that were lost since it was last opened
	Worker    string // who made the last attempt; while Running, who holds it
	Baton     uint64
	Delivery  int
	OpenedAt  time.Time
	StartedAt time.Time
	ClosedAt  time.Time
	EndedAt   time.Time // of the last attempt that ended badly
	Closed    events.CallClosed
	Failure   *events.Failure // why the last attempt ended badly
	Causes    []Cause         // why the last attempts ended badly, the oldest first
	Held      bool            // while Waiting: it may not start before a person agrees
	OpenedBy  string          // id of the event that opened it

	follows int  // 1-based index of the route before it; 0: none
	taught  bool // it showed something about that route already
}

// Cause is how an attempt ended badly.
type Cause struct {
	Attempt int            `json:"attempt"`
	Time    time.Time      `json:"time"`
	Failure events.Failure `json:"failure"`
}

// maxCauses is how many of them are remembered: those of a call that is given up.
const maxCauses = MaxLosses + 1

// Live is the number of the attempt that is under way; 0 when none is, since each ends but once.
func (c *Call) Live() int {
	if c.Phase == Running || c.Phase == Suspended || c.Phase == Waiting && c.Waits() && !c.Held {
		return c.Attempt
	}
	return 0
}

// ByHand says whether the call was opened for whoever typed the command, not for a run or a worker.
func (c *Call) ByHand() bool { return c.Queue == "" && c.Run == "" }

// Waits says whether the call is nobody's work: it ends when a person answers, a time or a signal
// comes, or its child run ends.
func (c *Call) Waits() bool {
	return c.executes("approve") || c.executes("wait") || c.Starts()
}

// Starts says whether the call is there for a child run.
func (c *Call) Starts() bool { return c.executes("workflow") }

func (c *Call) executes(what string) bool { return bytes.HasPrefix(c.Execute, []byte(`{"`+what+`"`)) }

// Outside says whether an agent outside must take the call: Baton's workers have nothing to run.
func (c *Call) Outside() bool {
	return len(c.Execute) == 0 || c.executes("claim")
}

// PublicStatus is the call's status as people see it.
func (c *Call) PublicStatus() string {
	switch {
	case c.Phase == Over:
		return c.Status
	case c.Phase == Running && c.ByHand():
		return "open"
	}
	return string(c.Phase)
}

// Slot is a context key with all its revisions.
type Slot struct {
	Key  string
	Revs []Rev // Revs[i] is revision i+1
}

// Rev is one revision of a context key.
type Rev struct {
	Value   events.Value
	By      string
	Call    string
	Time    time.Time
	Deleted bool
	From    int // revision it was rolled back to; 0: it was written
}

// At gives a revision, if the key had a value then.
func (s *Slot) At(rev int) (Rev, bool) {
	if s == nil || rev < 1 || rev > len(s.Revs) || s.Revs[rev-1].Deleted {
		return Rev{}, false
	}
	return s.Revs[rev-1], true
}

// Last is the number of the newest revision.
func (s *Slot) Last() int {
	if s == nil {
		return 0
	}
	return len(s.Revs)
}

// Current gives the newest revision, if the key has a value.
func (s *Slot) Current() (Rev, bool) { return s.At(s.Last()) }

// Switch is a hand-over that was made.
type Switch struct {
	events.SwitchMade
	Time time.Time
}

// Route is a decision that was made: one of the two facts.
type Route struct {
	Decided *events.RouteDecided
	Blocked *events.RouteBlocked
	Time    time.Time
}

// Done remembers a request that took effect, so that a repeated one finds itself done.
type Done struct {
	Command string // digest of the command
	Ref     Ref
}

// Ref names what a command made.
type Ref struct {
	Call   string
	Key    string
	Rev    int
	Route  int // 1-based index of the route
	Switch int // 1-based index of the switch
	Run    string

	Feedback string
}

// Innermost is the open call that was resumed or opened last by hand; nil when there is none.
func (s *State) Innermost() *Call {
	for i := len(s.Stack) - 1; i >= 0; i-- {
		if c := s.known(s.Stack[i]); c.Phase == Running {
			return c
		}
	}
	return nil
}

// Holding is the running call whose claim names a baton.
func (s *State) Holding(baton uint64) *Call { return s.Calls[s.held[baton]] }

// HeldBy is the running call that a worker holds; nil when it holds none.
func (s *State) HeldBy(worker string) *Call { return s.Calls[s.holds[worker]] }

// NextQueued is the call that has waited longest on a queue; nil when none waits.
func (s *State) NextQueued(queue string) *Call {
	if ids := s.queued[queue]; len(ids) > 0 {
		return s.Calls[ids[0]]
	}
	return nil
}
