package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
)

// counts is a state that remembers what was scanned.
type counts struct{ list []int }

func (c *counts) Fold(e events.Event) {
	if d, ok := e.Data.(events.SkillsScanned); ok {
		c.list = append(c.list, d.Count)
	}
}

// next says one more than the state has.
func next(c *counts) ([]events.Data, error) {
	return []events.Data{events.SkillsScanned{Index: "x", Count: len(c.list) + 1}}, nil
}

// TestLedgerHasOneOrder: processes that write at once each decide on what is there, so no number is
// given twice and none is missing.
func TestLedgerHasOneOrder(t *testing.T) {
	t.Parallel()
	store := newStore()
	const each, processes = 20, 3
	var group sync.WaitGroup
	for p := range processes {
		w := newWorld(t, worldConfig{store: store, process: fmt.Sprintf("p%d", p), shared: true})
		l := engine.OpenLedger(w.Engine, stream.Entity("skills"), &counts{})
		for range each {
			group.Go(func() {
				if _, err := l.Commit(t.Context(), engine.Meta{Actor: "test"}, nil, next); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	w := newWorld(t, worldConfig{store: store, process: "reader", shared: true})
	var want []int
	for i := range each * processes {
		want = append(want, i+1)
	}
	l := engine.OpenLedger(w.Engine, stream.Entity("skills"), &counts{})
	if err := l.View(t.Context(), func(c *counts) {
		if diff := cmp.Diff(want, c.list); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestLedgerAnswersARequestOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{})
	l := engine.OpenLedger(w.Engine, stream.Entity("skills"), &counts{})
	meta := engine.Meta{Actor: "test", Request: "r1"}
	first, err := l.Commit(t.Context(), meta, "scan", next)
	if err != nil {
		t.Fatal(err)
	}
	again := engine.OpenLedger(w.Engine, stream.Entity("skills"), &counts{}) // as after a restart
	for _, l := range []*engine.Ledger[*counts]{l, again} {
		got, err := l.Commit(t.Context(), meta, "scan", next)
		if err != nil || got.Sequence != first.Sequence || len(got.Facts) != 1 {
			t.Errorf("the same request: %+v, %v; want %+v", got, err, first)
		}
		var refusal *sessions.Refusal
		if _, err := l.Commit(t.Context(), meta, "other", next); !errors.As(err, &refusal) || refusal.Code != "request_id_taken" {
			t.Errorf("another command under the same id: %v", err)
		}
	}
}

func TestLedgerRefusalsAndSilenceWriteNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{})
	l := engine.OpenLedger(w.Engine, stream.Entity("skills"), &counts{})
	said := errors.New("no")
	if _, err := l.Commit(t.Context(), engine.Meta{}, nil, func(*counts) ([]events.Data, error) { return nil, said }); !errors.Is(err, said) {
		t.Errorf("error %v, want the decision's own", err)
	}
	if _, err := l.Commit(t.Context(), engine.Meta{}, nil, func(*counts) ([]events.Data, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
	if head, err := w.store.Head(t.Context()); err != nil || head != 0 {
		t.Errorf("head %d, %v; want an empty log", head, err)
	}
}

func TestLedgerDecidesNothingOnWhatItCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{shared: true})
	e := events.New(events.SkillsScanned{Index: "x"})
	e.ID, e.Type, e.V = "01A", "skills.dreamt", 1
	raw := fmt.Appendf(nil, `{"id":"01A","type":"skills.dreamt","v":1,"time":"2026-11-30T00:00:00Z","data":{}}`)
	if err := e.UnmarshalJSON(raw); err != nil {
		t.Fatal(err)
	}
	frame, err := events.Seal("skills", events.Genesis(w.store.Installation(), "skills"), "other", []events.Event{e})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Append(t.Context(), "skills", 0, frame); err != nil {
		t.Fatal(err)
	}
	l := engine.OpenLedger(w.Engine, stream.Entity("skills"), &counts{})
	if _, err := l.Commit(t.Context(), engine.Meta{}, nil, next); err == nil || !strings.Contains(err.Error(), "newer_version") {
		t.Errorf("error %v, want newer_version", err)
	}
}
