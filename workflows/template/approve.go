package template

import (
	"strings"
	"time"
)

// Approve is a question to a person; silence is a no.
type Approve struct {
	Question string        // may hold ${…}; empty: the step's intent or id says it
	Expires  time.Duration // after which nobody has answered; 0: it waits as long as it takes
}

var (
	approveFields = fieldTable{of: "approve", fields: []string{"question", "expires"}}
	confirmFields = fieldTable{of: "confirm", fields: []string{"question", "expires"}}
)

// Question is what a person is asked by the step's approve or confirm, expressions filled in; empty
// when neither says one. It fails with [ErrExpression].
func (s *Step) Question(env Env) (string, error) {
	asks := s.Approve
	if asks == nil {
		asks = s.Confirm
	}
	if asks == nil {
		return "", nil
	}
	return fillText(asks.Question, s.programs, env)
}

func (r *reader) approve(s *Step, p place) any {
	s.Approve = r.approval(p, approveFields)
	if s.Approve == nil {
		return nil
	}
	settings := map[string]any{}
	if s.Approve.Question != "" {
		settings["question"] = s.Approve.Question
	}
	if s.Approve.Expires > 0 {
		settings["expires"] = s.Approve.Expires.String()
	}
	return settings
}

func (r *reader) approval(p place, table fieldTable) *Approve {
	ask := new(Approve)
	if p.absent() {
		return ask
	}
	f := r.fields(p, table)
	if f == nil {
		return nil
	}
	question, _ := r.text(f["question"])
	ask.Question = strings.TrimSpace(question)
	ask.Expires, _ = r.someTime(f["expires"])
	return ask
}

// confirm reads whether a person is asked before a step's own action starts.
func (r *reader) confirm(p place) *Approve {
	if p.absent() {
		return nil
	}
	if p.node.ShortTag() == "!!map" {
		return r.approval(p, confirmFields)
	}
	if yes, ok := r.yesNo(p); ok && yes {
		return new(Approve)
	}
	return nil
}

// someTime reads a duration that is not zero.
func (r *reader) someTime(p place) (time.Duration, bool) {
	d, ok := r.duration(p)
	if ok && d == 0 {
		r.fail(p, CodeBadDuration, "this must be longer than nothing", durationHint)
		return 0, false
	}
	return d, ok
}

func sameApproval(a, b *Approve) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
