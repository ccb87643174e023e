package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/workflows/template"
)

// pipelineTask is what the Task Router decided for a run.
type pipelineTask struct {
	run      string
	query    string
	decision taskDecision
	prefixes map[string]string   // of files, by atom
	scripts  map[string][]string // by step: what a call of its proven script names
}

// proven takes up, from the run's template, what a child is to run instead of a script of its own.
func (t *pipelineTask) proven(text string) {
	t.scripts = map[string][]string{}
	tpl, faults := template.Parse([]byte(text), template.Known{})
	if len(faults) > 0 {
		return
	}
	for _, s := range tpl.Steps {
		if s.Atom != nil {
			program, _, _ := strings.Cut(s.Atom.CLI, " ")
			t.scripts[s.ID] = append([]string{program}, s.Atom.Skills...)
		}
	}
}

// taskDecision is the part of a recorded decision that the trace shows.
type taskDecision struct {
	Route       string            `json:"route"`
	Rule        string            `json:"rule"`
	Matched     map[string]string `json:"matched"`
	AtomChain   []string          `json:"atom_chain"`
	StartAt     int               `json:"start_at"`
	Delegations []task.Delegation `json:"delegations"`
	Files       []string          `json:"files"`
	Genes       json.RawMessage   `json:"gene_activation"`
	Notes       []string          `json:"notes"`
	Skill       string            `json:"skill"`
	Status      struct {
		Rule    string            `json:"rule"`
		Matched map[string]string `json:"matched"`
	} `json:"status"`
}

// tasked takes up the decision that a run was made from. One whose decision rests in the payload store
// is traced like any other run.
func (p *Pipeline) tasked(d events.RouteDecided) {
	t := &pipelineTask{run: d.Run, query: d.Task, prefixes: map[string]string{}}
	if d.Answer.Stored() || json.Unmarshal(d.Answer.JSON, &t.decision) != nil {
		return
	}
	if t.decision.Route == task.Slash {
		t.decision.AtomChain = []string{t.decision.Skill}
		t.decision.Rule, t.decision.Matched = t.decision.Status.Rule, t.decision.Status.Matched
	}
	for i, atom := range t.decision.AtomChain {
		if at := i * max(1, len(t.decision.Delegations)); at < len(t.decision.Files) {
			name := t.decision.Files[at]
			name = name[strings.LastIndexByte(name, '/')+1:]
			t.prefixes[atom], _, _ = strings.Cut(name, "_")
		}
	}
	p.tasks[d.Run], p.task = t, t
}

// atom is the atom that a step of the run is a use of; empty: it is none.
func (t *pipelineTask) atom(step string) string {
	best := ""
	for _, known := range t.decision.AtomChain {
		if len(known) > len(best) && uses(step, known) {
			best = known
		}
	}
	for known := range atomPrefixes { // what ran before the chain
		if len(known) > len(best) && uses(step, known) {
			best = known
		}
	}
	return best
}

func uses(step, atom string) bool { return step == atom || strings.HasPrefix(step, atom+"-") }

// loopFiles names the files of the steps that judge a loop.
var loopFiles = []struct{ step, file string }{{"cycle-", "loops/inner"}, {"round-", "loops/inner"}, {"review-", "loops/outer"}}

// fileOf gives the name of the file of a step's closing; false: it is no step of a task.
func (p *Pipeline) fileOf(s *pipelineStep) (string, bool) {
	t := p.tasks[s.run]
	if t == nil {
		return "", false
	}
	for _, loop := range loopFiles {
		if strings.HasPrefix(s.step, loop.step) {
			p.written[loop.file]++
			return fmt.Sprintf("%s_%d.json", loop.file, p.written[loop.file]), true
		}
	}
	atom := t.atom(s.step)
	if prefix := t.prefixes[atom]; prefix != "" {
		return p.number(filePrefix("", prefix)), true
	}
	return p.number(filePrefix(atom, s.step)), true
}

// used gives the uses of an atom in the order in which they were opened.
func (p *Pipeline) used(t *pipelineTask, atom string) []*pipelineStep {
	var out []*pipelineStep
	for _, key := range p.chain {
		if s := p.steps[key]; s.run == t.run && t.atom(s.step) == atom {
			out = append(out, s)
		}
	}
	return out
}

// find gives a step of a run; nil: nothing has become of it yet.
func (p *Pipeline) find(run, step string) *pipelineStep {
	key, ok := p.keys[stepKey{run, step}]
	if !ok {
		return nil
	}
	return p.steps[key]
}

// taskAtoms tells of each atom of the chain how its uses went together, the last one speaking for the
// rest. Once the run is over, one that was never reached was skipped.
func (p *Pipeline) taskAtoms(t *pipelineTask) map[string]atom {
	all := map[string]atom{}
	over := p.byRun[t.run] != nil && p.byRun[t.run].Status != "running"
	for i, name := range t.decision.AtomChain {
		uses := p.used(t, name)
		switch {
		case len(uses) > 0:
			all[name] = p.together(uses)
		case i < t.decision.StartAt:
			all[name] = atom{Run: t.run, Status: "completed", Reason: "it was done before"}
		case over:
			all[name] = atom{Run: t.run, Status: "skipped", Reason: "the run ended before it"}
		}
	}
	return all
}

// together is one entry for all uses of an atom.
func (p *Pipeline) together(uses []*pipelineStep) atom {
	out := p.atom(uses[len(uses)-1])
	statuses := map[string]bool{}
	for _, s := range uses {
		one := p.atom(s)
		statuses[one.Status] = true
		if one.File != "" {
			out.File, out.SHA256 = one.File, one.SHA256
			out.Files = append(out.Files, one.File)
		}
		if one.Error != nil && out.Error == nil {
			out.Error = one.Error
		}
		if s != uses[len(uses)-1] {
			out.Attempts += one.Attempts
		}
		if !one.StartedAt.IsZero() && (out.StartedAt.IsZero() || one.StartedAt.Before(out.StartedAt)) {
			out.StartedAt = one.StartedAt
		}
	}
	if len(out.Files) == 1 {
		out.Files = nil
	}
	for _, status := range []string{"running", "failed", "completed", "skipped"} {
		if statuses[status] {
			out.Status = status
			break
		}
	}
	if out.Status == "completed" {
		out.Reason, out.Error = "", nil
	}
	return out
}

// taskSteps are all steps of the task's run by their ids.
func (p *Pipeline) taskSteps(t *pipelineTask) map[string]atom {
	out := map[string]atom{}
	for _, s := range p.steps {
		if s.run == t.run {
			out[s.step] = p.atom(s)
		}
	}
	return out
}

// reached are the parts of a loop that were not skipped, by their steps' prefix.
func (p *Pipeline) reached(t *pipelineTask, prefix string) []*pipelineStep {
	return slices.DeleteFunc(p.ofRun(t), func(s *pipelineStep) bool {
		return s.status != "completed" || s.file == nil || !strings.HasPrefix(s.step, prefix)
	})
}

func (p *Pipeline) ofRun(t *pipelineTask) []*pipelineStep {
	var out []*pipelineStep
	for _, key := range p.chain {
		if s := p.steps[key]; s.run == t.run {
			out = append(out, s)
		}
	}
	return out
}
