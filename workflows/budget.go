package workflows

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows/template"
)

// Budget is what a run's calls may use up, or have used.
type Budget = template.Budget

// spend adds what a call reports to its run, and to the runs above it.
func (s *State) spend(d events.CallClosed) {
	call := s.Calls[d.Call]
	if call == nil || len(d.Usage) == 0 {
		return
	}
	var usage struct{ USD, Tokens, Seconds float64 }
	if json.Unmarshal(d.Usage, &usage) != nil {
		return // what an executor says in other words counts for nothing
	}
	for r := range s.line(s.Runs[call.Run]) {
		r.used.USD += max(usage.USD, 0)
		r.used.Tokens += int(max(usage.Tokens, 0))
		r.used.Seconds += max(usage.Seconds, 0)
	}
}

// spent says in words which budget of the run, or of one above it, is used up; "" when none is.
func (s *State) spent(r *Run) string {
	for r := range s.line(r) {
		var over []string
		if r.allowed.USD > 0 && r.used.USD >= r.allowed.USD {
			over = append(over, fmt.Sprintf("%g of %g USD", r.used.USD, r.allowed.USD))
		}
		if r.allowed.Tokens > 0 && r.used.Tokens >= r.allowed.Tokens {
			over = append(over, fmt.Sprintf("%d of %d tokens", r.used.Tokens, r.allowed.Tokens))
		}
		if r.allowed.Seconds > 0 && r.used.Seconds >= r.allowed.Seconds {
			over = append(over, fmt.Sprintf("%g of %g seconds", r.used.Seconds, r.allowed.Seconds))
		}
		if len(over) > 0 {
			return strings.Join(over, ", ")
		}
	}
	return ""
}

// allow lets a run, and those above it, use as much again as their templates say.
func (s *State) allow(r *Run) {
	for r := range s.line(r) {
		limit := r.Template.Limits.Budget
		if limit.USD > 0 {
			r.allowed.USD = r.used.USD + limit.USD
		}
		if limit.Tokens > 0 {
			r.allowed.Tokens = r.used.Tokens + limit.Tokens
		}
		if limit.Seconds > 0 {
			r.allowed.Seconds = r.used.Seconds + limit.Seconds
		}
	}
}

// budgetQuestion is the open question whether the run may use more; nothing else starts meanwhile.
func (s *State) budgetQuestion(r *Run) *Approval {
	if len(s.asking) == 0 {
		return nil
	}
	root := s.root(r)
	for _, id := range s.asking {
		if a := s.Approvals[id]; a.About == events.AboutBudget && s.root(s.Runs[a.Run]) == root {
			return a
		}
	}
	return nil
}

func (s *State) budgetAsked(r *Run) bool { return s.budgetQuestion(r) != nil }
