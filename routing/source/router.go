package source

import (
	"slices"
	"strings"
)

// Router makes plans. It needs to know which search providers there can be.
type Router struct{ providers Providers }

// New makes a router that goes by a table of providers; nil is the table of the binary.
func New(table Providers) (Router, error) {
	if table != nil {
		return Router{table}, table.check()
	}
	table, err := embedded()
	return Router{table}, err
}

// Plan reads the description of a task, one JSON object, and plans its search. Either the plan is
// good or there are errors: all that is wrong with the description.
func (r Router) Plan(document []byte) (Plan, Errors) {
	in, faults := read(document, r.providers)
	if len(faults) > 0 {
		return Plan{}, faults
	}
	id, err := in.id()
	if err != nil {
		return Plan{}, Errors{{Code: notJSON, Want: err.Error()}}
	}
	p := r.plan(in)
	p.TaskID, p.TaskType, p.PrimarySubject = id, in.Task, in.Subject
	return p, nil
}

func (r Router) plan(in input) Plan {
	p := blank(in)
	against := oppose(in, slices.Contains(in.Sources, Counter))
	if in.Budget == 0 {
		p.warn("budget_zero")
		p.end(PlanNoBudget, against)
		return p
	}
	if against.skip == "counter_unavailable" && len(triggers(in)) > 0 {
		p.warn("counter_unavailable")
	}
	ranked := rank(in)
	p.warn(ranked.warnings...)
	if len(ranked.order) == 0 && !(against.on && in.WantCounter) {
		r.nothingUsable(&p, in, against)
		return p
	}
	b := share(ranked, against)
	p.warn(b.warnings...)
	p.rule(ranked.local, tag(tight(in.Budget), "tight"), tag(ranked.hinted, "graph_hint"))
	p.chain(r.chain(in))
	p.selected(b)
	p.stop(in.condition(), in.Budget)
	p.end(PlanOK, b.against)
	return p
}

// nothingUsable ends the plan of a task that no source can serve: what is cached is all there is.
func (r Router) nothingUsable(p *Plan, in input, against opposition) {
	warning := "no_usable_source"
	if slices.Contains(in.Sources, Counter) {
		warning = "counter_alone" // opposing views alone are no answer, unless they were asked for
		if against.on {
			against = opposition{skip: warning}
		}
	}
	p.warn(warning)
	in.Sources = nil
	p.chain(r.chain(in))
	p.stop(otherwise, in.Budget)
	p.end(PlanDegraded, against)
}

// chain links the configured providers. Without web and counter there is nothing that they could
// search, and only the last one is left.
func (r Router) chain(in input) []Level {
	searches := slices.Contains(in.Sources, Web) || slices.Contains(in.Sources, Counter)
	out := []Level{}
	for _, p := range r.providers {
		if !p.Always && (!searches || !slices.Contains(in.Providers, p.Name)) {
			continue
		}
		level := Level{Level: len(out) + 1, Source: p.Name}
		if !p.Always {
			triggers, next := strings.Join(p.FallsOn, triggerSeparator), level.Level+1
			level.TriggerFallback, level.FallbackTo = &triggers, &next
		}
		out = append(out, level)
	}
	return out
}

// blank is the plan of a task before anything is planned.
func blank(in input) Plan {
	p := Plan{
		SelectedSources: []Selected{}, SearchOrder: []Source{}, FallbackChain: []Level{}, DegradationLog: []Downgrade{},
		BudgetAllocation: Allocation{Total: in.Budget},
		Diagnostics:      Diagnostics{Warnings: []string{}, Rules: []string{"R1:" + in.Freshness, "R2:" + in.Task}},
	}
	for _, s := range in.repeated {
		p.warn("duplicate_source:" + string(s))
	}
	p.stop(atOnce, 0)
	return p
}

func (p *Plan) warn(warnings ...string) {
	p.Diagnostics.Warnings = append(p.Diagnostics.Warnings, warnings...)
}

func (p *Plan) rule(tags ...string) {
	for _, t := range tags {
		if t != "" {
			p.Diagnostics.Rules = append(p.Diagnostics.Rules, t)
		}
	}
}

func tag(fired bool, name string) string {
	if fired {
		return name
	}
	return ""
}

func (p *Plan) chain(levels []Level) {
	p.FallbackChain = levels
	p.Diagnostics.ActiveProvider = &levels[0].Source
}

func (p *Plan) stop(c condition, total int) {
	p.Diagnostics.ConditionID = c.id
	p.StopRule = StopRule{Condition: c.sentence, MaxRounds: min(c.rounds, total)}
	if tight(total) {
		p.StopRule.MaxRounds = min(p.StopRule.MaxRounds, tightRounds)
	}
}

// selected writes down the sources with what they may spend.
func (p *Plan) selected(b budget) {
	for i, s := range b.order {
		p.SearchOrder = append(p.SearchOrder, s)
		p.SelectedSources = append(p.SelectedSources, Selected{
			Source: s, Priority: i + 1, Rationale: b.rationale(s), SearchHints: hints(b.in, s, b.units[s]),
		})
	}
	p.BudgetAllocation = Allocation{
		Total: b.total, Web: b.units[Web], LocalFile: b.units[LocalFile], Vector: b.units[Vector], Graph: b.units[Graph], Counter: b.units[Counter],
	}
}

// rationale names the rules that a source was selected by.
func (b *budget) rationale(s Source) string {
	if s == Counter {
		return "R4:" + b.against.trigger
	}
	out := "R1:" + b.in.Freshness + "; supplement"
	if slices.Contains(combinations[b.in.Task], s) {
		out = "R1:" + b.in.Freshness + "; R2:" + b.in.Task
	}
	if b.in.Material.known(s) {
		out += "; R3:known_material"
	}
	return out
}

func (p *Plan) end(status string, against opposition) {
	p.Diagnostics.PlanStatus = status
	p.CounterEnabled = against.on
	if against.on {
		p.CounterTrigger = &against.trigger
	} else {
		p.Diagnostics.CounterSkip = &against.skip
	}
}
