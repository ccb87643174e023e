//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// timed are steps that wait for a time, each in its own way, and one that outlasts two leases.
var timed = []string{
	"  - {id: slow, run: {exec: [./ledger.sh, 'sleep 5']}}\n",
	"  - {id: pause, run: {wait: {for: 3s}}}\n",
	"  - {id: flaky, retry: {attempts: 3, backoff: 2s, factor: 1, jitter: false}, run: {exec: [./ledger.sh, 'test $BATON_ATTEMPT = 3 || exit 1']}}\n",
	"  - {id: asked, run: {approve: {question: sure, expires: 2s}}}\n",
	"  - {id: late, timeout: 1s, run: {exec: [./ledger.sh, 'sleep 60']}}\n",
}

// TestAClockThatIsAnHourOff: Baton's clock is wrong by an hour, either way, against that of the NATS server and
// of a worker beside it, while alarms and batons are forged early, late and twice. No lease is stolen, no
// timer fires early or twice, and none later than the reconciler looks.
func TestAClockThatIsAnHourOff(t *testing.T) {
	t.Parallel()
	binary := buildClock(t)
	for name, sign := range map[string]time.Duration{"ahead": 1, "behind": -1} {
		t.Run(name, func(t *testing.T) { clockOff(t, binary, sign) })
	}
}

func clockOff(t *testing.T, binary string, sign time.Duration) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		off := sign * (time.Hour + time.Duration(r.IntN(600))*time.Second)
		h := newHome(t, clockVar+"="+off.String()).released(binary)
		h.serve("--workers", "4")
		h.right().worker("--concurrency", "2")
		t.Logf("the clock is wrong by %v", off)
		started := h.detach(h.template(timed...))
		h.forge(r, started)
		last := h.over(started.Run)
		events := h.events(last.Session)
		all := attempts(t, events)
		if n := len(all[started.Run+"/slow"]); n != 1 {
			t.Errorf("the lease of a long step was stolen: %+v", all[started.Run+"/slow"])
		}
		for _, s := range last.Steps {
			if want := map[string]string{"asked": "failed", "late": "failed"}[s.ID]; s.Status != want && (want != "" || s.Status != "completed") {
				t.Errorf("step %s is %s", s.ID, s.Status)
			}
		}
		if n := len(all[started.Run+"/flaky"]); n != 3 {
			t.Errorf("the step that fails twice was tried %d times", n)
		}
		checkTimers(t, events)
		checkLedger(t, h.ledger(), onlyNoted(all))
		h.checkWhole(last.Session, events)
	})
}

// right is the same home with a clock that is right.
func (h *home) right() *home {
	other := *h
	other.env = append(append([]string(nil), h.env...), clockVar+"=0s")
	return &other
}

// onlyNoted leaves out the attempts of steps that are nobody's work and so note nothing: those without a worker.
func onlyNoted(all map[string][]attempt) map[string][]attempt {
	out := map[string][]attempt{}
	for call, tries := range all {
		if tries[0].worker != "" {
			out[call] = tries
		}
	}
	return out
}

// forge rings alarms that are not due, arms others anew at wrong times, and doubles batons.
func (h *home) forge(r *rand.Rand, of run) {
	h.t.Helper()
	store := h.store()
	for range 3 {
		for _, e := range h.events(of.Session) {
			var d struct{ Timer, At string }
			if e.Type != "timer.set" || json.Unmarshal(e.Data, &d) != nil {
				continue
			}
			at, err := time.Parse(time.RFC3339Nano, d.At)
			if err != nil {
				h.t.Fatal(err)
			}
			for _, wrong := range []time.Duration{0, -2 * time.Hour, time.Duration(r.IntN(7200)) * time.Second} {
				body, err := json.Marshal(stream.Alarm{Session: of.Session, Timer: d.Timer, At: at.Add(wrong)})
				if err != nil {
					h.t.Fatal(err)
				}
				h.raw("due.forged."+fmt.Sprint(r.IntN(1000)), body, body)
			}
			early := stream.Alarm{Session: of.Session, Timer: d.Timer, At: at.Add(-2 * time.Hour)}
			if err := store.Arm(h.t.Context(), early); err != nil {
				h.t.Fatal(err)
			}
		}
		for _, s := range of.Steps {
			baton := stream.Baton{Session: of.Session, Call: s.CallID, After: uint64(r.IntN(3)), Wake: r.IntN(2) == 0}
			for range 2 {
				if _, err := store.Publish(h.t.Context(), workflows.DefaultQueue, baton); err != nil {
					h.t.Fatal(err)
				}
			}
		}
		within(time.Duration(r.IntN(900))*time.Millisecond, func() bool { return false })
	}
}

// checkTimers holds every timer against its own fact: it fires once, not before its time, and not much later.
func checkTimers(t *testing.T, events []engine.EventLine) {
	t.Helper()
	const reconciler = 2*time.Second + 500*time.Millisecond
	due, fired := map[string]time.Time{}, 0
	for _, e := range events {
		var d struct{ Timer, At string }
		if json.Unmarshal(e.Data, &d) != nil || !strings.HasPrefix(e.Type, "timer.") {
			continue
		}
		at, there := due[d.Timer]
		switch e.Type {
		case "timer.set":
			when, err := time.Parse(time.RFC3339Nano, d.At)
			if err != nil || there {
				t.Errorf("timer %s is set at %s: %v", d.Timer, d.At, err)
			}
			due[d.Timer] = when
		case "timer.fired":
			fired++
			late := e.Time.Sub(at)
			if !there || late < 0 || late > reconciler+noise {
				t.Errorf("timer %s, which stands: %t, fired %v after its time", d.Timer, there, late)
			}
			delete(due, d.Timer)
		case "timer.voided":
			delete(due, d.Timer)
		}
	}
	if len(due) > 0 || fired < 4 {
		t.Errorf("%d timers fired, and %v never did", fired, due)
	}
}
