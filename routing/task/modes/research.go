package modes

import "github.com/batonflow/baton/routing/task"

// mostConverged is how many signals in a row it takes to believe in convergence.
const mostConverged = 2

// Event is something that happened in one of the two loops.
type Event struct {
	Loop   string `json:"loop"` // Outer or Inner
	Kind   string `json:"kind"`
	Atom   string `json:"atom,omitempty"`
	Result string `json:"result,omitempty"` // of a round: Progress or Converged; of a review: Continue, Pivot or Finalize
}

// The words of an event.
const (
	Outer = "outer"
	Inner = "inner"

	AtomExecuted = "atom_executed"
	PlanChanged  = "plan_changed"
	RoundEnded   = "round_ended"
	Reviewed     = "reviewed"
	Interrupted  = "interrupted"

	Converged = "converged"
	Continue  = "continue"
	Pivot     = "pivot"
	Finalize  = "finalize"
)

// Research is the research mode between events; the zero value has done nothing. The outer loop
// plans, hands out and reviews and executes nothing itself; the inner one executes and leaves the
// plan alone.
type Research struct {
	Inner      int    `json:"inner"`      // rounds of the inner loop
	Outer      int    `json:"outer"`      // reviews
	Unreviewed int    `json:"unreviewed"` // rounds since the last review
	OnPlan     int    `json:"on_plan"`    // rounds since the plan began or was turned round
	Converging int    `json:"converging"` // signals of convergence in a row
	Exit       string `json:"exit"`       // why it ended; empty: it goes on
}

// Apply takes an event. It refuses what the loop that it comes from may not do, and everything once
// the loops are over.
func (r Research) Apply(e Event) (Research, error) {
	switch {
	case r.Exit != "":
		return r, refuse(codeOver, "start another run", "the loops are over: %s", r.Exit)
	case e.Kind == Interrupted:
		r.Exit = ExitUser
		return r, nil
	case e.Loop == Outer && e.Kind == AtomExecuted:
		return r, refuse(codeOuterExecuted, "hand the atom to a child", "the outer loop executed %s; it only plans, hands out and reviews", e.Atom)
	case e.Loop == Inner && e.Kind == PlanChanged:
		return r, refuse(codeInnerPlanned, "report to the outer loop, which may pivot", "the inner loop changed the plan; it only executes")
	case e.Loop == Inner && e.Kind == AtomExecuted, e.Loop == Outer && e.Kind == PlanChanged:
		return r, nil
	case e.Loop == Inner && e.Kind == RoundEnded:
		return r.round(e.Result)
	case e.Loop == Outer && e.Kind == Reviewed:
		return r.review(e.Result)
	}
	return r, refuse(codeLoopEvent, "use the events of the two loops", "there is no event %q of a loop %q", e.Kind, e.Loop)
}

// ReviewDue says whether the inner loop waits for the outer one.
func (r Research) ReviewDue() bool { return r.Exit == "" && r.Unreviewed >= task.RoundsPerReview }

func (r Research) round(result string) (Research, error) {
	if r.ReviewDue() {
		return r, refuse(codeReviewDue, "review first", "%d rounds ran since the last review", r.Unreviewed)
	}
	switch result {
	case Converged:
		r.Converging++
	case string(Progress), string(NoProgress), "":
		r.Converging = 0
	default:
		return r, refuse(codeLoopEvent, "use progress, no_progress or converged", "%q is no result of a round", result)
	}
	r.Inner, r.Unreviewed, r.OnPlan = r.Inner+1, r.Unreviewed+1, r.OnPlan+1
	if r.Converging >= mostConverged {
		r.Exit = ExitConverged
	}
	return r, nil
}

// review takes the decision of the outer loop. It may come early, when there is nothing left to hand
// out, but a plan is not turned round before it was tried.
func (r Research) review(decision string) (Research, error) {
	switch decision {
	case Continue:
	case Finalize:
		r.Exit = ExitFinalize
	case Pivot:
		if r.OnPlan < task.RoundsPerReview {
			return r, refuse(codePivotEarly, "go on, or finalize", "the plan was tried for %d rounds, at least %d are needed", r.OnPlan, task.RoundsPerReview)
		}
		r.OnPlan, r.Converging = 0, 0
	default:
		return r, refuse(codeLoopEvent, "use continue, pivot or finalize", "%q is no decision of a review", decision)
	}
	r.Outer, r.Unreviewed = r.Outer+1, 0
	if r.Exit == "" && r.Outer >= task.MostReviews {
		r.Exit = ExitMaxOuter
	}
	return r, nil
}
