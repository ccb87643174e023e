//go:build linux

package faults_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowFirst stays for long in its first attempt, with a child and a grandchild, whose ids it notes;
// later attempts end at once. When the file "go" is there, the first ends too.
const slowFirst = `
if [ "$BATON_ATTEMPT" = 1 ]; then
  sh -c 'sleep 1000 & echo $! >> pids; exec sleep 1000' &
  echo $! $$ >> pids
  until [ -e go ]; do sleep 0.02; done
fi`

// pids reads the ids of a step's processes once all are noted.
func (h *home) pids(many int) (out []int) {
	h.t.Helper()
	await(h.t, "the step's processes", func() bool {
		raw, err := os.ReadFile(filepath.Join(h.work, "pids"))
		out = nil
		for _, word := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
		return err == nil && len(out) == many
	})
	return out
}

func anyAlive(pids []int) bool {
	for _, pid := range pids {
		if alive(pid) {
			return true
		}
	}
	return false
}

// pair is a server without workers and two workers beside it; first holds the run's only step.
type pair struct {
	*home
	run           run
	first, second *child
	firstID       string
	secondID      string
	pids          []int
}

func newPair(t *testing.T, script string) *pair {
	t.Helper()
	p := &pair{home: newHome(t)}
	p.serve("--workers", "0")
	p.first, p.firstID = p.worker()
	p.run = p.detach(p.template(step("slow", script)))
	await(t, "the first attempt", func() bool { return len(p.ledger()) == 1 })
	p.pids = p.home.pids(3)
	p.second, p.secondID = p.worker()
	return p
}

// taken checks that the second worker recorded the only result, after the first attempt was lost.
func (p *pair) taken() (first, second attempt) {
	p.t.Helper()
	last := p.over(p.run.Run)
	if last.Status != "completed" || len(last.Steps) != 1 || last.Steps[0].Attempts != 2 {
		p.t.Fatalf("the run ended as %+v", last)
	}
	events := p.events(last.Session)
	all := attempts(p.t, events)
	checkLedger(p.t, p.ledger(), all)
	p.checkWhole(last.Session, events)
	tries := all[last.Steps[0].CallID]
	if len(tries) != 2 || tries[0].end != "call.lost" || tries[1].end != "call.closed" {
		p.t.Fatalf("the attempts were %+v", tries)
	}
	if !strings.HasPrefix(tries[0].worker, p.firstID+".") || !strings.HasPrefix(tries[1].worker, p.secondID+".") {
		p.t.Errorf("the attempts were held by %s and %s, want %s and %s", tries[0].worker, tries[1].worker, p.firstID, p.secondID)
	}
	if n := countType(events, "call.closed"); n != 1 {
		p.t.Errorf("%d results are recorded, want 1", n)
	}
	if n := countType(events, "call.failed"); n != 0 {
		p.t.Errorf("a lost attempt is told as %d failures", n)
	}
	return tries[0], tries[1]
}

func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		p := newPair(t, slowFirst)
		pauseFor(time.Duration(r.IntN(300)) * time.Millisecond)
		killed := time.Now()
		kill(t, p.first.Process.Pid)
		if !within(time.Second, func() bool { return !anyAlive(p.pids) }) {
			t.Errorf("a second after its worker was killed, the step's processes %v are still there", p.pids)
		}
		gone := time.Now()
		_, second := p.taken()
		took := second.started.Sub(killed)
		t.Logf("its processes were gone after %v, the other took over after %v (lease %v)", gone.Sub(killed), took, lease)
		if took > lease+time.Second+noise {
			t.Errorf("the other worker took over after %v, promised is the lease and a second", took)
		}
		if second.started.Before(gone) {
			t.Errorf("the other worker took over %v before the first one's processes were gone", gone.Sub(second.started))
		}
		if trace := p.must("trace", "--session", p.run.Session); !strings.Contains(trace, "lost") {
			t.Errorf("the trace does not say that an attempt was lost:\n%s", trace)
		}
	})
}

