package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// within checks that every commit keeps to the limits of a frame.
func within(t *testing.T, log stream.Log, session string) (commits int) {
	t.Helper()
	all := frames(t, log, session)
	for _, f := range all {
		if len(f.Bytes()) > events.MaxFrameBytes || len(f.Events) > events.MaxFrameEvents {
			t.Errorf("commit %d has %d bytes and %d events", f.N, len(f.Bytes()), len(f.Events))
		}
	}
	return len(all)
}

// TestABurstIsSplit: values that wait together and are far too large for one commit go into several.
func TestABurstIsSplit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(newStore())
		w := newBubbled(t, worldConfig{store: f})
		session := named("burst")
		w.begin(t, session)
		f.slow = time.Millisecond // everything gathers behind the first
		const n = 300
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() {
				value, _ := json.Marshal(strings.Repeat("x", 1000+i*150) + digits(i))
				w.do(t, session, workflows.Of(sessions.SetContext{Key: "k" + digits(i), Value: events.Value{JSON: value}}))
			})
		}
		group.Wait()
		if commits := within(t, w.store, session); commits < 10 || commits > 200 {
			t.Errorf("%d commits for %d values of 7 MB together", commits, n)
		}
		if got := count(t, w.store, session); got["context.set"] != n {
			t.Errorf("events %v for %d values", got, n)
		}
	})
}

func TestWideRunsOpenWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 16, quiet: true, dir: "/nowhere"})
	session := named("wide")
	const n = 2000
	w.start(t, session, fan(n))
	if v := w.await(t, session); v.Status != workflows.Completed {
		t.Fatal(picture(v))
	}
	within(t, w.store, session)
	if got := count(t, w.store, session); got["call.opened"] != n+1 || got["call.closed"] != n+1 {
		t.Errorf("events %v", got)
	}
}

// neverTrue is a template of n steps whose conditions are all false.
func neverTrue(n int) string {
	var b strings.Builder
	b.WriteString("name: never\norder: dataflow\nsteps:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: s%04d, run: {builtin: noop}, when: \"1 > 2\"}\n", i)
	}
	return b.String()
}

// TestACrashBetweenTwoCommitsOfOneConsequence: what the first one left unsaid is said by the next
// process, also when nothing is open that would remind it of the run.
func TestACrashBetweenTwoCommitsOfOneConsequence(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"wide": fan(1200), "nothing open": neverTrue(1200)} {
		for _, how := range []string{endRefused, endStored} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					store, session := newStore(), named("between")
					f := newFaulty(store)
					f.end = ending{2, how}
					w := newBubbled(t, worldConfig{store: f, process: "p1", slots: 2})
					w.start(t, session, text)
					<-f.ended
					w.kill()
					w = newBubbled(t, worldConfig{store: store, process: "p2", slots: 8, gone: func(p string) bool { return p == "p1" }})
					begun := time.Now()
					w.awaitAfter(t, session, 0)
					if took := time.Since(begun); took > 2*time.Second {
						t.Errorf("it went on and ended after %s", took)
					}
					within(t, store, session)
					if got := count(t, store, session); got["run.completed"] != 1 || got["call.closed"]+got["step.skipped"] < 1200 {
						t.Errorf("events %v", got)
					}
				})
			})
		}
	}
}

// TestLargeValuesRestApart: a value of 5 MB goes to the payload store and comes back whole.
func TestLargeValuesRestApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{})
	session := named("large")
	w.begin(t, session)
	value, _ := json.Marshal(strings.Repeat("ä", 5<<20/2))
	client := engine.Client{Bus: w.store, Payloads: w.store}
	for _, do := range []func() (any, error){
		func() (any, error) {
			return w.Do(t.Context(), session, workflows.Of(sessions.SetContext{Key: "big", Value: events.Value{JSON: value}}), engine.Meta{})
		},
		func() (any, error) {
			return client.Do(t.Context(), session, workflows.Of(sessions.SetContext{Key: "big", Value: events.Value{JSON: value}}), engine.Meta{})
		},
	} {
		answer, err := engine.As[sessions.Written](do())
		if err != nil || !bytes.Equal(answer.Value, value) {
			t.Errorf("answer has %d bytes, %v", len(answer.Value), err)
		}
	}
	within(t, w.store, session)
	got, err := w.queries["context.get"](t.Context(), session, json.RawMessage(`{"key":"big"}`))
	if written, _ := got.(sessions.Written); err != nil || written.Rev != 2 || !bytes.Equal(written.Value, value) {
		t.Errorf("read back: rev %d, %d bytes, %v", written.Rev, len(written.Value), err)
	}
	_, err = w.Do(t.Context(), session, workflows.Of(sessions.SetContext{Key: "huge", Value: events.Value{JSON: make([]byte, engine.MaxValue+1)}}), engine.Meta{})
	if !refused(err, "value_too_large") {
		t.Errorf("a value over the hard limit: %v", err)
	}
	_, err = w.Do(t.Context(), session, workflows.Of(sessions.Open{Skill: "s", Intent: "i", Reads: manyKeys(20000)}), engine.Meta{})
	if !refused(err, "too_large") {
		t.Errorf("a command that fits in no commit: %v", err)
	}
	w.do(t, session, set("after", 1))
}

func manyKeys(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "some.key." + digits(i)
	}
	return out
}

// TestAConsequenceTooLargeForACommitFailsItsStep: a step that pours a large value into its inputs is
// given up with the reason, and the run and its session go on.
func TestAConsequenceTooLargeForACommitFailsItsStep(t *testing.T) {
	t.Parallel()
	value, _ := json.Marshal(strings.Repeat("x", 400<<10))
	w := newWorld(t, worldConfig{slots: 1, work: func(context.Context, workers.Task) workers.Outcome { return workers.Outcome{Value: value} }})
	session := named("pour")
	w.start(t, session, `name: pour
order: dataflow
on_failure: continue
limits: {parallel: 1}
steps:
  - {id: a, run: {builtin: noop}, output: big}
  - {id: inputs, run: {builtin: noop}, inputs: {v: "${ctx['big']}"}}
  - {id: intent, intent: "use ${ctx['big']}", run: {builtin: noop}}
  - {id: by-key, run: {builtin: noop}, input: [big]}
`)
	v := w.await(t, session)
	if v.Status != workflows.Failed {
		t.Fatal(picture(v))
	}
	for i, want := range []string{"", "call_too_large", "call_too_large", ""} {
		code := ""
		if e := v.Steps[i].Error; e != nil {
			code = e.Code
		}
		if code != want {
			t.Errorf("step %s: %q, want %q\n%s", v.Steps[i].ID, code, want, picture(v))
		}
	}
	within(t, w.store, session)
}
