package workflows

import (
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows/template"
)

// openWaiting opens a step that nobody works on: an approval, or a wait for a time or a signal.
func (s *State) openWaiting(r *Run, step *template.Step, opened events.CallOpened, env template.Env) []events.Data {
	started := events.CallStarted{Call: opened.Call, Attempt: s.nextAttempt(opened.Call)}
	out := []events.Data{opened, started}
	if step.Executor == template.Waiting {
		return out
	}
	asked, err := s.question(step, opened, env)
	if err != nil {
		return giveUp(r, step, "question_failed", err)
	}
	return append(out, asked)
}

// confirmed opens a call, and asks first where the step wants a person's yes to this exact action, or
// where the run has used up what it may. One yes is for both.
func (s *State) confirmed(r *Run, step *template.Step, opened events.CallOpened, env template.Env, before []events.Data) []events.Data {
	out := append(before, opened)
	spent := s.spent(r)
	if step.Confirm == nil && spent == "" {
		return out
	}
	asked, err := s.question(step, opened, env)
	if err != nil {
		return append(before, giveUp(r, step, "question_failed", err)...)
	}
	if spent != "" {
		asked.Question = "the run has used up " + spent + "; use as much again? " + asked.Question
		asked.About = events.AboutBudget
	}
	return append(out, asked)
}

func (s *State) question(step *template.Step, opened events.CallOpened, env template.Env) (events.ApprovalAsked, error) {
	question, err := step.Question(env)
	if err != nil {
		return events.ApprovalAsked{}, err
	}
	if question == "" {
		question = "run step " + step.ID + "?"
	}
	asked, err := s.ask(opened, question)
	if a := approvalOf(step); a != nil {
		asked.ExpiresIn = a.Expires.Seconds()
	}
	return asked, err
}

func (s *State) nextAttempt(call string) int {
	if c := s.Calls[call]; c != nil {
		return c.Attempt + 1
	}
	return 1
}

// awaits notes what a call that was just opened waits for: timers to be set, a signal to come.
func (s *State) awaits(r *Run, i int, d events.CallOpened, at time.Time) {
	step := &r.Template.Steps[i]
	timer := func(kind string, at time.Time) {
		s.resting = append(s.resting, Timer{ID: d.Call + "@" + kind, Kind: kind, At: at, Run: r.Run, Call: d.Call})
	}
	if a := approvalOf(step); a != nil && a.Expires > 0 {
		timer(timerExpiry, at.Add(a.Expires))
	}
	if step.Executor == template.Child {
		s.births = append(s.births, d.Call)
	}
	w := step.Wait
	if w == nil {
		return
	}
	switch {
	case w.Signal != "":
		r.awaits = append(r.awaits, signalWait{d.Call, w.Signal})
		if w.Expires > 0 {
			timer(timerExpiry, at.Add(w.Expires))
		}
		s.deliver(r)
	case w.For > 0:
		timer(timerWait, at.Add(w.For))
	default:
		until, err := untilOf(d.Execute)
		if err != nil || until.Before(at) {
			until = at
		}
		timer(timerWait, until)
	}
}

// untilOf is the moment that a wait was opened for.
func untilOf(execute json.RawMessage) (time.Time, error) {
	var settings struct {
		Wait struct {
			Until time.Time `json:"until"`
		} `json:"wait"`
	}
	err := json.Unmarshal(execute, &settings)
	return settings.Wait.Until, err
}

func approvalOf(step *template.Step) *template.Approve {
	if step.Executor == template.Approval {
		return step.Approve
	}
	return step.Confirm
}
