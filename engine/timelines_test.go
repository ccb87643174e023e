package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections/timeline"
	"github.com/batonflow/baton/sessions"
)

// asked puts a question to the world's queries, through the bytes that it would be on the wire.
func asked[T any](t *testing.T, w *world, name, session string, question any) T {
	t.Helper()
	got, err := w.query(t, name, session, question)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *world) query(t *testing.T, name, session string, question any) (any, error) {
	t.Helper()
	raw, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	return w.queries[name](t.Context(), session, raw)
}

func rowsFrom(from, count int) engine.TimelineAsk {
	return engine.TimelineAsk{Ask: timeline.Ask{Run: "r1", From: from, Count: count}}
}

func TestATimelineIsTheSameFoldedAtOnceAndAsItCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 2})
	session := named("timeline")
	w.start(t, session, fan(8))
	asked[timeline.Window](t, w, "timeline", session, rowsFrom(0, 100)) // folded while it works
	w.await(t, session)
	came := asked[timeline.Window](t, w, "timeline", session, rowsFrom(0, 100))
	atOnce := asked[timeline.Window](t, &world{queries: engine.Standard(w.Engine, nil)}, "timeline", session, rowsFrom(0, 100))
	if diff := cmp.Diff(came, atOnce); diff != "" {
		t.Errorf("as it came and at once (-came +at once):\n%s", diff)
	}
	if came.Total != 9 || came.Counts["ok"] != 9 || came.Run.Status != "completed" {
		t.Errorf("%d rows, %v, %s", came.Total, came.Counts, came.Run.Status)
	}
	if _, err := w.query(t, "timeline", session, engine.TimelineAsk{Ask: timeline.Ask{Run: "r9"}}); !refused(err, "run_not_found") {
		t.Errorf("a run that is not there: %v", err)
	}
}

func TestThePastIsAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 1})
	session := named("past")
	const n = 5
	w.start(t, session, chain(n))
	w.await(t, session)
	for place := 1; place <= n+1; place++ {
		q := rowsFrom(0, 100)
		q.Place = place
		got := asked[timeline.Window](t, w, "timeline", session, q)
		if got.Counts["ok"] != place-1 || got.Place != place || got.Commits != n+1 {
			t.Errorf("after commit %d of %d: %v, at %d", place, got.Commits, got.Counts, got.Place)
		}
		told := asked[[]engine.Told](t, w, "past", session, engine.PastAsk{Place: place, Asks: []engine.Question{
			{Name: "context.some", Data: json.RawMessage(`{"count":2}`)}, {Name: "call.show", Data: json.RawMessage(`{"call":"nobody"}`)},
		}})
		var some engine.Some
		if err := json.Unmarshal(told[0].Value, &some); err != nil {
			t.Fatal(err)
		}
		if some.Total != place-1 || len(some.Keys) != min(place-1, 2) {
			t.Errorf("after commit %d: %d of %d keys", place, len(some.Keys), some.Total)
		}
		if told[1].Refusal == nil || told[1].Refusal.Kind != sessions.NotFound {
			t.Errorf("a call that is not there: %+v", told[1])
		}
	}
	if _, err := w.query(t, "past", session, engine.PastAsk{Asks: []engine.Question{{Name: "rebuild"}}}); !refused(err, "unknown_query") {
		t.Errorf("what is no reading: %v", err)
	}
}

func TestRawEventsOfARowAndOfAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 1})
	session := named("facts")
	w.start(t, session, chain(30))
	w.await(t, session)
	of := asked[engine.Facts](t, w, "timeline.events", session, engine.FactsAsk{Row: "r1/s003", Count: 50})
	var types []string
	for _, line := range of.Events {
		types = append(types, line.Type)
	}
	if diff := cmp.Diff([]string{"call.opened", "call.started", "call.closed", "context.set"}, types); diff != "" {
		t.Errorf("events of a row (-want +got):\n%s", diff)
	}
	pages, seen := 0, map[string]bool{}
	for from := 1; from > 0; pages++ {
		page := asked[engine.Facts](t, w, "timeline.events", session, engine.FactsAsk{From: from, Count: 10})
		for _, line := range page.Events {
			if seen[line.ID] {
				t.Fatalf("event %s came twice", line.ID)
			}
			seen[line.ID] = true
		}
		from = page.Next
	}
	want := 0
	for _, n := range count(t, w.store, session) {
		want += n
	}
	if len(seen) != want || pages < 3 {
		t.Errorf("%d of %d events on %d pages", len(seen), want, pages)
	}
}

func TestNewsComeWhenSomethingHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 1})
	session := named("moved")
	w.start(t, session, chain(1))
	w.await(t, session)
	now := asked[engine.Moved](t, w, "moved", session, engine.MovedAsk{})
	if now.Sequence == 0 {
		t.Fatal("nothing has happened")
	}
	news := make(chan engine.Moved, 1)
	after := fmt.Sprintf(`{"after":%d}`, w.last(t))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		got, _ := engine.As[engine.Moved](w.queries["moved"](ctx, "", []byte(after)))
		news <- got
	}()
	w.start(t, named("moved again"), chain(1))
	select {
	case got := <-news:
		if got.Sequence <= now.Sequence {
			t.Errorf("news of %d after %d", got.Sequence, now.Sequence)
		}
	case <-ctx.Done():
		t.Error("no news came")
	}
}
