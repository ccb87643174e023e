package modes

import "github.com/batonflow/baton/routing/task"

// mostStagnant is how many cycles in a row may bring no progress.
const mostStagnant = 3

// Why a loop ended.
const (
	ExitUser          = "user_interrupt"
	ExitTarget        = "target_met"
	ExitNoProgress    = "no_progress"
	ExitMaxIterations = "max_iterations"
	ExitFinalize      = "finalize"
	ExitConverged     = "converged"
	ExitMaxOuter      = "max_outer"
)

// Verdict is what came of one cycle, measured against the target and the best so far.
type Verdict string

// The verdicts.
const (
	Progress   Verdict = "progress"
	NoProgress Verdict = "no_progress"
	TargetMet  Verdict = "target_met"
	UserStop   Verdict = "user_stop"
)

// Exploration is the exploratory loop between cycles; the zero value has run none.
type Exploration struct {
	Cycles   int    `json:"cycles"`
	Stagnant int    `json:"stagnant"` // cycles without progress since the last with
	Met      bool   `json:"met"`      // the best so far meets the target; what is kept is never worse than it
	Exit     string `json:"exit"`     // why it ended; empty: another cycle runs
}

// Cycle takes the verdict on a cycle that ended. It refuses what is no verdict, and everything once
// the loop is over.
func (e Exploration) Cycle(v Verdict) (Exploration, error) {
	if e.Exit != "" {
		return e, refuse(codeOver, "start another loop", "the loop is over: %s", e.Exit)
	}
	switch v {
	case Progress, UserStop:
		e.Stagnant = 0
	case TargetMet:
		e.Stagnant, e.Met = 0, true
	case NoProgress:
		e.Stagnant++
	default:
		return e, refuse(codeLoopEvent, "use progress, no_progress, target_met or user_stop", "%q is no verdict on a cycle", v)
	}
	e.Cycles++
	switch {
	case v == UserStop:
		e.Exit = ExitUser
	case e.Met && e.Cycles >= task.LeastCycles:
		e.Exit = ExitTarget
	case e.Stagnant >= mostStagnant:
		e.Exit = ExitNoProgress
	case e.Cycles >= task.MostCycles:
		e.Exit = ExitMaxIterations
	}
	return e, nil
}
