package sessions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// nowhere is a world in which there is nothing to look up.
type nowhere struct{}

func (nowhere) Value(v events.Value) (json.RawMessage, error) { return v.JSON, nil }
func (nowhere) Route(sessions.RouteTask) (events.Data, error) { return nil, errors.New("no router") }
func (nowhere) Resolve(string, string) sessions.Resolution    { return sessions.Resolution{} }
func (nowhere) Limited(string) []string                       { return nil }

// twin is the dumb twin of a session worked by hand: lists of what there should be.
type twin struct {
	calls map[string]string // id -> open, suspended, or how it ended
	stack []string
	keys  map[string][]string // every revision; "" is a deletion
	ended bool
}

// innermost is the open call nearest to the top.
func (w *twin) innermost() string {
	for i := len(w.stack) - 1; i >= 0; i-- {
		if w.calls[w.stack[i]] == "open" {
			return w.stack[i]
		}
	}
	return ""
}

func (w *twin) is(id, phase string) bool { return w.calls[id] == phase }

func (w *twin) live(id string) bool { return w.is(id, "open") || w.is(id, "suspended") }

func (w *twin) current(key string) string {
	if revs := w.keys[key]; len(revs) > 0 {
		return revs[len(revs)-1]
	}
	return ""
}

// move is a random command with what the twin says of it: whether it takes effect, and how.
type move struct {
	name    string
	command sessions.Command
	allowed bool
	effect  func(*twin)
}

func (w *twin) draw(t *rapid.T) move {
	id := rapid.SampledFrom([]string{"c001", "c002", "c003", "c004"}).Draw(t, "id")
	key := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "key")
	moves := []move{
		{"open", sessions.Open{Skill: "s", Intent: "i", Parent: "none"}, true, func(w *twin) {
			id := fmt.Sprintf("c%03d", len(w.calls)+1)
			w.calls[id], w.stack = "open", append(w.stack, id)
		}},
		{"close", sessions.Close{Call: id, Status: "ok"}, w.live(id), func(w *twin) { w.end(id) }},
		{"close innermost", sessions.Close{Status: "ok"}, w.innermost() != "", func(w *twin) { w.end(w.innermost()) }},
		{"suspend", sessions.Suspend{Call: id}, w.is(id, "open"), func(w *twin) { w.calls[id] = "suspended" }},
		{"resume", sessions.Resume{Call: id}, w.is(id, "suspended"), func(w *twin) {
			w.calls[id] = "open"
			w.stack = append(slices.DeleteFunc(w.stack, func(x string) bool { return x == id }), id)
		}},
		w.write(t, key),
		{"delete", sessions.DeleteContext{Key: key}, w.current(key) != "", func(w *twin) { w.keys[key] = append(w.keys[key], "") }},
		w.rollBack(t, key),
	}
	if rapid.IntRange(0, 40).Draw(t, "end") == 0 {
		moves = []move{{"end", sessions.End{}, true, func(w *twin) { w.ended = true }}}
	}
	m := rapid.SampledFrom(moves).Draw(t, "move")
	m.allowed = m.allowed && !w.ended
	return m
}

func (w *twin) end(id string) {
	w.calls[id] = "ok"
	w.stack = slices.DeleteFunc(w.stack, func(x string) bool { return x == id })
}

func (w *twin) write(t *rapid.T, key string) move {
	value := rapid.SampledFrom([]string{`1`, `"two"`, `{"three":3}`}).Draw(t, "value")
	return move{"set", sessions.SetContext{Key: key, Value: events.Value{JSON: json.RawMessage(value)}}, true, func(w *twin) {
		w.keys[key] = append(w.keys[key], value)
	}}
}

func (w *twin) rollBack(t *rapid.T, key string) move {
	to := rapid.IntRange(0, 4).Draw(t, "to")
	revs := w.keys[key]
	there := to >= 1 && to <= len(revs) && revs[to-1] != ""
	return move{"roll back", sessions.RollBackContext{Key: key, To: to}, there, func(w *twin) {
		w.keys[key] = append(w.keys[key], w.keys[key][to-1])
	}}
}

// TestSessionAgainstItsTwin: random commands by hand; each takes effect exactly when the twin says so,
// refusals change nothing, and folding all events again gives the same state.
func TestSessionAgainstItsTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, w := sessions.New("s1"), &twin{calls: map[string]string{}, keys: map[string][]string{}}
		var all []events.Event
		take := func(c sessions.Command) error {
			facts, err := c.Decide(s, nowhere{})
			for _, d := range facts {
				e := events.New(d)
				e.ID, e.Time = fmt.Sprintf("e%03d", len(all)), time.Unix(int64(len(all)), 0).UTC()
				all = append(all, e)
				s.Fold(e)
			}
			return err
		}
		if err := take(sessions.Begin{Goal: "g", Mode: "auto", Workspace: "/w"}); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 60).Draw(t, "moves") {
			m := w.draw(t)
			before := len(all)
			err := take(m.command)
			if (err == nil) != m.allowed || err != nil && len(all) != before {
				t.Fatalf("%s: %v, the twin allows it: %t; %d events", m.name, err, m.allowed, len(all)-before)
			}
			if err == nil {
				m.effect(w)
			}
			w.compare(t, s)
		}
		again := sessions.New("s1")
		for _, e := range all {
			again.Fold(e)
		}
		if diff := cmp.Diff(s, again, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Fatalf("folding again: %s", diff)
		}
	})
}

