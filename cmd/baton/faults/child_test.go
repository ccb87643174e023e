//go:build linux

package faults_test

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOwnChildrenWhileKilled: child runs in sessions of their own, while the server is killed again and again:
// each is begun once, each of its steps has one result, and the run above ends when they have.
func TestOwnChildrenWhileKilled(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		const children, rounds = 6, 5
		h := newHome(t)
		path := h.template("  - {id: each, foreach: 1..6, concurrency: 3, run: {workflow: {path: child.yaml, session: own}}, output: all}\n",
			"  - {id: end, needs: [each], run: {builtin: noop}}\n")
		write(t, filepath.Join(h.work, "child.yaml"), []byte("name: child\nsteps:\n"+step("a", "sleep 0.05")+step("b", "sleep 0.05")))
		started := h.detach(path)
		for range rounds {
			h.letRun(r.IntN(4), time.Duration(r.IntN(60))*time.Millisecond)
			h.killServer()
			h.must("status")
		}
		last := h.over(started.Run)
		if last.Status != "completed" {
			t.Fatalf("the run is %s", last.Status)
		}
		events := eventLines(t, h.must("events", "--all", "--json"))
		for _, kind := range []string{"run.started", "run.completed"} {
			if n := countType(events, kind); n != children+1 {
				t.Errorf("%d %s, want %d", n, kind, children+1)
			}
		}
		if n := countType(events, "session.started"); n != children+1 {
			t.Errorf("%d sessions were begun", n)
		}
		all := attempts(t, events)
		maps.DeleteFunc(all, func(call string, _ []attempt) bool { return strings.Count(call, "/") < 2 }) // those of child runs
		if len(all) != 2*children {
			t.Errorf("%d steps of child runs", len(all))
		}
		checkLedger(t, h.ledger(), all)
		sessions := map[string]bool{}
		for _, e := range events {
			if e.Session != "" && !sessions[e.Session] {
				sessions[e.Session] = true
				h.checkWhole(e.Session, h.events(e.Session))
			}
		}
		t.Logf("%d sessions, %d attempts lost", len(sessions), countType(events, "call.lost"))
	})
}

// TestCancelReachesOwnChildrenThroughAKill: the server is killed around a cancellation; when the command has
// succeeded, no child run goes on, and in the end none has a process.
func TestCancelReachesOwnChildrenThroughAKill(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		path := h.template("  - {id: each, foreach: 1..3, run: {workflow: {path: child.yaml, session: own}}}\n")
		write(t, filepath.Join(h.work, "child.yaml"), []byte("name: child\nsteps:\n"+step("a", "sleep 60")))
		started := h.detach(path)
		h.letRun(r.IntN(4), time.Duration(r.IntN(30))*time.Millisecond)
		h.killCommand(time.Duration(r.IntN(20))*time.Millisecond, "workflow", "cancel", started.Run)
		h.killServer()
		h.must("workflow", "cancel", started.Run)
		unfinished := func() (n int) {
			for _, row := range ask[[]runRow](h, "workflow", "list") {
				if row.Status != "cancelled" {
					n++
				}
			}
			return n
		}
		await(t, "the end of all child runs", func() bool { return unfinished() == 0 })
		await(t, "the end of their processes", func() bool {
			for _, p := range processesOf(h.dir) {
				if strings.Contains(p.command, "sleep 60") {
					return false
				}
			}
			return true
		})
	})
}
