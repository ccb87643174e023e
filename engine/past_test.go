package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// pastOf is a session of another program with as many values.
func pastOf(n int) []engine.Past {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	out := []engine.Past{{Time: at, Data: events.SessionStarted{Goal: "old", Mode: "auto", Workspace: "/w"}}}
	large, _ := json.Marshal(strings.Repeat("x", 40<<10))
	for i := range n {
		value := json.RawMessage(`"small"`)
		if i%10 == 0 {
			value = large
		}
		out = append(out, engine.Past{Time: at.Add(time.Duration(i) * time.Minute), Data: events.ContextSet{Key: "k", Value: events.Value{JSON: value}, Rev: i + 1}})
	}
	return out
}

func TestAPastIsTakenOverOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{})
	session := named("past")
	if _, err := w.View(t.Context(), session, func(s *workflows.State, _ sessions.World) (any, error) { return s.Status, nil }); err != nil {
		t.Fatal(err)
	}
	first, err := w.TakeOver(t.Context(), session, "old-tool", pastOf(1000))
	if err != nil || first.Already || first.Commits < 3 || first.Events != 1001 {
		t.Fatalf("took over %+v, %v", first, err)
	}
	again, err := w.TakeOver(t.Context(), session, "old-tool", pastOf(1000))
	if err != nil || !again.Already {
		t.Errorf("once more: %+v, %v", again, err)
	}
	var refusal *sessions.Refusal
	if _, err := w.TakeOver(t.Context(), session, "old-tool", pastOf(900)); !errors.As(err, &refusal) || refusal.Code != "imported_before" {
		t.Errorf("another past: %v", err)
	}
	w.do(t, session, set("k", 7)) // the session goes on
	if again, err = w.TakeOver(t.Context(), session, "old-tool", pastOf(1000)); err != nil || !again.Already {
		t.Errorf("after it went on: %+v, %v", again, err)
	}
	got, err := w.View(t.Context(), session, func(s *workflows.State, _ sessions.World) (any, error) {
		return []any{s.Context["k"].Last(), s.StartedAt.Year()}, nil
	})
	if list, ok := got.([]any); err != nil || !ok || list[0] != 1001 || list[1] != 2025 {
		t.Errorf("state %v, %v; want 1001 revisions since 2025", got, err)
	}
	verified, err := engine.As[engine.Verified](w.queries["verify"](t.Context(), session, []byte("{}")))
	if err != nil || !verified.Equal {
		t.Errorf("verify: %+v, %v", verified, err)
	}
}

// TestAnImportThatWasCutOffIsCompleted: the same past gives the same commits, so what is missing is added.
func TestAnImportThatWasCutOffIsCompleted(t *testing.T) {
	t.Parallel()
	full := newWorld(t, worldConfig{})
	session := named("cut-off")
	if _, err := full.TakeOver(t.Context(), session, "old-tool", pastOf(1000)); err != nil {
		t.Fatal(err)
	}
	cut := newWorld(t, worldConfig{})
	for rec, err := range full.store.Tail(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cut.store.Append(t.Context(), rec.Entity, 0, rec.Frame); err != nil {
			t.Fatal(err)
		}
		break // only the first commit was stored
	}
	got, err := cut.TakeOver(t.Context(), session, "old-tool", pastOf(1000))
	if err != nil || got.Already {
		t.Fatalf("completed %+v, %v", got, err)
	}
	if revs, err := cut.View(t.Context(), session, func(s *workflows.State, _ sessions.World) (any, error) { return s.Context["k"].Last(), nil }); err != nil || revs != 1000 {
		t.Errorf("%v revisions, %v; want 1000", revs, err)
	}
}
