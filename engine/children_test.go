package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows"
)

const (
	ownParent = "order: dataflow\nlimits: {parallel: 2}\nsteps:\n" +
		"  - {id: each, foreach: 1..3, run: {workflow: {name: child, session: own, inputs: {n: '${item}'}}}, output: all}\n" +
		"  - {id: end, needs: [each], run: {builtin: noop}}\n"
	ownChild = "inputs: {n: {type: integer}}\nsteps:\n  - {id: a, run: {builtin: noop}, output: a}\n  - {id: b, run: {builtin: noop}, output: b}\n"
	ownWaits = "steps: [{id: hold, run: {wait: {signal: go}}}]"
)

func ownStart(child string) workflows.Start {
	return workflows.Start{
		Run: "r1", Name: "own", Text: ownParent, Goal: "g", Mode: "auto", Workspace: "/nowhere", Folder: "/f",
		Templates: map[string]events.Source{"child": {Text: child, Folder: "/f", Path: "/f/child.yaml"}},
	}
}

func ownSession(item int) string {
	return workflows.ChildSession(named("own"), fmt.Sprintf("r1/each[%d]", item))
}

// endings lists a process's ends at every append that is tried, in every way.
func endings(t *testing.T, appends int, test func(t *testing.T, end ending)) {
	for _, how := range []string{endRefused, endStored, endHanging} {
		for at := 1; at <= appends; at++ {
			t.Run(fmt.Sprintf("%s at %d", how, at), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { test(t, ending{at, how}) })
			})
		}
	}
}

// dies lets a process do a command and end at an append, and gives the process that comes after it.
func dies(t *testing.T, store ports, end ending, c workflows.Command, request string) *world {
	t.Helper()
	f := newFaulty(store)
	f.end = end
	first := newBubbled(t, worldConfig{store: f, process: "p1", slots: 2})
	ctx, cancel := f.lifetime(t.Context())
	_, _ = first.Do(ctx, named("own"), c, engine.Meta{Actor: "test", Request: request}) // it may have died with it
	time.Sleep(time.Minute)
	cancel()
	first.kill()
	second := newBubbled(t, worldConfig{store: store, process: "p2", slots: 2, gone: func(p string) bool { return p == "p1" }})
	if _, err := second.Do(t.Context(), named("own"), c, engine.Meta{Actor: "test", Request: request}); err != nil {
		t.Fatal(err)
	}
	return second
}

// TestOwnChildrenSurviveAnyCrash: a process ends at any append of a run and its child runs. After the next one
// has come each child run was begun once, each step has one result, and the run ends well.
func TestOwnChildrenSurviveAnyCrash(t *testing.T) {
	t.Parallel()
	endings(t, 18, func(t *testing.T, end ending) {
		store := newStore()
		w := dies(t, store, end, ownStart(ownChild), "start")
		if v := w.await(t, named("own")); v.Status != workflows.Completed {
			t.Fatal(picture(v))
		}
		if n := count(t, store, named("own")); n["run.started"] != 1 || n["call.closed"] != 4 {
			t.Errorf("the run's session has %v", n)
		}
		for i := range 3 {
			if n := count(t, store, ownSession(i)); n["session.started"] != 1 || n["run.started"] != 1 || n["run.completed"] != 1 || n["run.resumed"] != 0 || n["call.closed"] != 2 {
				t.Errorf("child session %d has %v", i, n)
			}
		}
	})
}

// TestCancelReachesOwnChildrenAfterAnyCrash: a process ends at any append of a cancellation, or before child
// runs have begun. In the end none of them goes on.
func TestCancelReachesOwnChildrenAfterAnyCrash(t *testing.T) {
	t.Parallel()
	endings(t, 8, func(t *testing.T, end ending) {
		store := newStore()
		early := end
		early.at -= 4 // the first ones hit the start
		w := dies(t, store, early, ownStart(ownWaits), "start")
		w.stop()
		f := newFaulty(store)
		f.end = end
		dying := newBubbled(t, worldConfig{store: f, process: "p3"})
		ctx, cancel := f.lifetime(t.Context())
		_, _ = dying.Do(ctx, named("own"), workflows.Cancel{Run: "r1"}, meta)
		cancel()
		dying.kill()
		last := newBubbled(t, worldConfig{store: store, process: "p4"})
		if _, err := last.Do(t.Context(), named("own"), workflows.Cancel{Run: "r1"}, meta); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		for i := range 3 {
			n := count(t, store, ownSession(i))
			if n["run.started"] != n["run.cancelled"] || n["run.started"] > 1 {
				t.Errorf("child session %d has %v", i, n)
			}
		}
	})
}

// TestTwoProcessesTendOneFamily: every process looks at both sides by itself, and what both find due is done
// once.
func TestTwoProcessesTendOneFamily(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		one := newBubbled(t, worldConfig{store: store, process: "p1", slots: 1, shared: true})
		newBubbled(t, worldConfig{store: store, process: "p2", slots: 1, shared: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := one.Do(ctx, named("own"), ownStart(ownChild), meta); err != nil {
			t.Fatal(err)
		}
		if v := one.await(t, named("own")); v.Status != workflows.Completed {
			t.Fatal(picture(v))
		}
		for i := range 3 {
			if n := count(t, store, ownSession(i)); n["run.started"] != 1 || n["run.resumed"] != 0 || n["call.closed"] != 2 {
				t.Errorf("child session %d has %v", i, n)
			}
		}
	})
}
