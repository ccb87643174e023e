package projections

import (
	"strings"
	"time"

	"github.com/batonflow/baton/events"
)

// node is one event in the tree. Exactly one of the pointers says what it was; calls, runs and lists
// have what happened inside them below.
type node struct {
	Type     string    `json:"type"`
	Sequence uint64    `json:"sequence"`
	Commit   uint64    `json:"n"`
	Time     time.Time `json:"time"`
	Actor    string    `json:"actor,omitempty"`

	Call    *callNode            `json:"call,omitempty"`
	Run     *runNode             `json:"run,omitempty"`
	Route   *events.RouteDecided `json:"route,omitempty"`
	Blocked *events.RouteBlocked `json:"blocked,omitempty"`
	Switch  *events.SwitchMade   `json:"switch,omitempty"`
	Context *contextNode         `json:"context,omitempty"`
	Timer   *timerNode           `json:"timer,omitempty"`
	Change  *change              `json:"change,omitempty"`

	Approval *approvalNode `json:"approval,omitempty"`
	Answer   *answerNode   `json:"answer,omitempty"`
	Signal   *signalNode   `json:"signal,omitempty"`
	List     *listNode     `json:"list,omitempty"`
	Join     *joinNode     `json:"join,omitempty"`

	Feedback *feedbackNode `json:"feedback,omitempty"`

	Nodes []*node `json:"nodes,omitempty"`

	depth int
}

// callNode is a call as it stands now. Times and attempts are those of all its openings.
type callNode struct {
	ID        string            `json:"call_id"`
	Skill     string            `json:"skill,omitempty"`
	Intent    string            `json:"intent,omitempty"`
	Parent    string            `json:"parent,omitempty"`
	Run       string            `json:"run,omitempty"`
	Step      string            `json:"step,omitempty"`
	Queue     string            `json:"queue,omitempty"`
	Signal    string            `json:"awaits_signal,omitempty"` // the name
	Child     string            `json:"child,omitempty"`         // the session of its child run
	Route     string            `json:"route,omitempty"`
	Status    string            `json:"status"` // open, queued, running, backoff, waiting, suspended; ok, partial, failed, skipped, cancelled
	Opened    time.Time         `json:"opened_at"`
	Closed    time.Time         `json:"closed_at,omitzero"`
	Seconds   float64           `json:"seconds,omitempty"` // from opening to end
	Inputs    map[string]string `json:"inputs,omitempty"`  // previews, like outputs and value
	Reads     []events.Read     `json:"reads,omitempty"`
	Writes    []string          `json:"writes,omitempty"`
	Outputs   map[string]string `json:"outputs,omitempty"`
	Value     string            `json:"value,omitempty"`
	Artifacts []string          `json:"artifacts,omitempty"`
	Note      string            `json:"note,omitempty"`
	Missing   []string          `json:"missing_writes,omitempty"`
	Attempts  []*attempt        `json:"attempts,omitempty"`

	who    doer
	before string        // the status before it was set aside
	asked  *approvalNode // what was asked about it last
	failed *events.Failure
	list   *items // of the step, when it is for an item
}

// attempt is one try at a call. A lost one is nobody's failure, so it has a reason instead.
type attempt struct {
	Attempt int             `json:"attempt"`
	Worker  string          `json:"worker,omitempty"`
	Status  string          `json:"status"` // running; ok, partial, failed, skipped, lost, cancelled
	Started time.Time       `json:"started_at,omitzero"`
	Ended   time.Time       `json:"ended_at,omitzero"`
	Seconds float64         `json:"seconds,omitempty"`
	Failure *events.Failure `json:"failure,omitempty"`
	Reason  string          `json:"reason,omitempty"`
}

type runNode struct {
	ID      string            `json:"run"`
	Name    string            `json:"name"`
	SHA256  string            `json:"sha256"`
	Status  string            `json:"status"` // running, completed, failed, cancelled
	Inputs  map[string]string `json:"inputs,omitempty"`
	Started time.Time         `json:"started_at"`
	Ended   time.Time         `json:"ended_at,omitzero"`
	Seconds float64           `json:"seconds,omitempty"`

	steps []*stepNode // in the order in which they were first seen
	byID  map[string]*stepNode
}

