package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

// RunView is a run as its events tell it. Steps that were not opened yet are not in it: only the
// template knows them.
type RunView struct {
	Run     string     `json:"run"`
	Session string     `json:"session"`
	Name    string     `json:"name"`
	Status  string     `json:"status"` // running, waiting, completed, failed, cancelled
	Started time.Time  `json:"started_at"`
	Ended   time.Time  `json:"ended_at,omitzero"`
	Steps   []StepView `json:"steps"`
}

// StepView is a step of a run. Opened and Started are of its first opening and attempt, Closed is of
// its last end; Seconds is from the first start to the end.
type StepView struct {
	ID       string          `json:"id"`
	Call     string          `json:"call_id,omitempty"`
	Status   string          `json:"status"` // queued, running, backoff, waiting, completed, failed, skipped, cancelled
	Attempts int             `json:"attempts"`
	Worker   string          `json:"worker,omitempty"` // of the last attempt
	Opened   time.Time       `json:"opened_at,omitzero"`
	Started  time.Time       `json:"started_at,omitzero"`
	Closed   time.Time       `json:"closed_at,omitzero"`
	Seconds  float64         `json:"seconds,omitempty"`
	Items    *items          `json:"items,omitempty"` // of a step that goes through a list
	Error    *events.Failure `json:"error,omitempty"` // of the last attempt that ended badly, while the step is not completed
}

// Run gives a run of the session with its steps in the order in which they were first seen; false if
// the session has none of this id.
func (t *Trace) Run(id string) (RunView, bool) {
	n := t.runs[id]
	if n == nil {
		return RunView{}, false
	}
	r := n.Run
	view := RunView{Run: r.ID, Session: t.head.Session, Name: r.Name, Status: r.Status, Started: r.Started, Ended: r.Ended, Steps: []StepView{}}
	for _, s := range r.steps {
		view.Steps = append(view.Steps, s.view())
	}
	if view.Status == "running" && !t.busy(id) {
		view.Status = "waiting"
	}
	return view, true
}

// busy says whether a call of the run is a worker's, or will be without anybody's doing.
func (t *Trace) busy(run string) bool {
	for _, n := range t.calls {
		if status := n.Call.step(); n.Call.Run == run && (status == "running" || status == "queued") {
			return true
		}
	}
	return false
}

func (s *stepNode) view() StepView {
	c := s.call
	switch {
	case s.list != nil:
		return StepView{
			ID: s.id, Status: s.status, Opened: s.opened, Started: s.opened, Closed: s.ended,
			Seconds: seconds(s.opened, s.ended), Items: s.list.List.Items, Error: s.err,
		}
	case c == nil:
		return StepView{ID: s.id, Status: s.status, Error: s.err}
	}
	row := StepView{ID: s.id, Call: c.ID, Status: c.step(), Opened: c.Opened, Closed: c.Closed}
	if len(c.Attempts) > 0 {
		first, last := c.Attempts[0], c.Attempts[len(c.Attempts)-1]
		row.Attempts, row.Worker, row.Started = last.Attempt, last.Worker, first.Started
		row.Seconds = seconds(first.Started, c.Closed)
		if row.Status != "completed" {
			row.Error = last.Failure
		}
	} else if row.Status == "failed" { // it was not to be started
		row.Error = c.failed
	}
	return row
}

// step is the call's status in the words of a step.
func (c *callNode) step() string {
	switch c.Status {
	case "ok", "partial":
		return "completed"
	case "queued", "open":
		if c.who.outside {
			return "waiting"
		}
	case "suspended":
		return "waiting"
	}
	return c.Status
}
