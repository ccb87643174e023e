package projections

import (
	"encoding/json"
	"fmt"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/modes"
)

// taskState is where a task stands, in the words of the modes.
type taskState struct {
	status string
	short  *modes.ShortCircuit
	loop   *loopState
	cycles int
}

// loopState is what a loop has come to.
type loopState struct {
	Inner   int          `json:"inner_iterations"`
	Outer   int          `json:"outer_iterations"`
	Exit    string       `json:"exit_reason"`
	Best    *modes.Best  `json:"best,omitempty"`
	Results []loopResult `json:"accumulated_results"`
	Reviews []loopReview `json:"outer_reviews"`
}

// loopResult is one cycle or round.
type loopResult struct {
	N      int      `json:"n"`
	Result string   `json:"result"`
	Score  *float64 `json:"score"`
	Kept   bool     `json:"kept"`
	File   string   `json:"file"`
}

// loopReview is one look of the outer loop.
type loopReview struct {
	N        int    `json:"n"`
	Decision string `json:"decision"`
	File     string `json:"file"`
}

func (p *Pipeline) taskState(t *pipelineTask) taskState {
	s := taskState{status: "running", cycles: 1}
	run := p.byRun[t.run]
	if run == nil {
		return s
	}
	switch t.decision.Route {
	case task.Exploratory, task.Research:
		s.loop = p.loopOf(t)
		s.cycles = max(1, s.loop.Inner)
	}
	if run.Status == "running" {
		return s
	}
	children := p.childStates(t)
	statuses := make([]string, len(children))
	for i, c := range children {
		statuses[i] = c.Status
	}
	switch {
	case run.Status == "cancelled":
		s.status = modes.Partial
	case s.loop != nil && run.Status == "completed" && s.loop.Exit != "":
		s.status = "loop_exited"
	case len(children) == 1:
		s.status, s.short = children[0].Status, children[0].Short
	default:
		s.status = modes.Aggregate(statuses)
	}
	if run.Status == "failed" && (s.status == modes.Completed || s.status == modes.Running) {
		s.status = modes.Failed // it was no atom that failed
	}
	return s
}

// childStates plays the chain of every child again from what became of its steps.
func (p *Pipeline) childStates(t *pipelineTask) []modes.Chain {
	if n := len(t.decision.Delegations); n > 1 {
		out := make([]modes.Chain, n)
		for i := range out {
			out[i] = p.chainState(t, func(atom string) string { return fmt.Sprintf("%s-%d", atom, i+1) })
		}
		return out
	}
	if t.decision.Route == task.Exploratory || t.decision.Route == task.Research {
		return []modes.Chain{p.loopChain(t)}
	}
	return []modes.Chain{p.chainState(t, func(atom string) string { return atom })}
}

// loopChain is a loop as one pass: each atom by the last of its uses.
func (p *Pipeline) loopChain(t *pipelineTask) modes.Chain {
	last := map[string]string{}
	for _, atom := range t.decision.AtomChain {
		for _, s := range p.used(t, atom) {
			if s.status != "skipped" || last[atom] == "" {
				last[atom] = s.step
			}
		}
	}
	return p.chainState(t, func(atom string) string { return last[atom] })
}

// chainState tells the pure machine of a chain what became of each atom.
func (p *Pipeline) chainState(t *pipelineTask, step func(atom string) string) modes.Chain {
	atoms := make([]task.Atom, len(t.decision.AtomChain))
	for i, name := range t.decision.AtomChain {
		atoms[i] = task.Atom{Skill: name}
	}
	chain := modes.Start(atoms, t.decision.StartAt)
	for {
		a, _, ok := chain.Next()
		if !ok {
			return chain
		}
		s := p.find(t.run, step(a.Skill))
		if s == nil {
			return chain.Broken()
		}
		outcome, ended := outcomeOf(s)
		if !ended {
			return chain.Broken()
		}
		if outcome == modes.Done && p.empty(t, a.Skill, step) {
			outcome = modes.Empty
		}
		next, err := chain.Report(outcome)
		if err != nil {
			return chain
		}
		chain = next
	}
}

// outcomeOf is how a step ended; false: it has not, or it was never begun.
func outcomeOf(s *pipelineStep) (modes.Outcome, bool) {
	switch s.status {
	case "completed":
		return modes.Done, true
	case "failed":
		if s.err == nil {
			return modes.ContractError, true
		}
		if known, ok := outcomesByCode[s.err.Code]; ok {
			return known, true
		}
		return modes.ContractError, true
	}
	return "", false
}

// outcomesByCode gives an outcome for codes of failures that say more than that it failed.
var outcomesByCode = map[string]modes.Outcome{
	"needs_configuration": modes.SkillMissing,
	"E_OUTPUT_MISSING":    modes.WithoutFile,
	"denied":              modes.Denied,
	"approval_expired":    modes.Denied,
}

// empty says whether an atom ended well and the next was skipped all the same: there was nothing to go
// on with.
func (p *Pipeline) empty(t *pipelineTask, atom string, step func(string) string) bool {
	for i, name := range t.decision.AtomChain[:max(0, len(t.decision.AtomChain)-1)] {
		if name == atom {
			next := p.find(t.run, step(t.decision.AtomChain[i+1]))
			return next != nil && next.status == "skipped"
		}
	}
	return false
}

// loopOf reads what the judging steps of a loop have kept.
func (p *Pipeline) loopOf(t *pipelineTask) *loopState {
	l := &loopState{Results: []loopResult{}, Reviews: []loopReview{}}
	for _, s := range p.reached(t, "cycle-") {
		var c modes.Checkpoint
		if json.Unmarshal(s.file.Value, &c) == nil {
			l.Inner, l.Exit, l.Best = c.Cycles, c.Exit, &c.Best
			l.Results = append(l.Results, loopResult{c.Cycles, string(c.Verdict), c.Score, c.Kept, p.path(s)})
		}
	}
	for _, s := range append(p.reached(t, "round-"), p.reached(t, "review-")...) {
		var n modes.Notebook
		if json.Unmarshal(s.file.Value, &n) != nil {
			continue
		}
		if n.Exit != "" {
			l.Exit = n.Exit
		}
		l.Inner, l.Outer, l.Best = max(l.Inner, n.Inner), max(l.Outer, n.Outer), &n.Best
		if n.Decision != "" {
			l.Reviews = append(l.Reviews, loopReview{n.Outer, n.Decision, p.path(s)})
		} else {
			l.Results = append(l.Results, loopResult{n.Inner, n.Result, n.Score, n.Best.At == n.Inner, p.path(s)})
		}
	}
	return l
}

// path is where a step's file stands, from the workspace.
func (p *Pipeline) path(s *pipelineStep) string { return "outputs/" + p.session + "/" + s.file.name }
