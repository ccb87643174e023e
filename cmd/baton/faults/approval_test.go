//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// TestUnknownEffect: a worker that is killed in an at-most-once step leaves a question behind. It
// survives the server, of twenty people who answer one is heard, and the step runs once more.
func TestUnknownEffect(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		h.serve("--workers", "0")
		worker, _ := h.worker()
		of := h.detach(h.template("  - {id: pay, effects: at-most-once, run: {exec: [./ledger.sh, 'test $BATON_ATTEMPT = 2 || sleep 60']}}\n"))
		await(t, "the first attempt", func() bool { return len(h.ledger()) == 1 })
		pauseFor(time.Duration(r.IntN(300)) * time.Millisecond)
		worker.signal(t, syscall.SIGKILL)
		h.worker()
		await(t, "the question", func() bool { return h.show(of.Run).Status == "waiting" })
		h.killServer()
		h.serve("--workers", "0")
		if n := len(h.ledger()); n != 1 {
			t.Fatalf("the step ran %d times before anybody agreed", n)
		}
		var commands [][]string
		for i := range 20 {
			commands = append(commands, []string{"workflow", "approve", of.Run, "pay", "--yes", "--by", fmt.Sprint("person ", i), "--json"})
		}
		heard := 0
		for _, got := range h.atOnce(commands) {
			switch got.code {
			case 0:
				heard++
			case 4: // told who decided, and when
			default:
				t.Errorf("exit %d: %s", got.code, got.stderr)
			}
		}
		if heard != 1 {
			t.Errorf("%d of 20 answers were taken", heard)
		}
		last := h.over(of.Run)
		if n := len(h.ledger()); last.Status != "completed" || n != 2 {
			t.Errorf("the run is %s, the step ran %d times", last.Status, n)
		}
		events := h.events(last.Session)
		checkLedger(t, h.ledger(), attempts(t, events))
		h.checkWhole(last.Session, events)
	})
}

// TestManyResumeOneRun: of fifty processes that resume a failed run one takes effect and the others are
// told; no step starts twice.
func TestManyResumeOneRun(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		of := h.detach(h.template(step("a", "true"), step("b", "test -e mended || exit 1"), step("c", "true", "a", "b")))
		if got := h.over(of.Run); got.Status != "failed" {
			t.Fatalf("the run is %s", got.Status)
		}
		write(t, h.work+"/mended", nil)
		var commands [][]string
		for range 50 {
			commands = append(commands, []string{"workflow", "resume", of.Run, "--detach", "--json"})
		}
		if r.IntN(2) == 0 {
			h.killServer() // the first of them brings it back
		}
		results := h.atOnce(commands)
		allDone(t, results)
		took := 0
		for _, got := range results {
			a := answer[struct {
				Already bool
				By      string
			}](t, got.stdout)
			if !a.Already {
				took++
			}
			if a.By == "" {
				t.Errorf("nobody is named: %s", got.stdout)
			}
		}
		if took != 1 {
			t.Errorf("%d of 50 took effect", took)
		}
		last := h.over(of.Run)
		events := h.events(last.Session)
		if n := countType(events, "run.resumed"); last.Status != "completed" || n != 1 {
			t.Errorf("the run is %s after %d resumptions", last.Status, n)
		}
		checkLedger(t, h.ledger(), attempts(t, events))
		if n := len(h.ledger()); n != 4 {
			t.Errorf("the steps ran %d times, want a, b, b, c", n)
		}
	})
}

// TestManyCancelOneRun: cancelling from twenty places at once is one cancellation, and what backed off is
// void, also after the server was killed.
func TestManyCancelOneRun(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		of := h.detach(h.template("  - {id: a, retry: {attempts: 9, backoff: 3s}, run: {exec: [./ledger.sh, 'exit 1']}}\n"))
		await(t, "the first failure", func() bool { return h.show(of.Run).Steps[0].Status == "backoff" })
		var commands [][]string
		for range 20 {
			commands = append(commands, []string{"workflow", "cancel", of.Run, "--json"})
		}
		pauseFor(time.Duration(r.IntN(3000)) * time.Millisecond) // it backs off for three seconds at first
		if r.IntN(2) == 0 {
			h.killServer()
		}
		allDone(t, h.atOnce(commands))
		h.killServer()
		if got := h.show(of.Run); got.Status != "cancelled" {
			t.Errorf("after the restart the run is %s", got.Status)
		}
		events := h.events(of.Session)
		if n := countType(events, "run.cancelled"); n != 1 {
			t.Errorf("it was cancelled %d times", n)
		}
		if set, ended := countType(events, "timer.set"), countType(events, "timer.voided")+countType(events, "timer.fired"); set != ended {
			t.Errorf("%d timers were set, %d are over", set, ended)
		}
		h.checkWhole(of.Session, events)
	})
}
