package task

import (
	"fmt"
	"strings"
)

// Bounds of the two modes that go round.
const (
	LeastCycles     = 2 // of exploration: one cycle alone compares with nothing
	MostCycles      = 10
	RoundsPerReview = 5 // rounds of the inner loop of research until the outer one looks at them
	MostReviews     = 5
)

// Decision is how a query is worked on: over a plan, or by the one skill that it calls. Of the two
// embedded parts one is there and gives its fields to the JSON.
type Decision struct {
	Route string `json:"route"` // Standard, Exploratory, Research, Parallel or Slash
	*Activated
	*Plan
	ExecutionMode string `json:"execution_mode"` // a sentence
	Status        Status `json:"status"`
}

// Plan is a chain of atoms with everything that running it takes. Chain, files and genes are those of
// the whole chain, also when some of it is done.
type Plan struct {
	Rule        string            `json:"rule"`
	Matched     map[string]string `json:"matched"`    // of each rule with a hit, its first word
	AtomChain   []string          `json:"atom_chain"` // skill names in the order of dependency
	StartAt     int               `json:"start_at"`   // the first atom that is not done, from 0
	Parallel    bool              `json:"parallel"`
	CyclesMin   int               `json:"cycles_min"`
	Subtasks    []string          `json:"subtasks"`
	Delegations []Delegation      `json:"delegations"`
	Files       []string          `json:"files"` // of a first pass, without that of a join
	Genes       Activation        `json:"gene_activation"`
	Notes       []string          `json:"notes"`
}

// Status says why the route was taken.
type Status struct {
	Matched      map[string]string `json:"matched"`
	Rule         string            `json:"rule"`
	Confidence   int               `json:"confidence"`   // 1: a word, a hint or a slash; 0: nothing spoke for it
	Alternatives []string          `json:"alternatives"` // the other rules with a hit
}

func activated(skill Activated) Decision {
	return Decision{
		Route: Slash, Activated: &skill,
		ExecutionMode: "slash: the skill " + skill.Skill + " alone, for this run, with the tools that it declares",
		Status:        Status{Matched: map[string]string{Slash: "/" + skill.Skill}, Rule: Slash, Confidence: 1, Alternatives: []string{}},
	}
}

func (r Router) decision(req Request, c choice) Decision {
	p := Plan{
		Rule: c.rule, Matched: map[string]string{}, AtomChain: skills(c.chain), StartAt: req.Context.startAt(c.chain, r.atoms),
		Parallel: c.mode == Parallel, CyclesMin: 1, Subtasks: append([]string{}, c.targets...),
		Delegations: delegate(req.Query, c.targets, req.Context.Items), Genes: r.Activate(c.chain, r.flags(req, c.chain)), Notes: c.notes,
	}
	if c.mode == Exploratory {
		p.CyclesMin = LeastCycles
	}
	p.Files = firstFiles(c.chain, len(p.Delegations))
	s := Status{Matched: p.Matched, Rule: c.rule, Alternatives: []string{}}
	for _, h := range c.hits {
		p.Matched[h.Rule] = h.word
		if h.Rule != c.rule {
			s.Alternatives = append(s.Alternatives, h.Rule)
		}
	}
	if _, byWord := p.Matched[c.rule]; byWord || c.rule == ruleHint {
		s.Confidence = 1
	}
	return Decision{Route: c.mode, Plan: &p, ExecutionMode: r.sentence(req, c), Status: s}
}

// sentence says for people how the chain is run.
func (r Router) sentence(req Request, c choice) string {
	chain := strings.Join(codes(c.chain), " → ")
	switch c.mode {
	case Exploratory:
		return fmt.Sprintf("exploratory loop: %s in each cycle, at least %d and at most %d%s", chain, LeastCycles, MostCycles, r.before(req, c))
	case Research:
		return fmt.Sprintf("research in two loops over %s: the outer plans and reviews after every %d rounds of the inner, at most %d times", chain, RoundsPerReview, MostReviews)
	case Parallel:
		return fmt.Sprintf("parallel: %d children that do not see one another, each %s, then one join over what they bring", len(c.targets), chain)
	}
	return fmt.Sprintf("standard chain: %s, each handed the outputs of those before it; a failure stops it%s", chain, r.before(req, c))
}

// before says what has to run first.
func (r Router) before(req Request, c choice) string {
	first := r.Bootstrap(c.chain, req.Context)
	if len(first) == 0 {
		return ""
	}
	return "; there are no outputs to start from, so " + strings.Join(codes(first), " → ") + " run first"
}

// firstFiles names a file for each time an atom runs in a first pass.
func firstFiles(chain []Atom, children int) []string {
	files := make([]string, 0, len(chain)*children)
	for _, a := range chain {
		for n := range children {
			files = append(files, "outputs/{session_id}/"+a.File(n+1))
		}
	}
	return files
}

// File names the file that the nth run of an atom in a session writes, from 1.
func (a Atom) File(n int) string { return fmt.Sprintf("%s_%02d.json", a.Prefix, n) }
