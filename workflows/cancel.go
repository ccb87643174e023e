package workflows

import (
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Cancel stops a run: nothing new starts, timers are void, running attempts are ended by their workers.
type Cancel struct {
	Run    string `json:"run"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Decide says nothing about a run that is cancelled already, and refuses one that has ended otherwise.
func (c Cancel) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	switch r.Status {
	case Cancelled:
		return nil, nil
	case Completed:
		return nil, sessions.Refuse(sessions.Conflict, "run_over", "nothing needs to be done", "run %s is completed", r.Run)
	}
	if err := s.Open(); err != nil {
		return nil, err
	}
	return []events.Data{events.RunCancelled{Run: r.Run, By: c.By, Reason: c.Reason}}, nil
}

// dropCalls ends the calls of a cancelled run, some at a time: their child runs and timers follow.
func (s *State) dropCalls(r *Run) []events.Data {
	var out []events.Data
	for _, id := range s.Order {
		call := s.Calls[id]
		if call.Phase == sessions.Over || call.Run != r.Run && s.besides[id] != r.Run {
			continue
		}
		out = append(out, events.CallCancelled{Call: id, Attempt: call.Live(), Reason: "its run was cancelled"})
		if out = append(out, s.Undo(call)...); len(out) >= maxDrop {
			break
		}
	}
	return out
}

// Answer shows the run.
func (c Cancel) Answer(s *State, _ sessions.Ref, w sessions.World) (any, error) {
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	return s.View(r.Run, w)
}

// ResumeRun takes a failed run up again.
type ResumeRun struct {
	Run    string   `json:"run"`
	By     string   `json:"by,omitempty"`
	Text   string   `json:"text,omitempty"` // the template as it is now; "": as recorded
	Policy string   `json:"policy,omitempty"`
	Redo   []string `json:"redo,omitempty"`
}

// Decide starts exactly the steps that have not completed and whose needs have. A changed template is
// refused with the difference unless the policy says what to do. A run that goes on already, or that
// was resumed by somebody else, is no fault.
func (c ResumeRun) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	if r.Status == Cancelled {
		return nil, sessions.Refuse(sessions.Conflict, "run_cancelled", "start a new one with `baton workflow run`", "run %s was cancelled", r.Run)
	}
	if r.Status == Running || r.Status == Completed && r.Resumes > 0 && len(c.Redo) == 0 {
		return nil, nil
	}
	if r.pilot != nil {
		return nil, sessions.Refuse(sessions.Conflict, "run_over", "start a new one", "run %s went by a router and has ended: %s", r.Run, r.Reason)
	}
	if r.Status == Completed && len(c.Redo) == 0 {
		return nil, sessions.Refuse(sessions.Conflict, "run_over", "name steps to run again with --redo", "run %s is completed", r.Run)
	}
	return c.resume(r)
}

func (c ResumeRun) resume(r *Run) ([]events.Data, error) {
	out := events.RunResumed{Run: r.Run, By: c.By, Redo: c.Redo}
	target := r.Template
	if c.Text != "" && c.Text != r.Text {
		next, err := ParseTemplate(r.Name, c.Text)
		if err != nil {
			return nil, err
		}
		switch c.Policy {
		case "pin":
			out.Policy = "pin"
		case "accept":
			out.Policy, out.Text, out.SHA256 = "accept", c.Text, digest(c.Text)
			out.Stale = r.stale(next, c.Redo)
			target = next
		default:
			return nil, r.changed(next, c.Text)
		}
	}
	for _, id := range c.Redo {
		if _, ok := target.Step(id); !ok {
			return nil, sessions.Refuse(sessions.NotFound, "step_not_found", "see `baton workflow show`", "there is no step %q in run %s", id, r.Run)
		}
	}
	return []events.Data{out}, nil
}

// Resumed is the answer to ResumeRun.
type Resumed struct {
	View
	Already bool     `json:"already"`
	By      string   `json:"by"`
	Stale   []string `json:"changed_after_finish"` // finished steps whose text changed and that are kept
}

// Answer shows the run, and who resumed it when it was somebody else.
func (c ResumeRun) Answer(s *State, ref sessions.Ref, w sessions.World) (any, error) {
	r, err := s.FindRun(c.Run)
	if err != nil {
		return nil, err
	}
	view, err := s.View(r.Run, w)
	return Resumed{View: view, Already: ref.Run == "", By: r.ResumedBy, Stale: append([]string{}, r.Stale...)}, err
}
