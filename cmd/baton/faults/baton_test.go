//go:build linux

package faults_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// held keeps its first attempt until the file "go" is there.
const held = `until [ -e go ]; do sleep 0.02; done`

// TestSecondCopyOfABaton: batons are doubled while their call is held, and after it is over. A copy
// that says it comes from a reconciler is no better than another.
func TestSecondCopyOfABaton(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t, "BATON_LEASE=600ms")
		h.serve("--workers", "4")
		started := h.detach(h.template(step("held", held), step("next", "true", "held")))
		await(t, "the first attempt", func() bool { return len(h.ledger()) == 1 })
		store := h.store()
		call := started.Steps[0].CallID
		copies := func(calls ...string) {
			for range 5 + r.IntN(10) {
				for _, call := range calls {
					b := stream.Baton{Session: started.Session, Call: call, After: uint64(r.IntN(3)), Wake: r.IntN(2) == 0}
					if _, err := store.Publish(t.Context(), workflows.DefaultQueue, b); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		copies(call)
		// Longer than a lease: whoever looks again after it must still find the holder alive.
		if within(2*lease, func() bool { return len(h.ledger()) > 1 }) {
			t.Errorf("a copy started another attempt: %+v", h.ledger())
		}
		copies(call)
		write(t, filepath.Join(h.work, "go"), nil)
		last := h.over(started.Run)
		copies(call, last.Steps[1].CallID)
		await(t, "the end of all copies", func() bool { return depth(t, store, workflows.DefaultQueue) == 0 })
		events := h.events(last.Session)
		all := attempts(t, events)
		checkLedger(t, h.ledger(), all)
		for _, step := range last.Steps {
			if tries := all[step.CallID]; len(tries) != 1 || tries[0].end != "call.closed" {
				t.Errorf("step %s was tried as %+v", step.ID, tries)
			}
		}
		if n := len(h.ledger()); n != 2 || last.Status != "completed" {
			t.Errorf("the run is %s after %d effects", last.Status, n)
		}
	})
}

// TestMalformedBaton: what is no baton, or one of nothing that there is, blocks nobody.
func TestMalformedBaton(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.session()
	h.must("call", "open", "--skill", "s", "--intent", "i")
	garbage := [][]byte{
		nil, []byte("garbage"), []byte("{"), []byte("[]"), []byte("null"), []byte(`{"session":7}`), []byte(`{"session":""}`),
		{0, 0xff, '\r', '\n', 0x1b}, bytes.Repeat([]byte("x"), 900<<10), []byte(strings.Repeat("[", 10000)),
	}
	foreign := [][]byte{
		[]byte(`{"session":"0198c0de-0000-7000-8000-00000000dead","call":"c001"}`),
		[]byte(`{"session":"../../etc","call":"c001"}`), []byte(`{"session":"a.b.>","call":"*"}`), []byte(`{"session":"a b\u0000","call":""}`),
		[]byte(`{"session":"` + session + `","call":"nothing"}`), []byte(`{"session":"` + session + `","call":"c001","after":18446744073709551615}`),
		[]byte(`{"session":"` + session + `"}`),
	}
	before := h.must("events", "--all", "--json")
	h.raw("work."+workflows.DefaultQueue, append(garbage, foreign...)...)
	last := ask[run](h, "workflow", "run", h.template(chains(2, 3, "true")...))
	if last.Status != "completed" {
		t.Errorf("the run ended as %+v", last)
	}
	store := h.store()
	await(t, "an empty queue", func() bool { return depth(t, store, workflows.DefaultQueue) == 0 })
	events := h.events(session)
	attempts(t, events)
	h.checkWhole(session, events)
	after := h.must("events", "--all", "--json")
	for _, e := range eventLines(t, strings.TrimPrefix(after, before)) {
		if e.Session != last.Session {
			t.Errorf("a foreign baton made %+v", e)
		}
	}
	log := h.serverLog()
	if n := strings.Count(log, "set a message aside"); n != len(garbage) || len(log) > 64<<10 {
		t.Errorf("%d messages were reported as set aside, in %d bytes; want %d", n, len(log), len(garbage))
	}
}
