package workflows

import (
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Fork begins a session with the past of another, up to the opening of a call. The state that it is
// decided on is that past.
type Fork struct {
	From  string                  `json:"from"`
	Event string                  `json:"event"` // that opened the call
	N     uint64                  `json:"n"`     // the commit it stands in
	Hash  string                  `json:"hash"`
	Call  string                  `json:"call"`
	Set   map[string]events.Value `json:"set,omitempty"`   // context keys
	Edits []Edit                  `json:"edits,omitempty"` // of the template of the call's run
	By    string                  `json:"by,omitempty"`
}

// Edit changes a field of a step; Value is YAML.
type Edit struct {
	Step  string `json:"step"`
	Field string `json:"field"`
	Value string `json:"value"`
}

// Decide says what is changed and takes up again every run that was under way.
func (c Fork) Decide(s *State, _ sessions.World) ([]events.Data, error) {
	out := []events.Data{events.SessionForked{From: c.From, Event: c.Event, N: c.N, Hash: c.Hash, Call: c.Call}}
	for _, key := range sortedKeys(c.Set) {
		if err := sessions.CheckKey(key); err != nil {
			return nil, err
		}
		out = append(out, events.ContextSet{Key: key, Value: c.Set[key], Rev: s.Context[key].Last() + 1, By: c.By})
	}
	edited := false
	for _, id := range s.RunOrder {
		r := s.Runs[id]
		if r.Over() || r.Parent != "" {
			continue
		}
		resumed := events.RunResumed{Run: id, By: c.By}
		if len(c.Edits) > 0 && r.pilot == nil && c.Call[:min(len(c.Call), len(id)+1)] == id+"/" {
			text, err := c.edit(r)
			if err != nil {
				return nil, err
			}
			resumed.Policy, resumed.Text, resumed.SHA256 = "accept", text, digest(text)
			edited = true
		}
		out = append(out, resumed)
	}
	if len(c.Edits) > 0 && !edited {
		return nil, sessions.Refuse(sessions.Usage, "nothing_to_edit", "name a step's call with --at", "call %s is of no run that was under way", c.Call)
	}
	return out, nil
}

func (c Fork) edit(r *Run) (string, error) {
	text := r.Text
	for _, e := range c.Edits {
		next, err := template.Edit([]byte(text), e.Step, e.Field, e.Value)
		if err != nil {
			return "", sessions.Refuse(sessions.Usage, "bad_edit", "write --edit STEP.FIELD=VALUE with a step of the run's template", "%s.%s: %v", e.Step, e.Field, err)
		}
		text = string(next)
	}
	_, err := ParseTemplate(r.Name, text)
	return text, err
}

// Forked is the answer to Fork.
type Forked struct {
	sessions.Overview
	From string   `json:"from"`
	At   string   `json:"at"`   // the call before which it was forked
	Runs []string `json:"runs"` // that go on here
}

// Answer shows the session.
func (c Fork) Answer(s *State, _ sessions.Ref, _ sessions.World) (any, error) {
	o, err := s.Overview()
	out := Forked{Overview: o, From: s.From, At: c.Call, Runs: []string{}}
	for _, id := range s.RunOrder {
		if r := s.Runs[id]; !r.Over() && r.Parent == "" {
			out.Runs = append(out.Runs, id)
		}
	}
	return out, err
}

// forked ends here what is under way there: calls, timers, questions, runs. Whoever forks takes the
// runs up again.
func (s *State) forked(d events.SessionForked, at time.Time) {
	for _, id := range s.RunOrder {
		r := s.Runs[id]
		r.Caller = events.Caller{}
		if r.Over() {
			continue
		}
		r.Status, r.Reason, r.EndedAt = Failed, "it goes on in session "+d.From, at
		r.open, r.awaits = 0, nil
		for i := range r.Steps {
			if r.Steps[i].Phase == StepOpen && r.Steps[i].Items == nil {
				r.Steps[i].Phase = StepCancelled
			}
		}
	}
	for _, id := range s.asking {
		s.Approvals[id].Answer, s.Approvals[id].AnsweredAt = &events.ApprovalAnswered{Approval: id, By: "fork"}, at
	}
	s.Timers, s.besides = map[string]Timer{}, map[string]string{}
	s.asking, s.resting, s.orphans, s.expiries, s.endings, s.doubts, s.births = nil, nil, nil, nil, nil, nil, nil
}
