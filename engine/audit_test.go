package engine_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// robbed is a store from which a commit and the large values are gone.
type robbed struct {
	ports
	gone uint64
}

func (r robbed) Tail(ctx context.Context, after uint64) iter.Seq2[stream.Record, error] {
	return func(yield func(stream.Record, error) bool) {
		for rec, err := range r.ports.Tail(ctx, after) {
			if rec.Sequence != r.gone && !yield(rec, err) {
				return
			}
		}
	}
}

func (r robbed) Get(context.Context, string) ([]byte, error) { return nil, stream.ErrNotFound }

// TestAnAuditFindsWhatIsGone: a whole log has no problems; of one from which a commit and a value are gone
// both are named.
func TestAnAuditFindsWhatIsGone(t *testing.T) {
	t.Parallel()
	store := newStore()
	w := newWorld(t, worldConfig{store: store, process: "p1"})
	session := named("audited")
	w.begin(t, session)
	for i := range 3 {
		w.do(t, session, set("k", i))
	}
	large, err := events.Marshal(strings.Repeat("x", 200<<10))
	if err != nil {
		t.Fatal(err)
	}
	w.do(t, session, workflows.Of(sessions.SetContext{Key: "large", Value: events.Value{JSON: large}}))
	audit := func(w *world) (got engine.Audited) {
		answer, err := w.queries["audit"](t.Context(), "", json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		got, _ = answer.(engine.Audited)
		return got
	}
	if got := audit(w); len(got.Problems) > 0 || got.Values != 1 || got.Commits != 5 {
		t.Errorf("a whole log: %+v", got)
	}
	thief := newWorld(t, worldConfig{store: robbed{store, 3}, process: "p2", shared: true})
	got := audit(thief)
	if len(got.Problems) != 2 || got.Problems[0].Sequence != 4 || !strings.Contains(got.Problems[0].Problem, "chain") || got.Problems[1].Sequence != 5 {
		t.Errorf("a robbed log: %+v", got.Problems)
	}
}
