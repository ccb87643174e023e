package source

// Plan says where to search, in which order, how often, and when to stop.
type Plan struct {
	TaskID           string      `json:"task_id"`
	TaskType         string      `json:"task_type"`
	PrimarySubject   string      `json:"primary_subject"`
	SelectedSources  []Selected  `json:"selected_sources"`
	SearchOrder      []Source    `json:"search_order"`
	CounterEnabled   bool        `json:"counter_search_enabled"`
	CounterTrigger   *string     `json:"counter_trigger"` // what asked for opposing views
	StopRule         StopRule    `json:"stop_rule"`
	BudgetAllocation Allocation  `json:"budget_allocation"`
	FallbackChain    []Level     `json:"fallback_chain"`
	DegradationLog   []Downgrade `json:"degradation_log"` // empty in a plan
	Diagnostics      Diagnostics `json:"diagnostics"`
}

// Selected is a source that is searched.
type Selected struct {
	Source      Source   `json:"source"`
	Priority    int      `json:"priority"` // from 1, the first to be searched
	Rationale   string   `json:"rationale"`
	SearchHints []string `json:"search_hints"` // at least one, no more than the source has searches
}

// Allocation is how many searches there are, and how many of them each source may spend. A source
// that is not selected has none.
type Allocation struct {
	Total     int `json:"total_budget"`
	Web       int `json:"web,omitempty"`
	LocalFile int `json:"local_file,omitempty"`
	Vector    int `json:"vector,omitempty"`
	Graph     int `json:"graph,omitempty"`
	Counter   int `json:"counter,omitempty"`
}

// Of is what one source may spend.
func (a Allocation) Of(s Source) int {
	switch s {
	case Web:
		return a.Web
	case LocalFile:
		return a.LocalFile
	case Vector:
		return a.Vector
	case Graph:
		return a.Graph
	case Counter:
		return a.Counter
	}
	return 0
}

// Level is one provider of the fallback chain.
type Level struct {
	Level           int     `json:"level"` // from 1
	Source          string  `json:"source"`
	TriggerFallback *string `json:"trigger_fallback"` // reasons, joined by " | "
	FallbackTo      *int    `json:"fallback_to"`
}

// The states of a plan.
const (
	PlanOK       = "ok"
	PlanNoBudget = "no_budget"
	PlanDegraded = "degraded_local_cache" // nothing can be searched; only what is cached is left
)

// Diagnostics says how the plan came about.
type Diagnostics struct {
	Warnings       []string `json:"warnings"`
	Rules          []string `json:"rules"`
	ConditionID    string   `json:"condition_id"`
	CounterSkip    *string  `json:"counter_skip"`    // why opposing views are not searched
	ActiveProvider *string  `json:"active_provider"` // the first of the chain
	PlanStatus     string   `json:"plan_status"`
}
