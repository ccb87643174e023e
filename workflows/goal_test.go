package workflows_test

import (
	"fmt"
	"testing"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows"
)

// pursued evaluates a fresh run with each evidence until the session does not go on by itself.
func pursued(t *testing.T, evidence func(n int) string) (rounds int, reason string) {
	t.Helper()
	s := newStory()
	fold := func(facts ...events.Data) {
		for _, d := range facts {
			s.fold(events.New(d))
		}
	}
	fold(events.SessionStarted{Goal: "g"}, events.GoalSet{Condition: "c"})
	for n := 1; n <= 3*workflows.MostContinuations; n++ {
		run := fmt.Sprint("r", n)
		fold(events.RunStarted{Run: run, Name: "w", Text: "steps: [{run: {builtin: noop}}]"}, events.RunCompleted{Run: run})
		facts, err := workflows.EvaluateGoal{Outcome: workflows.NotMetYet, Evidence: evidence(n)}.Decide(s.state, plainWorld{})
		if err != nil {
			t.Fatal(err)
		}
		fold(facts...)
		if e := facts[0].(events.GoalEvaluated); !e.Continue {
			return n, e.Reason
		}
	}
	t.Fatal("it goes on for ever")
	return 0, ""
}

func TestAGoalIsNotPursuedForEver(t *testing.T) {
	t.Parallel()
	if n, reason := pursued(t, func(n int) string { return fmt.Sprint("step ", n) }); n != workflows.MostContinuations+1 || reason != "max_continuations" {
		t.Errorf("with news each time: %s after %d", reason, n)
	}
	if n, reason := pursued(t, func(int) string { return "the same" }); n != 2 || reason != "no_progress" {
		t.Errorf("with the same each time: %s after %d", reason, n)
	}
	if n, reason := pursued(t, func(n int) string { return fmt.Sprint(max(n, 4)) }); n != 2 || reason != "no_progress" {
		t.Errorf("with the same at first: %s after %d", reason, n)
	}
}

// TestNewInputWins: what a person has started since is not run over.
func TestNewInputWins(t *testing.T) {
	t.Parallel()
	s := newStory()
	for _, d := range []events.Data{
		events.SessionStarted{Goal: "g"}, events.GoalSet{Condition: "c"},
		events.RunStarted{Run: "r1", Name: "w", Text: "steps: [{run: {builtin: noop}}]"}, events.RunCompleted{Run: "r1"},
		events.RunStarted{Run: "r2", Name: "mine", Text: "steps: [{run: {builtin: noop}}]"}, events.RunCompleted{Run: "r2"},
		events.RunStarted{Run: "r3", Name: workflows.EvaluationRun, Text: "steps: [{run: {builtin: noop}}]"}, events.RunCompleted{Run: "r3"},
	} {
		s.fold(events.New(d))
	}
	facts, err := workflows.EvaluateGoal{Run: "r1", Outcome: workflows.NotMetYet, Evidence: "e"}.Decide(s.state, plainWorld{})
	if err != nil {
		t.Fatal(err)
	}
	if e := facts[0].(events.GoalEvaluated); e.Continue || e.Reason != "new_input" {
		t.Errorf("%+v", e)
	}
	facts, err = workflows.EvaluateGoal{Outcome: workflows.NotMetYet, Evidence: "e"}.Decide(s.state, plainWorld{})
	if e := facts[0].(events.GoalEvaluated); err != nil || e.Run != "r2" || !e.Continue {
		t.Errorf("%+v, %v", e, err)
	}
}
