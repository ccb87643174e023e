//go:build linux

package faults_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
)

// events reads the log of a session.
func (h *home) events(session string) []engine.EventLine {
	h.t.Helper()
	return eventLines(h.t, h.must("events", "--session", session, "--json"))
}

func eventLines(t *testing.T, text string) (out []engine.EventLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		out = append(out, answer[engine.EventLine](t, line))
	}
	return out
}

func countType(events []engine.EventLine, kind string) (n int) {
	for _, e := range events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

// attempt is one try at a call, as the log has it.
type attempt struct {
	call    string
	n       int
	worker  string
	started time.Time
	ended   time.Time
	end     string // type of the event that ended it; "": it still runs
}

// attempts reads every attempt out of the log and checks what must hold of them whatever happened:
// they count from 1 without a gap, one at a time, each has one end, and none follows a result.
func attempts(t *testing.T, events []engine.EventLine) map[string][]attempt {
	t.Helper()
	out := map[string][]attempt{}
	closed := map[string]bool{}
	for _, e := range events {
		all := out[e.Call]
		switch e.Type {
		case "call.started":
			if closed[e.Call] {
				t.Errorf("attempt %d of %s started after a result was recorded", e.Attempt, e.Call)
			}
			if len(all) > 0 && all[len(all)-1].end == "" {
				t.Errorf("attempt %d of %s started while attempt %d was held", e.Attempt, e.Call, all[len(all)-1].n)
			}
			if e.Attempt != len(all)+1 {
				t.Errorf("attempt %d of %s follows %d others", e.Attempt, e.Call, len(all))
			}
			var d struct{ Worker string }
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Error(err)
			}
			out[e.Call] = append(all, attempt{call: e.Call, n: e.Attempt, worker: d.Worker, started: e.Time})
		case "call.closed", "call.failed", "call.lost", "call.cancelled":
			if closed[e.Call] {
				t.Errorf("%s has %s after its result was recorded", e.Call, e.Type)
			}
			closed[e.Call] = e.Type == "call.closed"
			if len(all) == 0 || e.Attempt == 0 {
				continue // the call is over while no attempt was under way
			}
			last := &all[len(all)-1]
			if last.end != "" {
				t.Errorf("attempt %d of %s has two ends: %s and %s", last.n, e.Call, last.end, e.Type)
			}
			last.end, last.ended = e.Type, e.Time
		}
	}
	return out
}

// checkWhole checks the session's commits: numbered without a gap, and deciding again gives the same.
func (h *home) checkWhole(session string, events []engine.EventLine) {
	h.t.Helper()
	var n, seq uint64
	for _, e := range events {
		if e.N != n && e.N != n+1 || e.Seq < seq || e.N == n && e.Seq != seq {
			h.t.Errorf("commit %d at %d follows commit %d at %d", e.N, e.Seq, n, seq)
		}
		n, seq = e.N, e.Seq
	}
	h.must("replay", "--session", session, "--verify")
}

// checkLedger holds what the steps did against what the log says: nothing was done that was not
// claimed first, and nothing was done twice under one attempt.
func checkLedger(t *testing.T, lines []entry, all map[string][]attempt) {
	t.Helper()
	keys, seen := map[string]string{}, map[entry]bool{}
	for _, line := range lines {
		call := line.run + "/" + line.step
		if line.attempt < 1 || line.attempt > len(all[call]) {
			t.Errorf("the ledger has attempt %d of %s, the log has %d attempts", line.attempt, call, len(all[call]))
		}
		if seen[line] {
			t.Errorf("attempt %d of %s worked twice", line.attempt, call)
		}
		seen[line] = true
		if key := keys[call]; key != "" && key != line.key {
			t.Errorf("%s has the effect keys %s and %s", call, key, line.key)
		}
		keys[call] = line.key
	}
	for call, tries := range all {
		if last := tries[len(tries)-1]; last.end == "call.closed" && !slices.ContainsFunc(lines, func(l entry) bool {
			return l.run+"/"+l.step == call && l.attempt == last.n
		}) {
			t.Errorf("attempt %d of %s has a result and did nothing", last.n, call)
		}
	}
}
