package projections

import (
	"cmp"
	"time"

	"github.com/batonflow/baton/events"
)

// listed begins a step that goes through a list. It is one atom, and one file once it is joined,
// however long the list is.
func (p *Pipeline) listed(at time.Time, d events.ItemsListed) {
	run := p.touch(d.Run)
	if run == nil || d.Step == "" {
		return
	}
	s := p.step(d.Run, d.Step)
	s.unlist(run)
	if s.open {
		run.open--
	}
	if s.opened.IsZero() {
		s.opened = at
	}
	s.items, s.call, s.inputs, s.reads = newItems(d.Count), "", nil, nil
	s.goOn()
}

// goOn makes a step one that runs, whatever became of it before.
func (s *pipelineStep) goOn() {
	s.status, s.open, s.ended, s.err, s.reason, s.file = "running", true, time.Time{}, nil, "", nil
}

// unlist makes the step one of a single call.
func (s *pipelineStep) unlist(run *pipelineRun) {
	if s.items != nil {
		run.open -= s.items.Running
		s.items, s.open = nil, false
	}
}

// itemOpened takes the opening of an item's call; false for any other.
func (p *Pipeline) itemOpened(run *pipelineRun, s *pipelineStep, d events.CallOpened) bool {
	if s.items == nil || !isItem(d.Run, d.Step, d.Call) {
		return false
	}
	if !s.items.runs(d.Call) {
		p.parallel = p.parallel || run.open > 0
		run.open++
	}
	s.items.move(d.Call, "")
	s.skill = cmp.Or(d.Skill, s.skill)
	s.goOn()
	p.byCall[d.Call] = s
	return true
}

// itemEnded counts the end of an item's call by its status; false for a call that is none.
func (p *Pipeline) itemEnded(call, status string) bool {
	s := p.byCall[call]
	if s == nil || !s.goesThrough(call) {
		return false
	}
	if run := p.touch(s.run); s.items.runs(call) {
		run.open--
	}
	s.items.move(call, status)
	return true
}

// goesThrough says whether a call is for an item of the step's list.
func (s *pipelineStep) goesThrough(call string) bool {
	return s.items != nil && isItem(s.run, s.step, call)
}

func (p *Pipeline) joined(at time.Time, d events.StepJoined) {
	if p.touch(d.Run) == nil {
		return
	}
	s := p.step(d.Run, d.Step)
	if s.items == nil {
		return
	}
	s.status, s.open, s.ended, s.err = "completed", false, at, nil
	p.filed(s, events.CallClosed{Attempt: s.attempts, Status: "ok", Value: d.Value})
}
