package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/task"
)

// reportFile tells whoever asked for a task what there is, by paths alone.
const reportFile = "report.json"

// taskReport is report.json.
type taskReport struct {
	Session  string          `json:"session_id"`
	Run      string          `json:"run"`
	Query    string          `json:"query"`
	Mode     string          `json:"mode"`
	Status   string          `json:"status"`
	Summary  taskSummary     `json:"summary"`
	Findings []string        `json:"findings"` // files of the last atom that brought something
	Files    []string        `json:"files"`    // of every step, as they were written
	Trace    string          `json:"trace_file"`
	Checks   map[string]bool `json:"checks"`
}

// taskSummary counts the steps by what became of them.
type taskSummary struct {
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Running   int `json:"running"`
}

// taskRouting is how the mode was chosen.
type taskRouting struct {
	Rule    string             `json:"rule"`
	Matched map[string]string  `json:"matched"`
	Skipped []string           `json:"skip_reasons"`
	Profile string             `json:"profile"`
	Steps   map[string]routing `json:"steps,omitempty"` // of steps whose skill was routed
}

// delegation is the work of one child.
type delegation struct {
	task.Delegation
	Calls    []string    `json:"calls"`
	Status   string      `json:"status"`
	Check    *task.Check `json:"check,omitempty"` // all its calls together
	Duration float64     `json:"duration_seconds"`
}

// ofTask puts the trace into the words of the task that it is of.
func (p *Pipeline) ofTask(t *pipelineTrace) {
	k := p.task
	state := p.taskState(k)
	t.Query, t.Mode, t.Chain = k.query, k.decision.Route, append([]string{}, k.decision.AtomChain...)
	if t.Mode == task.Slash {
		t.Mode = task.Standard
	}
	t.Parallel, t.Cycles, t.Status, t.Short, t.Loop = k.decision.Route == task.Parallel, state.cycles, state.status, state.short, state.loop
	t.Atoms, t.Steps, t.Genes = p.taskAtoms(k), p.taskSteps(k), k.decision.Genes
	t.Routing = taskRouting{Rule: k.decision.Rule, Matched: k.decision.Matched, Skipped: append([]string{}, k.decision.Notes...), Profile: "current", Steps: p.routing}
	t.Children = p.delegated(k)
}

// delegated tells of each child what became of it.
func (p *Pipeline) delegated(t *pipelineTask) []delegation {
	states := p.childStates(t)
	out := make([]delegation, 0, len(t.decision.Delegations))
	for i, d := range t.decision.Delegations {
		one := delegation{Delegation: d, Calls: []string{}}
		if i < len(states) {
			one.Status = states[i].Status
		}
		for _, s := range p.ofRun(t) {
			if s.file == nil || t.atom(s.step) == "" || d.Scope != nil && !ofChild(s.step, t.atom(s.step), d.Scope.Index) {
				continue
			}
			one.Calls = append(one.Calls, s.call)
			one.Duration += s.ended.Sub(s.began()).Seconds()
			one.Check = both(one.Check, s.file.Check)
		}
		if run := p.byRun[t.run]; run != nil && run.Status == "running" {
			one.Status = "running"
		}
		out = append(out, one)
	}
	return out
}

func (p *Pipeline) report() []byte {
	t := pipelineTrace{}
	p.ofTask(&t)
	k := p.task
	r := taskReport{
		Session: p.session, Run: k.run, Query: t.Query, Mode: t.Mode, Status: t.Status,
		Findings: []string{}, Files: []string{}, Trace: "outputs/" + p.session + "/" + traceFile,
	}
	for _, s := range p.ofRun(k) {
		r.Summary.count(s.status)
		if s.file == nil {
			continue
		}
		r.Files = append(r.Files, p.path(s))
	}
	r.Findings = append(r.Findings, p.findings(k, t)...)
	r.Checks = p.checks(t, r)
	return render(r)
}

// findings are the files to be read first: the join, the best of a loop, else what the last atom that
// brought something brought.
func (p *Pipeline) findings(k *pipelineTask, t pipelineTrace) []string {
	for i := len(t.Chain) - 1; i >= 0; i-- {
		var files []string
		for _, s := range p.used(k, t.Chain[i]) {
			if s.file == nil || s.status != "completed" {
				continue
			}
			if strings.HasSuffix(s.step, "-join") || t.Loop != nil && t.Loop.Best != nil && ofChild(s.step, t.Chain[i], t.Loop.Best.At) {
				return []string{p.path(s)}
			}
			files = append(files, p.path(s))
		}
		if len(files) > 0 {
			return files
		}
	}
	return nil
}

// checks is the list that a task ends with.
func (p *Pipeline) checks(t pipelineTrace, r taskReport) map[string]bool {
	filed, complete := true, true
	for _, s := range p.ofRun(p.task) {
		filed = filed && (s.status != "completed" || s.file != nil)
	}
	for _, name := range t.Chain {
		complete = complete && t.Atoms[name].Status != "" && t.Atoms[name].Status != "running"
	}
	return map[string]bool{
		"mode_and_chain_fixed": t.Mode != "" && len(t.Chain) > 0, "run_directory_exists": true, // this file is in it
		"one_file_per_step": filed, "trace_complete": complete, "report_delivered": t.Status != "running",
	}
}

func (s *taskSummary) count(status string) {
	switch status {
	case "completed":
		s.Completed++
	case "failed":
		s.Failed++
	case "skipped":
		s.Skipped++
	default:
		s.Running++
	}
}

// check looks at how a step of a task was done. It is none of a step that judges a loop.
func (s *pipelineStep) check(f *stepFile, scripts []string) *task.Check {
	if _, handed := s.inputs["delegation"]; !handed {
		return nil
	}
	seconds := s.ended.Sub(s.began()).Seconds()
	ok := f.Status == "ok" || f.Status == "partial"
	if s.program {
		c := task.ByProgram(ok, seconds, s.limit)
		return &c
	}
	output := f.Value
	if len(f.Outputs["tool_trace"]) > 0 {
		output, _ = json.Marshal(map[string]json.RawMessage{"tool_trace": f.Outputs["tool_trace"]}) // it came from JSON
	}
	c := task.CheckChild(task.Evidence{Output: output, Scripts: append([]string{s.skill}, scripts...), Succeeded: ok, Seconds: seconds, Limit: s.limit})
	return &c
}

// both is what two checks say together.
func both(a, b *task.Check) *task.Check {
	switch {
	case b == nil:
		return a
	case a == nil:
		c := *b
		return &c
	}
	c := task.Check{
		SkillLoaded: a.SkillLoaded && b.SkillLoaded, ScriptCalled: a.ScriptCalled && b.ScriptCalled,
		Succeeded: a.Succeeded && b.Succeeded, InTime: a.InTime && b.InTime, Warnings: append([]string{}, a.Warnings...),
	}
	for _, w := range b.Warnings {
		if !slices.Contains(c.Warnings, w) {
			c.Warnings = append(c.Warnings, w)
		}
	}
	return &c
}

// ofChild says whether a step is the use of an atom by one of several children.
func ofChild(step, atom string, index int) bool { return step == fmt.Sprintf("%s-%d", atom, index) }