func (w *twin) compare(t *rapid.T, s *sessions.State) {
	if len(s.Calls) != len(w.calls) || !slices.Equal(s.Stack, w.stack) {
		t.Fatalf("%d calls, stack %v; the twin has %d and %v", len(s.Calls), s.Stack, len(w.calls), w.stack)
	}
	for id, phase := range w.calls {
		if got := s.Calls[id].PublicStatus(); got != phase {
			t.Fatalf("%s is %s, the twin has %s", id, got, phase)
		}
	}
	for key, revs := range w.keys {
		history, err := s.History(key, nowhere{})
		if err != nil || len(history) != len(revs) {
			t.Fatalf("%s has %d revisions, %v; the twin has %v", key, len(history), err, revs)
		}
		for i, rev := range history {
			if got := string(rev.Value); rev.Rev != i+1 || rev.Deleted != (revs[i] == "") || !rev.Deleted && got != revs[i] {
				t.Fatalf("%s revision %d is %+v, the twin has %q", key, i+1, rev, revs[i])
			}
		}
	}
}

// TestOneLiveClaim: whatever workers try with a call, at most one holds it, attempt numbers rise, and
// only the holder of the current attempt ends it.
func TestOneLiveClaim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := sessions.New("s1")
		fold := func(facts []events.Data) {
			for _, d := range facts {
				s.Fold(events.New(d))
			}
		}
		fold([]events.Data{events.SessionStarted{Goal: "g"}, events.CallOpened{Call: "c001", Queue: "q", Skill: "s"}})
		holder, attempt, lost := "", 0, 0
		for range rapid.IntRange(1, 40).Draw(t, "tries") {
			worker := rapid.SampledFrom([]string{"a.1", "b.1", "c.1"}).Draw(t, "worker")
			number := rapid.IntRange(1, attempt+1).Draw(t, "attempt")
			call, err := s.Fenced("c001", number, worker)
			if mine := holder == worker && number == attempt && holder != ""; (err == nil) != mine {
				t.Fatalf("%s attempt %d: %v; held by %q, attempt %d", worker, number, err, holder, attempt)
			}
			if err == nil && rapid.Bool().Draw(t, "ends") {
				fold(s.Result(call, events.CallClosed{Call: "c001", Attempt: number, Status: "ok"}))
				return
			}
			claim := sessions.Claim{Call: "c001", Queue: "q", Worker: worker, Baton: rapid.Uint64Range(1, 3).Draw(t, "baton"), Delivery: rapid.IntRange(1, 3).Draw(t, "delivery"),
				Wake: rapid.Bool().Draw(t, "wake"), Dead: rapid.IntRange(0, 4).Draw(t, "dead") == 0, Silent: rapid.Bool().Draw(t, "silent"), Alone: rapid.Bool().Draw(t, "alone")}
			before := *s.Calls["c001"]
			facts, err := claim.Decide(s, nowhere{})
			fold(facts)
			if err != nil {
				continue
			}
			if holder != "" {
				if lost++; !claim.Dead && !claim.Silent {
					t.Fatalf("%+v took a live call from %s", claim, holder)
				}
				if !claim.Dead && !claim.Wake && (before.Baton != claim.Baton || claim.Delivery <= before.Delivery) {
					t.Fatalf("%+v took a silent call by a copy of its baton", claim)
				}
			}
			holder = ""
			if call := s.Calls["c001"]; call.Phase == sessions.Running {
				if holder = call.Worker; call.Attempt != attempt+1 || holder != worker {
					t.Fatalf("attempt %d by %s after attempt %d; claimed by %s", call.Attempt, holder, attempt, worker)
				}
				if attempt++; lost >= sessions.AloneAfter && !claim.Alone {
					t.Fatalf("after %d losses it runs beside others", lost)
				}
			} else if call.Phase == sessions.Queued && (lost < sessions.AloneAfter || claim.Alone) || call.Phase == sessions.Over && lost <= sessions.MaxLosses {
				t.Fatalf("the call is %s after %d losses", call.Phase, lost)
			}
			if s.Calls["c001"].Phase == sessions.Over {
				return
			}
		}
	})
}

func (nowhere) Items(v events.Value) ([]json.RawMessage, error) {
	var list []json.RawMessage
	err := json.Unmarshal(v.JSON, &list)
	return list, err
}

func (nowhere) Stow(raw json.RawMessage) (events.Value, error) {
	return events.Value{SHA256: "stowed", Size: int64(len(raw))}, nil
}

func (nowhere) Keep(raw json.RawMessage) (events.Value, error) { return events.Value{JSON: raw}, nil }
