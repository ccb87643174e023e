//go:build linux

package faults_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// atOnce runs all commands together, each in a process of its own, and gives how they ended.
func (h *home) atOnce(commands [][]string) []result {
	out := make([]result, len(commands))
	var group sync.WaitGroup
	for i, args := range commands {
		group.Go(func() { out[i] = h.run(args...) })
	}
	group.Wait()
	return out
}

// allDone fails the test for each command that did not succeed.
func allDone(t *testing.T, results []result) {
	t.Helper()
	for _, r := range results {
		if r.code != 0 {
			t.Errorf("baton %s: exit %d: %s", strings.Join(r.args, " "), r.code, r.stderr)
		}
	}
}

type written struct {
	Key   string
	Value string
	Rev   int
}

func TestTwoHundredProcesses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	session := h.session()
	const each = 50
	var opened []result
	var commands [][]string
	for i := range each {
		opened = append(opened, h.run("call", "open", "--skill", "s", "--intent", "i", "--parent", "none", "--json"))
		commands = append(commands,
			[]string{"ctx", "set", fmt.Sprintf("own.k%d", i), fmt.Sprint(i), "--json"},
			[]string{"ctx", "set", "same.k", fmt.Sprint(i), "--json"},
			[]string{"call", "open", "--skill", "s", "--intent", fmt.Sprint("at once ", i), "--parent", "none", "--json"},
			[]string{"call", "close", "--id", fmt.Sprintf("c%03d", i+1), "--status", "ok", "--output", fmt.Sprintf("out.k%d=%d", i, i), "--json"},
		)
	}
	allDone(t, opened)
	begun := time.Now()
	results := h.atOnce(commands)
	t.Logf("%d processes in %v", len(commands), time.Since(begun))
	allDone(t, results)
	if t.Failed() {
		return
	}
	ids := map[string]bool{}
	for i, r := range append(opened, results...) {
		if strings.HasPrefix(strings.Join(r.args, " "), "call open") {
			id := answer[struct {
				CallID string `json:"call_id"`
			}](t, r.stdout).CallID
			if ids[id] {
				t.Errorf("call id %s was given twice, again by command %d", id, i)
			}
			ids[id] = true
		}
	}
	for i := range 2 * each {
		if id := fmt.Sprintf("c%03d", i+1); !ids[id] {
			t.Errorf("call id %s was never given", id)
		}
	}
	for i := range each {
		if got := ask[written](h, "ctx", "get", fmt.Sprintf("own.k%d", i)); got.Value != fmt.Sprint(i) || got.Rev != 1 {
			t.Errorf("key %d is %+v", i, got)
		}
		if i%5 == 0 { // the value was given as K=V, so it is a number
			if got := h.must("ctx", "get", fmt.Sprintf("out.k%d", i)); got != fmt.Sprintln(i) {
				t.Errorf("output %d is %s", i, got)
			}
		}
	}
	h.checkSame(results, each)
	if got := ask[[]struct{ Status string }](h, "call", "list", "--open"); len(got) != each {
		t.Errorf("%d calls are open, want %d", len(got), each)
	}
	h.checkWhole(session, h.events(session))
}

// checkSame checks the key that everybody wrote: one revision each, without a gap, none lost.
func (h *home) checkSame(results []result, each int) {
	h.t.Helper()
	history := ask[[]written](h, "ctx", "history", "same.k")
	var values []string
	for i, w := range history {
		if w.Rev != i+1 {
			h.t.Errorf("revision %d stands at place %d", w.Rev, i+1)
		}
		values = append(values, w.Value)
	}
	slices.Sort(values)
	if n := len(slices.Compact(values)); n != each || len(history) != each {
		h.t.Errorf("%d revisions with %d values, want %d", len(history), n, each)
	}
	for _, r := range results {
		if !slices.Contains(r.args, "same.k") {
			continue
		}
		told := answer[written](h.t, r.stdout)
		if told.Rev < 1 || told.Rev > len(history) || history[told.Rev-1].Value != told.Value {
			h.t.Errorf("a command was told %+v, which the history does not have", told)
		}
	}
}

func TestFiftyFirstCommands(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var commands [][]string
	for i := range 50 {
		if i%2 == 0 {
			commands = append(commands, []string{"session", "new", "--goal", fmt.Sprint("first ", i), "--json"})
		} else {
			commands = append(commands, []string{"session", "list", "--json"})
		}
	}
	begun := time.Now()
	results := h.atOnce(commands)
	t.Logf("%d first commands in %v", len(commands), time.Since(begun))
	allDone(t, results)
	if servers := h.servers(); len(servers) != 1 {
		t.Errorf("%d servers run: %v", len(servers), servers)
	}
	if n := strings.Count(h.serverLog(), "serving "); n != 1 {
		t.Errorf("%d servers were started", n)
	}
	if list := ask[[]struct{ Session string }](h, "session", "list"); len(list) != 25 {
		t.Errorf("%d sessions, want 25", len(list))
	}
}
