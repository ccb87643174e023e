//go:build linux

package faults_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
)

// peak is the most memory that a process has had, in MiB.
func peak(t *testing.T, pid int) (mib int) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(raw), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}

// worked is how long a process has had a processor: what it takes where nothing else wants one.
func worked(t *testing.T, pid int) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(after)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * time.Second / clockTicks
}

// clockTicks is the unit of /proc/PID/stat on Linux, a second's part on every architecture that Go builds for.
const clockTicks = 100

// TestALongRunGoesOn: everything is killed when a run has done 9,990 of its steps; the next one starts
// soon after the restart, and the server stays small. On a machine that others use only the processor's
// time can be judged; what the clock said is printed.
func TestALongRunGoesOn(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		of := h.detach(h.template(
			"  - {id: many, foreach: 1..9990, concurrency: 8, run: {builtin: noop}}\n",
			"  - {id: held, needs: [many], run: {exec: [./ledger.sh, 'test $BATON_ATTEMPT = 2 || sleep 60']}}\n",
			"  - {id: last, needs: [held], run: {builtin: noop}}\n"))
		await(t, "9,990 steps", func() bool { return len(h.ledger()) == 1 })
		pauseFor(time.Duration(r.IntN(300)) * time.Millisecond)
		h.killServer()
		begun := time.Now()
		h.serve()
		await(t, "the next step", func() bool { return len(h.ledger()) == 2 })
		took := time.Since(begun)
		e, _ := h.server()
		work := worked(t, e.PID)
		last := h.over(of.Run)
		mib := peak(t, e.PID)
		t.Logf("next step after %v, %v of it on a processor, %d MiB", took, work, mib)
		if last.Status != "completed" {
			t.Errorf("the run is %s", last.Status)
		}
		if work > 2*time.Second {
			t.Errorf("the next step took %v of a processor after the restart", work)
		}
		if mib >= 256 {
			t.Errorf("the server took %d MiB", mib)
		}
	})
}

// openAtOnce reads from the log how many calls of a run were open at once at the most.
func openAtOnce(events []engine.EventLine) (most int) {
	open := map[string]bool{}
	for _, e := range events {
		switch e.Type {
		case "call.opened":
			open[e.Call] = true
		case "call.closed", "call.cancelled":
			delete(open, e.Call)
		case "call.failed", "call.lost":
			var d struct{ Final bool }
			if json.Unmarshal(e.Data, &d) == nil && d.Final {
				delete(open, e.Call)
			}
		}
		most = max(most, len(open))
	}
	return most
}

// TestAThousandBranches: of a thousand branches under a limit of 64 some fail while the server is killed
// twice; never more are open, and the join has all of them in the order of the list.
func TestAThousandBranches(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		branches, limit, failing := scaled(t, 1000, 250), 64, 37
		h := newHome(t)
		fails := map[int]bool{}
		for len(fails) < failing {
			fails[r.IntN(branches)] = true
		}
		var list []string
		for i := range branches {
			list = append(list, fmt.Sprintf("{\"n\": %d, \"fails\": %t}", i, fails[i]))
		}
		path := h.template()
		write(t, path, []byte("inputs: {items: {type: array}}\nlimits: {parallel: 64}\nsteps:\n"+
			"  - {id: each, foreach: inputs.items, join: best-effort, output: all, run: {exec: [test, '${item.fails}', '=', 'false']}}\n"))
		run := h.detach(path, "--input", "items=["+strings.Join(list, ",")+"]")
		for range 2 {
			goal := r.IntN(branches / 4)
			await(t, "some branches", func() bool { return countType(h.events(run.Session), "call.closed") > goal })
			h.killServer()
			h.must("status")
		}
		last := h.over(run.Run)
		events := h.events(last.Session)
		if most := openAtOnce(events); last.Status != "completed" || most > limit {
			t.Errorf("the run is %s, %d branches were open at once", last.Status, most)
		}
		all := answer[struct{ Value []struct{ Status string } }](t, h.must("--session", last.Session, "ctx", "get", "all", "--json")).Value
		if len(all) != branches {
			t.Fatalf("the join has %d entries", len(all))
		}
		for i, got := range all {
			if want := map[bool]string{true: "failed", false: "ok"}[fails[i]]; got.Status != want {
				t.Errorf("branch %d is %s, want %s", i, got.Status, want)
			}
		}
		h.checkWhole(last.Session, events)
	})
}
