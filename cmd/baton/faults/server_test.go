//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine"
)

const kills = 20

func TestServerKilledTwentyTimes(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template(chains(2, 20, fmt.Sprintf("sleep 0.%03d", 60+r.IntN(60)))...)
		started := h.detach(template, "--request-id", "forty-steps")
		lives := h.killOften(r, started)
		// The same command again is the same run; it waits for its end.
		last := ask[run](h, "workflow", "run", template, "--request-id", "forty-steps")
		if last.Run != started.Run || last.Status != "completed" || len(last.Steps) != 40 {
			t.Fatalf("the run ended as %+v", last)
		}
		events := h.events(last.Session)
		all := attempts(t, events)
		checkLedger(t, h.ledger(), all)
		lost := 0
		for _, step := range last.Steps {
			tries := all[step.CallID]
			if n := len(tries); n == 0 || tries[n-1].end != "call.closed" || step.Status != "completed" {
				t.Errorf("step %s is %s after %+v", step.ID, step.Status, tries)
				continue
			}
			for _, try := range tries[:len(tries)-1] {
				lost++
				if try.end != "call.lost" {
					t.Errorf("attempt %d of %s ended with %s, though only the server was killed", try.n, step.ID, try.end)
				}
			}
		}
		t.Logf("%d kills, %d attempts lost with them", len(lives)-1, lost)
		h.checkWhole(last.Session, events)
		checkRestarts(t, lives, events)
		h.checkRebuild(last.Session)
	})
}

// life is one life of the server: from when it took commands until it was killed.
type life struct{ ready, killed time.Time }

// killOften kills the server at random moments of the run and starts it again by some command. How
// far the run comes in a life is drawn by steps started, and in every third life it comes on: a step
// that is lost six times is given up, which is another promise.
func (h *home) killOften(r *rand.Rand, of run) []life {
	h.t.Helper()
	lives := []life{h.born()}
	small, before := 0, 0
	for range kills {
		steps := r.IntN(5)
		if small == 2 {
			steps = 4 + r.IntN(2) // both steps begin again, end, and two others begin
		}
		if small++; steps >= 4 {
			small = 0
		}
		h.letRunFrom(before, steps, time.Duration(r.IntN(50))*time.Millisecond)
		h.killServer()
		before = len(h.ledger()) // what starts while the next life is waited for counts, however slow that is
		lives[len(lives)-1].killed = time.Now()
		again := [][]string{{"status"}, {"workflow", "show", of.Run}, {"events", "--session", of.Session}, {"session", "list"}, {"why", of.Run}}
		h.must(again[r.IntN(len(again))]...)
		lives = append(lives, h.born())
	}
	return lives
}

// letRun waits until the run has started so many more steps, and then a moment.
func (h *home) letRun(steps int, moment time.Duration) {
	h.t.Helper()
	h.letRunFrom(len(h.ledger()), steps, moment)
}

// letRunFrom is letRun with what had been started before.
func (h *home) letRunFrom(before, steps int, moment time.Duration) {
	h.t.Helper()
	within(noise, func() bool { return len(h.ledger()) >= before+steps }) // at its end none is left
	pauseFor(moment)
}

// born is when the server that runs now began to take commands: it writes server.json then.
func (h *home) born() life {
	h.t.Helper()
	info, err := os.Stat(h.baton("server.json"))
	if err != nil {
		h.t.Fatal(err)
	}
	return life{ready: info.ModTime()}
}

