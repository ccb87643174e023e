package source

import "strings"

// The budgets below which opposing views are left out.
const (
	tinyBudget  = 3 // unless they were asked for
	tightBudget = 5 // when they are only recommended
)

// opposition is the decision whether opposing views are searched.
type opposition struct {
	on      bool
	trigger string // what made it so; "" when off
	skip    string // why not; "" when on
}

// oppose decides on opposing views; the first test that holds decides.
func oppose(in input, available bool) opposition {
	fired := triggers(in)
	recommended := in.Task == deepResearch || in.Task == techEvaluation
	off := func(why string) opposition { return opposition{skip: why} }
	on := opposition{on: true, trigger: strings.Join(fired, " + ")}
	switch {
	case in.Budget == 0:
		return off("budget_zero")
	case !available:
		return off("counter_unavailable")
	case in.WantCounter:
		return on
	case in.Task == internalKnowledge && in.Retrieval:
		return off("skip_internal_retrieval")
	case in.Budget <= tinyBudget:
		return off("skip_budget_le_3")
	case len(fired) > 0:
		return on
	case recommended && in.Budget <= tightBudget:
		return off("skip_tight_recommended_only")
	case recommended:
		return opposition{on: true, trigger: "task_type=" + in.Task}
	}
	return off("no_trigger")
}

// triggers lists what asks for opposing views, beside the kinds of task that they are only
// recommended for.
func triggers(in input) []string {
	var out []string
	if in.WantCounter {
		out = append(out, "need_counter_evidence=true")
	}
	if in.Goal != "analyze" {
		out = append(out, "goal_mode="+in.Goal)
	}
	if in.Task == breakingNews {
		out = append(out, "task_type="+breakingNews)
	}
	return out
}
