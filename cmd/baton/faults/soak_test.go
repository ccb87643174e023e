//go:build linux

package faults_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/batonflow/baton/workflows"
)

var soakRuns = flag.Int("faults.soak", 60, "how many short runs the soak starts")

// settled is how long after the last kill no run may be unfinished.
const settled = 60 * time.Second

// TestSoak starts many short runs while the server and its workers are killed at random. Of each that is not
// finished it is known why, whenever one asks, and a minute after the last kill all are.
func TestSoak(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template(step("a", "true"), step("b", "sleep 0.05", "a"), step("c", "true", "a"), step("d", "true", "b", "c"))
		h.session()
		killer, asking := h.killer(r), h.asker()
		var group sync.WaitGroup
		todo := make(chan int)
		for range 4 {
			group.Go(func() {
				for i := range todo {
					h.persist("workflow", "run", template, "--detach", "--request-id", fmt.Sprint("soak ", i))
				}
			})
		}
		for i := range *soakRuns {
			todo <- i
		}
		close(todo)
		group.Wait()
		kills := killer()
		begun := time.Now()
		if !within(settled, func() bool { return len(h.unfinished()) == 0 }) {
			left := h.unfinished()
			t.Fatalf("%v after the last kill %d runs are unfinished, such as %s", settled, len(left), left[0].Run)
		}
		took := time.Since(begun)
		asked := asking()
		runs := ask[[]run](h, "workflow", "list")
		for _, one := range runs {
			if one.Status != "completed" {
				t.Errorf("run %s is %s", one.Run, one.Status)
			}
		}
		if len(runs) != *soakRuns {
			t.Errorf("%d runs, want %d", len(runs), *soakRuns)
		}
		events := h.events(runs[0].Session)
		checkLedger(t, h.ledger(), attempts(t, events))
		t.Logf("%d runs, %d kills, %d attempts lost, %d times asked why, %d finds of the reconciler, all finished %v after the last kill",
			len(runs), kills, countType(events, "call.lost"), asked, strings.Count(h.serverLog(), "reconciler found "), took)
	})
}

// asker asks each second of every run that is not finished why, until what it gives is called, which says how
// often it was told. A server that is being killed may leave a question open; no answer may be empty.
func (h *home) asker() (stop func() int) {
	return again(func() time.Duration { return time.Second }, h.askWhy)
}

// again does something after each pause until what it gives is called, which sums up what came of it.
func again(pause func() time.Duration, do func() int) (stop func() int) {
	done, ended := make(chan struct{}), make(chan int)
	go func() {
		sum := 0
		for {
			select {
			case <-done:
				ended <- sum
				return
			case <-time.After(pause()):
				sum += do()
			}
		}
	}()
	return func() int {
		close(done)
		return <-ended
	}
}

func (h *home) askWhy() (told int) {
	var runs []run
	if !h.tells(&runs, "workflow", "list") {
		return 0
	}
	for _, one := range runs {
		var why workflows.Why
		if !one.unfinished() || !h.tells(&why, "why", one.Run) {
			continue
		}
		told++
		if len(why.Reasons) == 0 && (run{Status: string(why.State)}).unfinished() {
			h.t.Errorf("run %s is %s, and nobody knows why", one.Run, why.State)
		}
	}
	return told
}

// tells is ask for other goroutines than the test's, and for commands that a kill may leave without an answer.
func (h *home) tells(v any, args ...string) bool {
	r := h.run(append(args, "--json")...)
	if r.code != 0 {
		return false
	}
	if err := json.Unmarshal([]byte(r.stdout), v); err != nil {
		h.t.Errorf("%v in the answer %s", err, r.stdout)
		return false
	}
	return true
}

func (r run) unfinished() bool { return r.Status == "running" || r.Status == "waiting" }

func (h *home) unfinished() (out []run) {
	h.t.Helper()
	for _, one := range ask[[]run](h, "workflow", "list") {
		if one.unfinished() {
			out = append(out, one)
		}
	}
	return out
}

// persist repeats a command that can be repeated until it is answered.
func (h *home) persist(args ...string) {
	var last result
	for range 20 {
		if last = h.run(args...); last.code == 0 {
			return
		}
	}
	h.t.Errorf("baton %v: exit %d: %s", args, last.code, last.stderr)
}

// killer kills the server, and with it its workers, again and again until what it gives is called, which
// says how often it did.
func (h *home) killer(r *rand.Rand) (stop func() int) {
	pause := func() time.Duration { return time.Duration(300+r.IntN(1200)) * time.Millisecond }
	return again(pause, func() int {
		if e, ok := h.server(); ok && syscall.Kill(e.PID, syscall.SIGKILL) == nil {
			return 1
		}
		return 0
	})
}
