package projections

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

// TestARunSaysWhatItUsed: skills and costs of its calls, those of child runs among them.
func TestARunSaysWhatItUsed(t *testing.T) {
	t.Parallel()
	closed := func(call, usage string) events.CallClosed {
		return events.CallClosed{Call: call, Attempt: 1, Status: "ok", Usage: json.RawMessage(usage)}
	}
	s := newStory(t)
	s.add(sessionA, events.RunStarted{Run: "r-1", Name: "a"}, events.CallOpened{Call: "r-1/a", Run: "r-1", Step: "a", Skill: "search", Queue: "default"},
		events.CallOpened{Call: "r-1/b", Run: "r-1", Step: "b", Skill: "search", Queue: "default"})
	s.add(sessionA, events.RunStarted{Run: "r-1/b", Name: "child", Parent: "r-1/b"}, events.CallOpened{Call: "r-1/b/c", Run: "r-1/b", Step: "c", Skill: "write", Queue: "default"})
	s.add(sessionA, closed("r-1/a", `{"usd":0.5,"tokens":100}`), closed("r-1/b/c", `{"usd":0.25,"tokens":20}`), closed("r-1/b", `"much"`), closed("r-1/gone", `{"usd":9}`))
	x := into(s, new(Index))
	row, err := x.FindRun("r-1", sessionA, true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"search", "write"}, row.Skills); diff != "" || row.USD != 0.75 || row.Tokens != 120 {
		t.Errorf("it used %g USD and %d tokens (-want +got):\n%s", row.USD, row.Tokens, diff)
	}
}

// TestAForkHasOnlyTheRunsOfItsPast: what the other session began later is none of its own.
func TestAForkHasOnlyTheRunsOfItsPast(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.add(sessionA, events.RunStarted{Run: "r-1", Name: "before"}, events.CallOpened{Call: "r-1/a", Run: "r-1", Step: "a", Queue: "default"})
	s.add(sessionA, events.RunStarted{Run: "r-2", Name: "after"})
	s.add(sessionB, events.SessionForked{From: sessionA, N: 1, Call: "r-1/a"})
	var names []string
	for _, row := range into(s, new(Index)).Runs() {
		if row.Session == sessionB {
			names = append(names, row.Name)
		}
	}
	if diff := cmp.Diff([]string{"before"}, names); diff != "" {
		t.Errorf("runs of the fork (-want +got):\n%s", diff)
	}
}
