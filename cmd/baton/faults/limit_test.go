//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/batonflow/baton/engine"
)

// mostAtOnce reads from the log how many calls that count against a limit ran at once at the most. What
// ran is a call between its start and the event that ends the attempt.
func mostAtOnce(t *testing.T, events []engine.EventLine, limit string) (most int) {
	t.Helper()
	counts, running := map[string]bool{}, map[string]bool{}
	for _, e := range events {
		call := e.Session + " " + e.Call
		switch e.Type {
		case "call.opened":
			var d struct{ Limits []string }
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			counts[call] = slices.Contains(d.Limits, limit)
		case "call.started":
			if counts[call] {
				running[call] = true
			}
		case "call.closed", "call.failed", "call.lost", "call.cancelled":
			delete(running, call)
		}
		most = max(most, len(running))
	}
	return most
}

// TestALimitHoldsOverSessions: fifty sessions on two workers share three permits, while workers and the
// server are killed.
func TestALimitHoldsOverSessions(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		const sessions, permits = 50, 3
		h := newHome(t)
		h.configure(fmt.Sprintf("limits: {gpu: %d}\nqueues: {default: {limit: 9}}\n", permits))
		h.serve("--workers", "0")
		template := h.template("  - {id: a, limit: gpu, run: {exec: [./ledger.sh, 'sleep 0.2']}}\n")
		runs := make([]run, sessions)
		for i := range runs {
			session := ask[struct{ Session string }](h, "session", "new", "--goal", fmt.Sprint("limited ", i)).Session
			runs[i] = h.detach(template, "--session", session)
		}
		worker, _ := h.worker("--concurrency", "8")
		h.worker("--concurrency", "8")
		await(t, "some work", func() bool { return len(h.ledger()) > r.IntN(10) })
		worker.signal(t, syscall.SIGKILL)
		h.worker("--concurrency", "8")
		goal := min(len(h.ledger())+r.IntN(10), sessions)
		await(t, "more work", func() bool { return len(h.ledger()) >= goal })
		h.killServer()
		h.serve("--workers", "0")
		await(t, "the end of all runs", func() bool {
			return len(ask[[]run](h, "workflow", "list", "--status", "completed")) == sessions
		})
		events := eventLines(t, h.must("events", "--all", "--json"))
		if most := mostAtOnce(t, events, "gpu"); most > permits || most == 0 {
			t.Errorf("%d calls ran at once under a limit of %d", most, permits)
		}
		if most := mostAtOnce(t, events, "queue:default"); most > 9 || most == 0 {
			t.Errorf("%d calls ran at once on a queue with a limit of 9", most)
		}
		granted, freed := countType(events, "permit.granted"), countType(events, "permit.freed")
		t.Logf("%d permits granted, %d freed, %d attempts lost", granted, freed, countType(events, "call.lost"))
	})
}
