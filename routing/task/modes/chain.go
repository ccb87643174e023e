package modes

import (
	"maps"
	"slices"

	"github.com/batonflow/baton/routing/task"
)

// What became of an atom, and of a chain.
const (
	Completed          = "completed"
	Failed             = "failed"
	Skipped            = "skipped"
	Running            = "running"
	ShortCircuited     = "short_circuited"
	NeedsConfiguration = "needs_configuration"
	Partial            = "partial"
)

// Outcome is how one attempt of an atom ended.
type Outcome string

// The outcomes.
const (
	Done          Outcome = "completed"
	WithoutFile   Outcome = "completed_without_file" // it says it is done and its file is not there
	Empty         Outcome = "empty_result"           // done, and there is nothing to go on with
	Denied        Outcome = "approval_denied"        // it never ran
	Transient     Outcome = "transient_error"        // another attempt may help
	ContractError Outcome = "failed"                 // another attempt would not
	SkillMissing  Outcome = "skill_missing"          // neither the skill nor what may stand in for it is there
)

// mostAttempts is how often an atom is tried when the error may pass.
const mostAttempts = 2

// Chain is one pass over a chain. It is a value: Report gives the next one and leaves it as it is.
type Chain struct {
	Status   string            `json:"status"`
	Atoms    map[string]string `json:"atoms"`     // skill name to status; one that is missing has yet to run
	BrokenAt *string           `json:"broken_at"` // the skill at which the chain broke
	Code     string            `json:"code,omitempty"`
	Tried    []string          `json:"tried,omitempty"` // for a missing skill: what was looked for
	Short    *ShortCircuit     `json:"short_circuit,omitempty"`
	chain    []task.Atom
	at       int
	attempts int // of the atom at hand
}

// ShortCircuit says why a chain ended before its end.
type ShortCircuit struct {
	AtAtom   string `json:"at_atom"`
	Reason   string `json:"reason"` // empty_result, error or approval_denied
	Executed int    `json:"executed_count"`
	Skipped  int    `json:"skipped_count"`
}

// Start begins a chain; its first done atoms were completed before.
func Start(chain []task.Atom, done int) Chain {
	c := Chain{Status: Running, Atoms: map[string]string{}, chain: chain, at: min(max(done, 0), len(chain))}
	for _, a := range chain[:c.at] {
		c.Atoms[a.Skill] = Completed
	}
	if c.at == len(chain) {
		c.Status = Completed
	}
	return c
}

// Next gives the atom that is to run and the number of its attempt, from 1; false: the chain is over.
func (c Chain) Next() (a task.Atom, attempt int, ok bool) {
	if c.Status != Running {
		return task.Atom{}, 0, false
	}
	return c.chain[c.at], c.attempts + 1, true
}

// Report takes the outcome of the atom that Next gave. Any failure stops the chain: what comes after
// it is skipped. It refuses what is no outcome, and everything once the chain is over.
func (c Chain) Report(o Outcome) (Chain, error) {
	atom, attempt, ok := c.Next()
	if !ok {
		return c, refuse(codeOver, "start another chain", "the chain is over: %s", c.Status)
	}
	c.Atoms = maps.Clone(c.Atoms)
	switch o {
	case Done:
		return c.pass(atom), nil
	case Empty:
		return c.pass(atom).stop(ShortCircuited, atom, string(Empty)), nil
	case Transient:
		if attempt < mostAttempts {
			c.attempts = attempt
			return c, nil
		}
		return c.fail(Failed, atom, "E_ATTEMPTS", "error"), nil
	case WithoutFile:
		return c.fail(Failed, atom, "E_OUTPUT_MISSING", "error"), nil
	case ContractError:
		return c.fail(Failed, atom, "E_CONTRACT", "error"), nil
	case Denied:
		return c.stop(ShortCircuited, atom, string(Denied)), nil
	case SkillMissing:
		c.Tried = atom.StandIns()
		return c.fail(NeedsConfiguration, atom, "", "error"), nil
	}
	return c, refuse(codeOutcome, "report one of the outcomes of an attempt", "%q is no outcome of %s", o, atom.Skill)
}

// Broken is the chain as one that ended here although its next atom was never begun: a failure
// elsewhere, or a person, stopped it.
func (c Chain) Broken() Chain {
	if c.Status != Running {
		return c
	}
	c.Atoms = maps.Clone(c.Atoms)
	for _, a := range c.chain[c.at:] {
		c.Atoms[a.Skill] = Skipped
	}
	c.Status = Failed
	return c
}

func (c Chain) pass(atom task.Atom) Chain {
	c.Atoms[atom.Skill] = Completed
	c.at, c.attempts = c.at+1, 0
	if c.at == len(c.chain) {
		c.Status = Completed
	}
	return c
}

func (c Chain) fail(status string, atom task.Atom, code, reason string) Chain {
	c.Atoms[atom.Skill], c.Code, c.BrokenAt = Failed, code, &atom.Skill
	c.at++
	return c.stop(status, atom, reason)
}

// stop ends the chain after the atoms that have run.
func (c Chain) stop(status string, atom task.Atom, reason string) Chain {
	rest := c.chain[c.at:]
	for _, a := range rest {
		c.Atoms[a.Skill] = Skipped
	}
	c.Status, c.Short = status, &ShortCircuit{atom.Skill, reason, c.at, len(rest)}
	return c
}

// Aggregate gives the status of parallel children together: one that failed leaves the others
// running and makes the whole partial.
func Aggregate(children []string) string {
	switch {
	case len(children) == 0:
		return Completed
	case slices.Contains(children, Running):
		return Running
	case !slices.ContainsFunc(children, func(s string) bool { return s != children[0] }):
		return children[0]
	}
	return Partial
}
