package sessions

import (
	"fmt"

	"github.com/batonflow/baton/events"
)

// AskRoute asks which skill serves a task.
type AskRoute struct {
	RouteTask
}

// Decide puts the question to the router and records its answer, a refusal of the sentinel included.
func (c AskRoute) Decide(s *State, w World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	task := c.RouteTask
	if task.Mode == "" && task.Router == "" {
		task.Mode = s.Mode
	}
	decision, err := w.Route(task)
	if err != nil {
		return nil, err
	}
	lessons, err := s.turnedDown(w, task)
	if err != nil {
		return nil, err
	}
	return append([]events.Data{Numbered(decision, len(s.Routes)+1)}, lessons...), nil
}

// Check refuses what cannot be asked.
func (t RouteTask) Check() error {
	if t.Router != "" {
		return checkText("task", t.Task)
	}
	if t.Mode != "" {
		if err := CheckMode(t.Mode); err != nil {
			return err
		}
	}
	if t.Top < 1 || t.Top > 1000 {
		return Refuse(Usage, "bad_top", "use a number from 1 to 1000", "--top %d makes no list", t.Top)
	}
	if !(t.Threshold >= 0 && t.Threshold <= 1e6) || !(t.Margin >= 0 && t.Margin <= 1e6) {
		return Refuse(Usage, "bad_threshold", "use numbers from 0", "threshold %g and margin %g decide nothing", t.Threshold, t.Margin)
	}
	return checkText("task", t.Task)
}

// Answer gives the decision as it was recorded.
func (c AskRoute) Answer(s *State, ref Ref, _ World) (any, error) {
	return s.Routes[ref.Route-1], nil
}

// Numbered gives a decision its id within the session.
func Numbered(d events.Data, n int) events.Data {
	id := fmt.Sprintf("rt%03d", n)
	switch d := d.(type) {
	case events.RouteDecided:
		d.Route = id
		return d
	case events.RouteBlocked:
		d.Route = id
		return d
	}
	return d
}
