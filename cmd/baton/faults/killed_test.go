//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
)

// runRow is a line of `workflow list`.
type runRow struct {
	Run     string
	Session string
	Status  string
}

// countRun counts the events of a type that name a run.
func countRun(t *testing.T, events []engine.EventLine, kind, id string) (n int) {
	t.Helper()
	for _, e := range events {
		var d struct{ Run string }
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		if e.Type == kind && d.Run == id {
			n++
		}
	}
	return n
}

// killCommand starts a command and kills it after a moment, if it has not ended by then.
func (h *home) killCommand(after time.Duration, args ...string) {
	h.t.Helper()
	c := h.start(args...)
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-timer.C:
		_ = c.Process.Kill() // it may have ended
	case <-c.done:
	}
	<-c.done
}

func moments(r *rand.Rand, many int, within time.Duration) (out []time.Duration) {
	for range many {
		out = append(out, time.Duration(r.Int64N(int64(within))))
	}
	return out
}

// TestKilledRunCommand: the first time even the server has yet to be started.
func TestKilledRunCommand(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template(chains(2, 2, "sleep 0.02")...)
		for i, moment := range append(moments(r, 4, 120*time.Millisecond), moments(r, 8, 30*time.Millisecond)...) {
			request := fmt.Sprint("request-", i)
			args := []string{"workflow", "run", template, "--request-id", request}
			h.killCommand(moment, args...)
			h.killCommand(moment/2, args...)
			got := ask[run](h, args...)
			again := ask[run](h, args...)
			if got.Status != "completed" || again.Run != got.Run || again.Session != got.Session {
				t.Errorf("%s, killed after %v: %+v and then %+v", request, moment, got, again)
			}
			if other := h.run("workflow", "run", template, "--request-id", request, "--input", "x=1", "--json"); other.code == 0 {
				t.Errorf("another command under %s did %s", request, other.stdout)
			}
		}
		list := ask[[]runRow](h, "workflow", "list")
		if len(list) != 12 {
			t.Errorf("%d runs after 12 requests: %+v", len(list), list)
		}
		for _, row := range list {
			events := h.events(row.Session)
			for _, kind := range []string{"run.started", "run.completed"} {
				if n := countRun(t, events, kind, row.Run); n != 1 {
					t.Errorf("run %s has %d %s", row.Run, n, kind)
				}
			}
			if n := countType(events, "session.started"); n != 1 {
				t.Errorf("session %s was begun %d times", row.Session, n)
			}
			for call, tries := range attempts(t, events) {
				if len(tries) != 1 || tries[0].end != "call.closed" {
					t.Errorf("%s was tried as %+v", call, tries)
				}
			}
			h.checkWhole(row.Session, events)
		}
		if n := len(h.ledger()); n != 12*4 {
			t.Errorf("%d effects of 48 steps", n)
		}
	})
}

// TestKilledResumeCommand: a resume takes effect once, whichever of the commands did it.
func TestKilledResumeCommand(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template(step("first", "true"), step("fails", "[ -e mended ] || exit 1; sleep 0.05", "first"), step("last", "true", "fails"))
		for i, moment := range moments(r, scaled(t, 6, 3), 40*time.Millisecond) {
			_ = os.Remove(filepath.Join(h.work, "mended"))
			if failed := h.run("workflow", "run", template, "--request-id", fmt.Sprint("run-", i), "--json"); failed.code != 1 {
				t.Fatalf("exit %d of a run that fails: %s", failed.code, failed.stderr)
			}
			of := ask[run](h, "workflow", "show", "@last")
			write(t, filepath.Join(h.work, "mended"), nil)
			args := []string{"workflow", "resume", of.Run, "--request-id", fmt.Sprint("resume-", i)}
			h.killCommand(moment, args...)
			if again := h.run(args...); again.code != 0 {
				t.Errorf("resume again after %v: exit %d: %s", moment, again.code, again.stderr)
			}
			last := h.over(of.Run)
			if last.Status != "completed" {
				t.Errorf("the run ended as %+v", last)
			}
			events := h.events(of.Session)
			if n := countRun(t, events, "run.resumed", of.Run); n != 1 {
				t.Errorf("resumed %d times", n)
			}
			all := attempts(t, events)
			if n := len(all[of.Run+"/first"]); n != 1 {
				t.Errorf("a step that had completed was tried %d times", n)
			}
			h.checkWhole(of.Session, events)
		}
	})
}

// TestKilledCancelCommand: once a cancel has returned, nothing starts; killed before, it can be repeated.
func TestKilledCancelCommand(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template(chains(2, 2, "exec sleep 1000")...)
		h.session()
		for _, moment := range moments(r, scaled(t, 6, 3), 25*time.Millisecond) {
			before := len(h.ledger())
			of := h.detach(template)
			await(t, "both branches", func() bool { return len(h.ledger()) == before+2 })
			h.killCommand(moment, "workflow", "cancel", of.Run)
			got := ask[run](h, "workflow", "cancel", of.Run)
			again := ask[run](h, "workflow", "cancel", of.Run)
			if got.Status != "cancelled" || again.Status != "cancelled" {
				t.Errorf("cancelled it is %s and %s", got.Status, again.Status)
			}
			await(t, "the end of the steps", func() bool { return !h.sleeps() })
			events := h.events(of.Session)
			if n := countRun(t, events, "run.cancelled", of.Run); n != 1 {
				t.Errorf("run %s was cancelled %d times", of.Run, n)
			}
			for call, tries := range attempts(t, events) {
				if strings.HasPrefix(call, of.Run) && (len(tries) != 1 || tries[0].end != "call.cancelled") {
					t.Errorf("%s was tried as %+v", call, tries)
				}
			}
			if n := len(h.ledger()); n != before+2 {
				t.Errorf("%d steps began, want 2", n-before)
			}
		}
	})
}

func (h *home) sleeps() bool {
	for _, p := range processesOf(h.dir) {
		if strings.Contains(p.command, "sleep 1000") {
			return true
		}
	}
	return false
}

// TestKilledApproveCommand: an answer is recorded once and with its author, and what it lets go on starts once,
// whichever of the commands gave it.
func TestKilledApproveCommand(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template("  - {id: ask, run: {approve: {question: sure}}}\n", step("next", "true", "ask"))
		h.session()
		for i, moment := range moments(r, scaled(t, 6, 3), 25*time.Millisecond) {
			of := h.detach(template)
			args := []string{"workflow", "approve", of.Run, "ask", "--yes", "--by", "ada", "--request-id", fmt.Sprint("answer-", i)}
			h.killCommand(moment, args...)
			if r.IntN(3) == 0 {
				h.killServer()
			}
			h.must(args...)
			h.must(args...)
			if late := h.run("workflow", "approve", of.Run, "ask", "--no", "--by", "bob"); late.code != 4 || !strings.Contains(late.stderr, "ada") {
				t.Errorf("a second answer: exit %d: %s", late.code, late.stderr)
			}
			if last := h.over(of.Run); last.Status != "completed" {
				t.Errorf("the run ended as %+v", last)
			}
			events := h.events(of.Session)
			if n := countType(events, "approval.answered"); n != i+1 {
				t.Errorf("%d answers after %d questions", n, i+1)
			}
			all := attempts(t, events)
			if tries := all[of.Run+"/next"]; len(tries) == 0 || tries[len(tries)-1].end != "call.closed" {
				t.Errorf("what waited for the answer was tried as %+v", tries)
			}
			h.checkWhole(of.Session, events)
		}
		checkLedger(t, h.ledger(), onlyNoted(attempts(t, h.events(ask[statusAnswer](h, "status").Session))))
	})
}