func TestWorkerStopped(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) { workerStopped(t, time.Duration(r.IntN(300))*time.Millisecond) })
}

// workerStopped stops a worker some time after its step has begun.
func workerStopped(t *testing.T, after time.Duration) {
	t.Run("its step still runs when it goes on", func(t *testing.T) {
		t.Parallel()
		p := newPair(t, slowFirst)
		pauseFor(after)
		p.first.signal(t, syscall.SIGSTOP)
		stopped := time.Now()
		first, second := p.taken()
		t.Logf("the other took over %v after the stop", second.started.Sub(stopped))
		p.first.signal(t, syscall.SIGCONT)
		if !within(lease+noise, func() bool { return !anyAlive(p.pids) }) {
			t.Errorf("processes of the stale attempt are still there")
		}
		p.refused(first)
	})
	t.Run("its step has ended when it goes on", func(t *testing.T) {
		t.Parallel()
		p := newPair(t, slowFirst)
		pauseFor(after)
		p.first.signal(t, syscall.SIGSTOP)
		write(t, filepath.Join(p.work, "go"), nil)
		await(t, "the end of the step's program", func() bool { return !alive(p.pids[len(p.pids)-1]) || !anyAlive(p.pids) })
		first, _ := p.taken()
		p.first.signal(t, syscall.SIGCONT)
		p.refused(first)
		if !within(noise, func() bool { return !anyAlive(p.pids) }) {
			t.Errorf("processes of the stale attempt are still there")
		}
	})
}

// refused checks that the late worker noticed that it was late, that its result changed nothing, and
// that it serves again.
func (p *pair) refused(late attempt) {
	p.t.Helper()
	await(p.t, "word that the attempt is stale", func() bool { return strings.Contains(p.first.said.String(), "stale") })
	before := p.must("events", "--session", p.run.Session, "--json")
	kill(p.t, p.second.Process.Pid)
	again := p.detach(p.template(step("next", "true")), "--session", p.run.Session)
	if last := p.over(again.Run); last.Status != "completed" || !strings.HasPrefix(last.Steps[0].Worker, p.firstID+".") {
		p.t.Errorf("the worker that was late does not serve any more: %+v", last)
	}
	after := p.must("events", "--session", p.run.Session, "--json")
	rest, ok := strings.CutPrefix(after, before)
	if !ok || strings.Contains(rest, late.call) {
		p.t.Errorf("the late result left something behind: %s", rest)
	}
}

func TestStopDrains(t *testing.T) {
	t.Parallel()
	t.Run("worker", func(t *testing.T) {
		t.Parallel()
		p := newPair(t, slowFirst)
		p.first.signal(t, syscall.SIGTERM)
		p.drains(p.first)
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		p := &pair{home: newHome(t)}
		server := p.serve("--workers", "1")
		p.run = p.detach(p.template(step("slow", slowFirst), step("next", "true", "slow")))
		p.pids = p.home.pids(3)
		server.signal(t, syscall.SIGTERM)
		p.drains(server)
	})
}

// drains checks that a process which was asked to stop lets its step finish, and that nothing is
// lost or charged.
func (p *pair) drains(c *child) {
	p.t.Helper()
	if within(lease+time.Second, c.ended) || !anyAlive(p.pids) {
		p.t.Fatalf("it did not wait for its step: %s", c.said)
	}
	write(p.t, filepath.Join(p.work, "go"), nil)
	await(p.t, "its end", c.ended)
	if code := c.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("it ended with status %d: %s", code, c.said)
	}
	if last := p.over(p.run.Run); last.Status != "completed" {
		p.t.Fatalf("the run ended as %+v", last)
	}
	events := p.events(p.run.Session)
	for call, tries := range attempts(p.t, events) {
		if len(tries) != 1 || tries[0].end != "call.closed" {
			p.t.Errorf("%s was tried as %+v", call, tries)
		}
	}
	p.checkWhole(p.run.Session, events)
	if n := countType(events, "call.lost"); n > 0 {
		p.t.Errorf("%d attempts were lost", n)
	}
}