// checkRestarts measures how long each life took to start a step. All holders died with the server
// before, so that nobody's lease had to be waited for.
func checkRestarts(t *testing.T, lives []life, events []engine.EventLine) {
	t.Helper()
	const promised, bound = time.Second, 3 * time.Second
	var ends time.Time
	for _, e := range events {
		if e.Type == "run.completed" {
			ends = e.Time
		}
	}
	hit := slices.IndexFunc(lives, func(l life) bool { return l.killed.IsZero() || l.killed.After(ends) })
	t.Logf("%d kills hit the run", hit)
	if hit < kills/2 {
		t.Errorf("the run was over after %d kills: nothing much was tried", hit)
	}
	worst, measured := time.Duration(0), 0
	for i, l := range lives[1:] {
		if l.ready.After(ends) {
			break
		}
		next := slices.IndexFunc(events, func(e engine.EventLine) bool { return e.Type == "call.started" && e.Time.After(lives[i].killed) })
		var took time.Duration
		switch {
		case next >= 0 && (l.killed.IsZero() || events[next].Time.Before(l.killed)):
			took = max(0, events[next].Time.Sub(l.ready))
			measured++
		case l.killed.IsZero():
			continue // it had nothing more to start
		default:
			took = l.killed.Sub(l.ready) // killed before it started anything
		}
		worst = max(worst, took)
		if took > bound {
			t.Errorf("life %d of the server had started no step %v after it was ready", i+2, took)
		}
	}
	t.Logf("the next step started within %v of a restart at the worst (promised %v), %d of %d restarts measured", worst, promised, measured, len(lives)-1)
}

// checkRebuild deletes a session's files and checks that the log brings back the same bytes.
func (h *home) checkRebuild(session string) {
	h.t.Helper()
	before := h.outputs(session)
	if before["pipeline_trace.json"] == "" || len(before) < 2 {
		h.t.Errorf("there are %d files and pipeline_trace.json is %q", len(before), before["pipeline_trace.json"])
	}
	if err := os.RemoveAll(filepath.Join(h.work, "outputs")); err != nil {
		h.t.Fatal(err)
	}
	h.must("projections", "rebuild")
	if diff := cmp.Diff(before, h.outputs(session)); diff != "" {
		h.t.Errorf("the rebuilt files differ:\n%s", diff)
	}
}

func TestAcknowledgedWritesSurviveTheServer(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		session := h.session()
		done := make(chan struct{})
		var group sync.WaitGroup
		told := make([]map[string]int, 3)
		for w := range told {
			told[w] = map[string]int{}
			group.Go(func() { h.writeUntil(done, w, told[w]) })
		}
		for range 8 {
			timer := time.NewTimer(time.Duration(20+r.IntN(150)) * time.Millisecond)
			<-timer.C
			if e, ok := h.server(); ok {
				kill(t, e.PID)
			}
		}
		close(done)
		group.Wait()
		total := 0
		history := ask[[]written](h, "ctx", "history", "k")
		stored := map[string]int{}
		for i, w := range history {
			if w.Rev != i+1 || stored[w.Value] != 0 {
				t.Errorf("revision %d with value %s at place %d; the value stood at %d already", w.Rev, w.Value, i+1, stored[w.Value])
			}
			stored[w.Value] = w.Rev
		}
		for _, writer := range told {
			for value, rev := range writer {
				total++
				if stored[value] != rev {
					t.Errorf("%s was acknowledged as revision %d and stands at %d", value, rev, stored[value])
				}
			}
		}
		if total == 0 || len(history) != total {
			t.Errorf("%d writes were acknowledged, %d are stored", total, len(history))
		}
		t.Logf("%d acknowledged writes over 8 kills", total)
		h.checkWhole(session, h.events(session))
	})
}

// writeUntil writes one value after the other, each repeated under its request id until it is
// acknowledged.
func (h *home) writeUntil(done <-chan struct{}, writer int, told map[string]int) {
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		value := fmt.Sprintf("w%d-%d", writer, i)
		for try := 0; ; try++ {
			begun := time.Now()
			r := h.run("ctx", "set", "k", value, "--request-id", value, "--json")
			if took := time.Since(begun); took > 10*time.Second {
				h.t.Errorf("a command hung for %v when its server was killed: exit %d: %s", took, r.code, r.stderr)
			}
			if r.code == 0 {
				told[value] = answer[written](h.t, r.stdout).Rev
				break
			}
			if r.code != 7 || try > 50 {
				h.t.Errorf("baton %s, try %d: exit %d: %s", strings.Join(r.args, " "), try, r.code, r.stderr)
				return
			}
		}
	}
}
