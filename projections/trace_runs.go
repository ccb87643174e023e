package projections

import (
	"time"

	"github.com/batonflow/baton/events"
)

func (t *Trace) runStarted(n *node, d events.RunStarted) {
	n.Run = &runNode{
		ID: d.Run, Name: d.Name, SHA256: d.SHA256, Status: "running",
		Inputs: previews(d.Inputs), Started: n.Time, byID: map[string]*stepNode{},
	}
	t.tally.Runs++
	t.place(n, t.calls[d.Parent])
	if d.Run != "" {
		t.runs[d.Run] = n
	}
}

func (t *Trace) runEnded(n *node, ch change) {
	above := t.runs[ch.Run]
	if above != nil {
		r := above.Run
		r.Status, r.Ended, r.Seconds = ch.Status, n.Time, seconds(r.Started, n.Time)
	}
	t.add(n, above, ch)
}

func (t *Trace) runResumed(n *node, d events.RunResumed) {
	above := t.runs[d.Run]
	if above != nil {
		r := above.Run
		r.Status, r.Ended, r.Seconds = "running", time.Time{}, 0
		if d.SHA256 != "" {
			r.SHA256 = d.SHA256
		}
	}
	t.add(n, above, change{Run: d.Run, Status: "resumed", By: d.By, Reason: d.Policy, Redo: d.Redo, Stale: d.Stale})
}

func (t *Trace) stepGivenUp(n *node, ch change) {
	above := t.runs[ch.Run]
	if above != nil {
		s := above.Run.step(ch.Step)
		s.status, s.err, s.reason, s.ended = ch.Status, ch.Failure, ch.Reason, n.Time
	}
	t.add(n, above, ch)
}

// stepResolved shows what a person said, and lets the run go on.
func (t *Trace) stepResolved(n *node, d events.StepResolved) {
	above := t.runs[d.Run]
	if above != nil && d.Action != events.Fail {
		r := above.Run
		r.Status, r.Ended, r.Seconds = "running", time.Time{}, 0
		if s := r.step(d.Step); d.Action == events.Skip {
			s.status, s.reason, s.ended, s.call = "skipped", d.Note, n.Time, nil
		}
	}
	t.add(n, above, change{Run: d.Run, Step: d.Step, Status: d.Action, By: d.By, Reason: d.Note})
}

func (t *Trace) timerSet(n *node, d events.TimerSet) {
	n.Timer = &timerNode{ID: d.Timer, Kind: d.Kind, At: d.At, Run: d.Run, Call: d.Call, Status: "set"}
	t.timers[d.Timer] = n
	above := t.calls[d.Call]
	if above != nil && above.Call.Status == above.Call.ready() && d.Kind == "backoff" {
		above.Call.Status = "backoff"
	}
	if above == nil {
		above = t.runs[d.Run]
	}
	t.place(n, above)
}

// timerEnded says so in the timer's own line as well as in one of its own, below the same node.
func (t *Trace) timerEnded(n *node, ch change) {
	set := t.timers[ch.Timer]
	if set == nil {
		t.add(n, nil, ch)
		return
	}
	delete(t.timers, ch.Timer)
	set.Timer.Status, set.Timer.Reason = ch.Status, ch.Reason
	above := t.calls[set.Timer.Call]
	if above != nil && above.Call.Status == "backoff" {
		above.Call.Status = above.Call.ready()
	}
	if above == nil {
		above = t.runs[set.Timer.Run]
	}
	t.add(n, above, ch)
}

// step finds a step of the run, or adds it.
func (r *runNode) step(id string) *stepNode {
	if s := r.byID[id]; s != nil {
		return s
	}
	s := &stepNode{id: id}
	r.steps = append(r.steps, s)
	r.byID[id] = s
	return s
}
