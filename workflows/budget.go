package workflows

import (
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
)

// spend adds what a call reports to its run, and to the runs above it.
func (s *State) spend(d events.CallClosed) {
	call := s.Calls[d.Call]
	if call == nil {
		return
	}
	used := d.Used()
	for r := range s.line(s.Runs[call.Run]) {
		r.used.Add(used)
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
		r.allowed = r.Template.Limits.Budget.Above(r.used, r.allowed)
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