// stepNode is a step of a run that was seen: with a call, with a list, or given up without one.
type stepNode struct {
	id     string
	status string // where there is no call
	err    *events.Failure
	reason string
	call   *callNode
	list   *node
	opened time.Time // with a list: when it was made, and when the step ended
	ended  time.Time
}

type contextNode struct {
	Key     string `json:"key"`
	Rev     int    `json:"rev"`
	To      int    `json:"to,omitempty"` // the revision a rollback went back to
	By      string `json:"by,omitempty"`
	Call    string `json:"call_id,omitempty"`
	Preview string `json:"preview,omitempty"`
}

type timerNode struct {
	ID     string `json:"timer"`
	Kind   string `json:"kind"`
	At     string `json:"at"`
	Run    string `json:"run,omitempty"`
	Call   string `json:"call_id,omitempty"`
	Status string `json:"status"` // set, fired, voided
	Reason string `json:"reason,omitempty"`
}

// change is what an event did to a call, a run, a step, a timer or the session.
type change struct {
	Call    string          `json:"call_id,omitempty"`
	Run     string          `json:"run,omitempty"`
	Step    string          `json:"step,omitempty"`
	Timer   string          `json:"timer,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	Worker  string          `json:"worker,omitempty"`
	Status  string          `json:"status"`
	Reason  string          `json:"reason,omitempty"`
	By      string          `json:"by,omitempty"`
	Final   bool            `json:"final,omitempty"`
	Failure *events.Failure `json:"failure,omitempty"`
	Steps   []string        `json:"steps,omitempty"` // of run.failed: what failed
	Redo    []string        `json:"redo,omitempty"`
	Stale   []string        `json:"stale,omitempty"`

	call *callNode
	try  *attempt
}

// end records how an attempt ended, also one whose start was never seen. Attempt 0 is none.
func (c *callNode) end(number int, status string, at time.Time) *attempt {
	if number == 0 {
		return nil
	}
	try := c.try(number)
	try.Status, try.Ended = status, at
	if try.Started.IsZero() && c.Queue == "" {
		try.Started = c.Opened
	}
	try.Seconds = seconds(try.Started, at)
	return try
}

// try finds an attempt by its number, or adds it.
func (c *callNode) try(number int) *attempt {
	for i := len(c.Attempts) - 1; i >= 0; i-- {
		if c.Attempts[i].Attempt == number {
			return c.Attempts[i]
		}
	}
	c.Attempts = append(c.Attempts, &attempt{Attempt: number})
	return c.Attempts[len(c.Attempts)-1]
}

// close ends the call itself.
func (c *callNode) close(status string, at time.Time) {
	c.Status, c.Closed, c.Seconds = status, at, seconds(c.Opened, at)
}

// over settles what hung on a call that has ended: a question that nobody needs to answer any more,
// the count of its list.
func (c *callNode) over() {
	if c.asked != nil && c.asked.Status == "asked" {
		c.asked.Status = "void"
	}
	if c.list != nil {
		c.list.move(c.ID, c.Status)
	}
}

// name is how the call is called inside its run: its step, with the index where it is for an item.
func (c *callNode) name() string {
	if c.Run == "" || c.Step == "" {
		return c.ID
	}
	if isItem(c.Run, c.Step, c.ID) {
		return strings.TrimPrefix(c.ID, c.Run+"/")
	}
	return c.Step
}

// reopen forgets how the call ended; its attempts stay.
func (c *callNode) reopen() {
	c.Closed, c.Seconds, c.failed = time.Time{}, 0, nil
	c.Outputs, c.Value, c.Artifacts, c.Note, c.Missing = nil, "", nil, "", nil
}

// ready is the status of an open call that nobody works on.
func (c *callNode) ready() string {
	if c.Queue == "" {
		return "open"
	}
	return "queued"
}
