package projections

import (
	"bytes"
	"cmp"
	"time"

	"github.com/batonflow/baton/events"
)

func (p *Pipeline) callOpened(at time.Time, d events.CallOpened) {
	run := p.touch(d.Run)
	if run == nil || d.Step == "" || d.Purpose != "" { // what is made beside a step has no line of its own
		return
	}
	s := p.step(d.Run, d.Step)
	if p.itemOpened(run, s, d) {
		return
	}
	s.unlist(run)
	if !s.open {
		p.parallel = p.parallel || run.open > 0
		run.open++
	}
	if s.opened.IsZero() {
		s.opened = at
	}
	s.ask(d)
	s.goOn()
	p.byCall[d.Call] = s
}

// ask takes over what an opening wants. One that opens the call again need not repeat everything.
func (s *pipelineStep) ask(d events.CallOpened) {
	s.call, s.skill = d.Call, cmp.Or(d.Skill, s.skill)
	s.program, s.limit = bytes.HasPrefix(d.Execute, []byte(`{"skill"`)), d.Timeout
	if d.Inputs != nil {
		s.inputs = plains(d.Inputs)
	}
	if d.Reads != nil {
		s.reads = d.Reads
	}
}

func (p *Pipeline) callStarted(at time.Time, d events.CallStarted) {
	s := p.byCall[d.Call]
	if s == nil {
		return
	}
	p.touch(s.run)
	s.attempts = max(s.attempts, d.Attempt)
	if s.started.IsZero() {
		s.started = at
	}
}

// attemptEnded keeps what went wrong; the step has failed once no attempt follows.
func (p *Pipeline) attemptEnded(at time.Time, call string, final bool, failure *events.Failure) {
	switch {
	case final && p.itemEnded(call, "failed"):
		return
	case final:
		p.end(at, call, "failed", failure)
		return
	}
	if s := p.byCall[call]; s != nil {
		p.touch(s.run)
		if s.call == call {
			s.err = failure
		}
	}
}

func (p *Pipeline) end(at time.Time, call, status string, failure *events.Failure) *pipelineStep {
	s := p.byCall[call]
	if s == nil || s.call != call {
		return nil
	}
	run := p.touch(s.run)
	if s.open {
		run.open--
	}
	s.open, s.status, s.ended, s.err = false, status, at, failure
	return s
}

// outcomes are the statuses of a closing in the words of pipeline_trace.json.
var outcomes = map[string]string{"ok": "completed", "partial": "completed", "failed": "failed", "skipped": "skipped"}

func (p *Pipeline) callClosed(at time.Time, d events.CallClosed) {
	if p.itemEnded(d.Call, d.Status) {
		return
	}
	s := p.end(at, d.Call, outcomes[d.Status], nil)
	if s == nil {
		return
	}
	if s.status == "" || s.status == "failed" {
		s.status, s.err = "failed", &events.Failure{Class: "terminal", Code: "CLOSED_FAILED", Message: d.Note}
	}
	s.attempts = max(s.attempts, d.Attempt)
	p.filed(s, d)
}

// filed gives the step the file of its closing.
func (p *Pipeline) filed(s *pipelineStep, d events.CallClosed) {
	name, ok := p.fileOf(s)
	if !ok {
		name = p.number(filePrefix(s.skill, s.step))
	}
	s.file = newStepFile(p.session, name, s, d)
	if t := p.tasks[s.run]; t != nil {
		s.file.Check = s.check(s.file, t.scripts[s.step])
	}
	p.files = append(p.files, s.file)
	p.byName[s.file.name] = s.file
}

func (p *Pipeline) callCancelled(at time.Time, d events.CallCancelled) {
	if !p.itemEnded(d.Call, "cancelled") {
		p.end(at, d.Call, "skipped", &events.Failure{Class: "cancelled", Code: "CANCELLED", Message: d.Reason})
	}
}

func (p *Pipeline) stepGivenUp(at time.Time, run, step, status string, failure *events.Failure) *pipelineStep {
	if p.touch(run) == nil {
		return nil
	}
	s := p.step(run, step)
	if s.open && s.items == nil {
		p.byRun[run].open--
	}
	s.status, s.open, s.ended, s.err, s.file = status, false, at, failure, nil
	return s
}
