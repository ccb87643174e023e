package projections

import "github.com/batonflow/baton/events"

// Kin is a call whose child run has a session of its own.
type Kin struct{ Session, Call string }

// Apart lists the calls that wait for a child run which is not there or has ended, and those whose child
// run goes on though nothing waits for it: something between the two was lost, or is on its way.
func (x *Index) Apart() []Kin {
	var out []Kin
	for _, c := range x.calls() {
		if c.Child == "" || c.Attempt == 0 {
			continue
		}
		run := x.runs[runKey{c.Child, c.Call}]
		if run == nil || run.Status != "running" {
			out = append(out, Kin{c.Session, c.Call})
		}
	}
	for run := range x.called {
		of := run.Caller
		if work := x.open[of.Session]; work == nil || work.calls[of.Call] == nil || work.calls[of.Call].Attempt != of.Attempt {
			out = append(out, Kin{of.Session, of.Call})
		}
	}
	return out
}

// carried notes for whom a run is carried out from now on, and whether it is under way.
func (x *Index) carried(r *RunRow, caller events.Caller) {
	if r == nil {
		return
	}
	r.Caller = caller
	if caller.Session == "" || r.Status != "running" {
		delete(x.called, r)
		return
	}
	if x.called == nil {
		x.called = map[*RunRow]bool{}
	}
	x.called[r] = true
}
