package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// chain is a template of n steps, each after the one before.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("name: chain\nsteps:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: s%03d, run: {builtin: noop}, output: out.s%03d}\n", i, i)
	}
	return b.String()
}

// fan is a template of n steps side by side and a join.
func fan(n int) string {
	var b strings.Builder
	b.WriteString("name: fan\norder: dataflow\nsteps:\n")
	needs := make([]string, n)
	for i := range n {
		needs[i] = fmt.Sprintf("s%03d", i)
		fmt.Fprintf(&b, "  - {id: %s, run: {builtin: noop}}\n", needs[i])
	}
	fmt.Fprintf(&b, "  - {id: join, run: {builtin: noop}, needs: [%s]}\n", strings.Join(needs, ", "))
	return b.String()
}

func TestChainCostsOneCommitAStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 1})
	const n = 20
	w.start(t, named("chain"), chain(n))
	if v := w.await(t, named("chain")); v.Status != workflows.Completed {
		t.Fatalf("status %s: %s", v.Status, v.Reason)
	}
	if got := len(frames(t, w.store, named("chain"))); got != n+1 {
		t.Errorf("%d commits for a chain of %d steps, want one a step and one to start", got, n)
	}
	got := count(t, w.store, named("chain"))
	for _, typ := range []string{"call.opened", "call.started", "call.closed", "context.set"} {
		if got[typ] != n {
			t.Errorf("%d %s for %d steps", got[typ], typ, n)
		}
	}
}

func TestFanOutSharesCommits(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{1, 8, 64} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{slots: slots})
			const n = 600
			w.start(t, named("fan"), fan(n))
			if v := w.await(t, named("fan")); v.Status != workflows.Completed {
				t.Fatalf("status %s: %s", v.Status, v.Reason)
			}
			got := count(t, w.store, named("fan"))
			if got["call.closed"] != n+1 || got["call.started"] != n+1 {
				t.Errorf("events %v for %d steps and a join", got, n)
			}
			t.Logf("%d slots: %d commits for %d steps", slots, len(frames(t, w.store, named("fan"))), n)
		})
	}
}

func TestRetryThenSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 2, work: func(_ context.Context, task workers.Task) workers.Outcome {
		if task.Attempt < 3 {
			return workers.Failed(workers.Retryable, "flaky", "not yet")
		}
		return workers.Outcome{Value: []byte(`{"attempt":3}`)}
	}})
	w.start(t, named("retry"), "name: retry\nsteps:\n  - {id: a, run: {builtin: noop}, output: v, retry: {attempts: 3, backoff: 20ms}}\n")
	v := w.await(t, named("retry"))
	if v.Status != workflows.Completed || v.Steps[0].Attempts != 3 || string(v.Outputs["v"]) != `{"attempt":3}` {
		t.Fatalf("%+v", v)
	}
	got := count(t, w.store, named("retry"))
	if got["call.failed"] != 2 || got["timer.set"] != 2 || got["timer.fired"] != 2 || got["call.closed"] != 1 {
		t.Errorf("events %v", got)
	}
}

func TestFailureStopsTheRunAndResumeStartsOnlyWhatIsLeft(t *testing.T) {
	t.Parallel()
	broken := true
	w := newWorld(t, worldConfig{slots: 1, work: func(_ context.Context, task workers.Task) workers.Outcome {
		if task.Step == "b" && broken {
			return workers.Failed(workers.Terminal, "broken", "on purpose")
		}
		return workers.Outcome{Value: []byte(`1`)}
	}})
	w.start(t, named("resume"), "name: x\nsteps:\n  - {id: a, run: {builtin: noop}, output: a}\n  - {id: b, run: {builtin: noop}, output: b}\n  - {id: c, run: {builtin: noop}, output: c}\n")
	v := w.await(t, named("resume"))
	if v.Status != workflows.Failed || v.Steps[1].Error == nil || v.Steps[1].Error.Code != "broken" || v.Steps[2].Status != "pending" {
		t.Fatalf("%+v", v)
	}
	broken = false
	after := w.last(t)
	if _, err := w.Do(t.Context(), named("resume"), workflows.ResumeRun{Run: "r1", By: "me"}, engine.Meta{Actor: "test"}); err != nil {
		t.Fatal(err)
	}
	w.awaitAfter(t, named("resume"), after)
	if v := w.view(t, named("resume")); v.Status != workflows.Completed {
		t.Fatalf("%+v", v)
	}
	if a, b := w.ledger.starts("r1/a"), w.ledger.starts("r1/b"); len(a) != 1 || fmt.Sprint(b) != "[1 2]" {
		t.Errorf("starts of a %v, of b %v", a, b)
	}
}
