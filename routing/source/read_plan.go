package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrPlan is a plan that cannot be carried out as it is written.
var ErrPlan = errors.New("E_PLAN: the plan is not one that `baton source plan` gives")

// IsPlan says whether a document is a plan rather than the description of a task.
func IsPlan(document []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(document, &fields) == nil && fields["fallback_chain"] != nil
}

// ReadPlan reads a plan that was made before, and refuses with [ErrPlan] one that does not hold together:
// it may have been written by hand.
func ReadPlan(document []byte) (Plan, error) {
	var p Plan
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.DisallowUnknownFields()
	err := dec.Decode(&p)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return Plan{}, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return p, nil
}

// Check says what does not hold together in a plan.
func (p Plan) Check() error {
	given := 0
	for _, s := range everySource {
		n := p.BudgetAllocation.Of(s)
		if given += n; n < 0 || n > mostBudget {
			return fmt.Errorf("budget_allocation.%s is %d, between 0 and %d are taken", s, n, mostBudget)
		}
		if n > 0 && !slices.Contains(p.SearchOrder, s) {
			return fmt.Errorf("%s has a budget and is not in search_order", s)
		}
	}
	switch {
	case given > p.BudgetAllocation.Total || p.BudgetAllocation.Total > mostBudget:
		return fmt.Errorf("budget_allocation gives %d of %d searches, at most %d are taken", given, p.BudgetAllocation.Total, mostBudget)
	case p.StopRule.MaxRounds < 0 || p.StopRule.MaxRounds > mostBudget:
		return fmt.Errorf("stop_rule.max_rounds is %d", p.StopRule.MaxRounds)
	case len(p.SearchOrder) != len(p.SelectedSources):
		return errors.New("search_order and selected_sources are not of the same sources")
	}
	for i, s := range p.SearchOrder {
		if err := p.checkSource(i, s); err != nil {
			return err
		}
	}
	return checkChain(p.FallbackChain)
}

func (p Plan) checkSource(i int, s Source) error {
	at := p.SelectedSources[i]
	switch {
	case !slices.Contains(everySource, s) || slices.Contains(p.SearchOrder[:i], s):
		return fmt.Errorf("search_order[%d]: %q is no source, or stands there twice", i, s)
	case at.Source != s:
		return fmt.Errorf("selected_sources[%d] is %s, search_order says %s", i, at.Source, s)
	case p.BudgetAllocation.Of(s) < 1:
		return fmt.Errorf("%s is selected and has no budget", s)
	case len(at.SearchHints) == 0 || slices.Contains(at.SearchHints, ""):
		return fmt.Errorf("selected_sources[%d].search_hints: something must be searched for", i)
	}
	return nil
}

func checkChain(chain []Level) error {
	for i, l := range chain {
		last := i == len(chain)-1
		switch {
		case l.Level != i+1 || !word.MatchString(l.Source):
			return fmt.Errorf("fallback_chain[%d]: level %d, %q; levels count from 1", i, l.Level, l.Source)
		case last != (l.FallbackTo == nil) || !last && *l.FallbackTo != i+2:
			return fmt.Errorf("fallback_chain[%d]: fallback_to is the next level, null for the last", i)
		}
	}
	return nil
}
