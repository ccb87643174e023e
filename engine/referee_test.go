package engine_test

import (
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
)

// referee reads a run's events one by one and says what the rules forbid. It knows the plan and
// counts by itself; it shares no code with the folds.
type referee struct {
	plan    plan
	calls   map[string]*refereed
	ended   fate
	open    map[string]bool
	runOver bool
	faults  []string
}

type refereed struct {
	attempt int
	running bool
	result  bool
}

func newReferee(p plan) *referee {
	return &referee{plan: p, calls: map[string]*refereed{}, ended: fate{}, open: map[string]bool{}}
}

func (r *referee) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func (r *referee) watch(frames []events.Frame) *referee {
	for _, f := range frames {
		for _, e := range f.Events {
			r.event(e)
		}
	}
	return r
}

func (r *referee) call(id string) *refereed {
	c := r.calls[id]
	if c == nil {
		r.fault("call %s was never opened", id)
		return &refereed{}
	}
	return c
}

func (r *referee) event(e events.Event) {
	switch d := e.Data.(type) {
	case events.CallOpened:
		r.opened(d)
	case events.CallStarted:
		c := r.call(d.Call)
		if c.result || c.running || r.runOver {
			r.fault("%s attempt %d started: result recorded %t, an attempt runs %t, run over %t", d.Call, d.Attempt, c.result, c.running, r.runOver)
		}
		if d.Attempt != c.attempt+1 {
			r.fault("%s attempt %d follows attempt %d", d.Call, d.Attempt, c.attempt)
		}
		c.attempt, c.running = d.Attempt, true
	case events.CallClosed:
		r.attemptEnds(d.Call, d.Attempt)
		r.call(d.Call).result = true
		r.stepEnds(d.Call, "completed")
	case events.CallFailed:
		r.attemptEnds(d.Call, d.Attempt)
		if d.Final {
			r.stepEnds(d.Call, "failed")
		}
	case events.CallLost:
		r.attemptEnds(d.Call, d.Attempt)
		if d.Final {
			r.stepEnds(d.Call, "failed")
		}
	case events.StepSkipped:
		r.ended[d.Step] = "skipped"
	case events.StepFailed:
		r.fault("step %s was given up: %+v", d.Step, d.Failure)
	case events.RunCompleted, events.RunFailed:
		if len(r.open) > 0 {
			r.fault("run ended with %d calls open", len(r.open))
		}
		r.runOver = true
	case events.RunResumed:
		r.runOver = false
		for _, id := range r.ended.with("failed") {
			delete(r.ended, id)
		}
	}
}

func (r *referee) opened(d events.CallOpened) {
	c := r.calls[d.Call]
	if c == nil {
		c = &refereed{}
		r.calls[d.Call] = c
	}
	if c.result || r.open[d.Call] {
		r.fault("%s opened: result recorded %t, open already %t", d.Call, c.result, r.open[d.Call])
	}
	if !slices.Contains(r.plan.startable(r.ended), d.Step) {
		r.fault("%s opened before its needs were met; ended so far: %v", d.Call, r.ended)
	}
	r.open[d.Call] = true
	if p := r.plan.parallel; p > 0 && len(r.open) > p {
		r.fault("%d calls open at once, the limit is %d", len(r.open), p)
	}
}

func (r *referee) attemptEnds(call string, attempt int) {
	c := r.call(call)
	if !c.running || c.attempt != attempt {
		r.fault("%s attempt %d ended; current is %d, running %t", call, attempt, c.attempt, c.running)
	}
	c.running = false
}

func (r *referee) stepEnds(call, how string) {
	if !r.open[call] {
		r.fault("%s ended and was not open", call)
	}
	delete(r.open, call)
	r.ended[call[len("r1/"):]] = how
}
