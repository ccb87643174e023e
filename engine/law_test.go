package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// TestAnyPlanSurvivesAnyCrash runs random templates whose process ends abruptly at random appends, and
// holds the log against a referee and a twin that know nothing of the engine.
func TestAnyPlanSurvivesAnyCrash(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		var l *law
		synctest.Test(t, func(t *testing.T) {
			l = newLaw(t, p)
			l.obey()
		})
		if len(l.faults) > 0 {
			rt.Fatalf("%s\n%s", p.text(), lines(l.faults))
		}
	})
}

func lines(faults []string) string {
	raw, _ := json.MarshalIndent(faults, "", "  ")
	return string(raw)
}

// law is one plan with its log and whatever was found wrong.
type law struct {
	t     *testing.T
	plan  plan
	store ports
	lives int

	mu     sync.Mutex
	mended bool
	faults []string
}

const lawSession = "0189f000-0000-7000-8000-00000000001a"

func newLaw(t *testing.T, p plan) *law { return &law{t: t, plan: p, store: newStore()} }

func (l *law) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

func (l *law) obey() {
	w := l.live(0, workflows.Start{Run: "r1", Name: "law", Text: l.plan.text(), Goal: "law", Mode: "auto", Workspace: "/nowhere"}, "start")
	if w == nil {
		return
	}
	r := newReferee(l.plan).watch(frames(l.t, l.store, lawSession))
	l.compare(r, l.plan.fates(false))
	if len(r.ended.with("failed")) > 0 && len(l.faults) == 0 {
		w.stop()
		w = l.resume(r)
	}
	if w != nil {
		l.replays(w)
	}
}

// resume takes the failed run up again once everything is mended.
func (l *law) resume(before *referee) *world {
	l.mu.Lock()
	l.mended = true
	l.mu.Unlock()
	commits := len(frames(l.t, l.store, lawSession))
	head, _ := l.store.Head(l.t.Context())
	w := l.live(head, workflows.ResumeRun{Run: "r1", By: "me"}, "resume")
	if w == nil {
		return nil
	}
	all := frames(l.t, l.store, lawSession)
	want := l.plan.startable(before.ended)
	if got := l.startsOf(all[commits], before); l.plan.parallel == 0 && !cmp.Equal(got, want) {
		l.fault("resume after %v started %v, want %v", before.ended, got, want)
	}
	l.compare(newReferee(l.plan).watch(all), l.plan.fates(true))
	return w
}

// startsOf lists the steps that one commit opened or skipped and that could start before it.
func (l *law) startsOf(f events.Frame, before *referee) []string {
	could := l.plan.startable(before.ended)
	var out []string
	for _, e := range f.Events {
		step := ""
		switch d := e.Data.(type) {
		case events.CallOpened:
			step = d.Step
		case events.StepSkipped:
			step = d.Step
			could = append(could, l.plan.startable(fate{step: "skipped"})...)
		}
		if step != "" && slices.Contains(l.plan.startable(before.ended), step) {
			out = append(out, step)
		}
	}
	slices.Sort(out)
	return out
}

// compare holds a finished run against the twin. Where a failure stops the run, what was under way
// beside it is up to chance, but nothing may end otherwise than the twin says.
func (l *law) compare(r *referee, want fate) {
	l.mu.Lock()
	l.faults = append(l.faults, r.faults...)
	l.mu.Unlock()
	stops := !l.plan.carryOn && len(want.with("failed")) > 0
	for _, how := range []string{"completed", "skipped", "failed"} {
		got, want := r.ended.with(how), want.with(how)
		if !stops && !cmp.Equal(got, want) {
			l.fault("%s %v, want %v", how, got, want)
		}
		for _, id := range got {
			if !slices.Contains(want, id) {
				l.fault("%s is %s, the twin has %v", id, how, want)
			}
		}
	}
	if stops && len(r.ended.with("failed")) == 0 {
		l.fault("nothing failed, the twin has %v", want)
	}
}

// live runs processes one after another until the run is over. Each repeats the command under its
// request id, as a client would that never heard an answer.
func (l *law) live(after uint64, c workflows.Command, request string) *world {
	for tries := 0; tries <= len(l.plan.endings); tries++ {
		f := newFaulty(l.store)
		if l.lives < len(l.plan.endings) {
			f.end = l.plan.endings[l.lives]
		}
		l.lives++
		process := fmt.Sprintf("p%d", l.lives)
		w := newBubbled(l.t, worldConfig{
			store: f, process: process, slots: l.plan.slots, work: l.work, byBaton: l.plan.byBaton,
			gone: func(p string) bool { return p != process },
		})
		ctx, cancel := f.lifetime(l.t.Context())
		_, err := w.Do(ctx, lawSession, c, engine.Meta{Actor: "test", Request: request})
		over := err == nil && l.over(ctx, after)
		cancel()
		switch {
		case over && !f.dead():
			return w
		case err != nil && !f.dead():
			l.fault("%s: %v", request, err)
			return nil
		}
		w.kill()
	}
	l.fault("the run did not end: %v", count(l.t, l.store, lawSession))
	return nil
}

// over waits until the run ends; false when ctx is done first.
func (l *law) over(ctx context.Context, after uint64) bool {
	for rec := range l.store.Tail(ctx, after) {
		for _, e := range rec.Frame.Events {
			switch e.Data.(type) {
			case events.RunCompleted, events.RunFailed:
				return true
			}
		}
	}
	return false
}

// work does a step as the plan says, and checks against the log that it may be done at all.
func (l *law) work(ctx context.Context, t workers.Task) workers.Outcome {
	var i int
	if _, err := fmt.Sscanf(t.Step, "s%d", &i); err != nil {
		return workers.Failed(workers.Terminal, "bad_step", err.Error())
	}
	failures := l.before(t)
	step := l.plan.steps[i]
	if step.takes > 0 {
		select {
		case <-time.After(step.takes):
		case <-ctx.Done():
			return workers.Failed(workers.ClassOf(context.Cause(ctx)), "ended", "it was ended")
		}
	}
	l.mu.Lock()
	mended := l.mended
	l.mu.Unlock()
	if !mended && failures < step.fails {
		class := workers.Retryable
		if step.terminal {
			class = workers.Terminal
		}
		return workers.Failed(class, "on_purpose", "not yet")
	}
	return workers.Outcome{Value: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))}
}

// before counts the recorded failures of the call, and finds an attempt that had no claim in the log
// or whose call had its result.
func (l *law) before(t workers.Task) (failures int) {
	claimed := false
	for rec, err := range l.store.Read(context.Background(), stream.SessionEntity(t.Session), 0) {
		if err != nil {
			l.fault("read the log: %v", err)
			return 0
		}
		for _, e := range rec.Frame.Events {
			switch d := e.Data.(type) {
			case events.CallStarted:
				claimed = claimed || d.Call == t.Call && d.Attempt == t.Attempt
			case events.CallFailed:
				if d.Call == t.Call {
					failures++
				}
			case events.CallClosed:
				if d.Call == t.Call {
					l.fault("%s attempt %d was executed after its result was recorded", t.Call, t.Attempt)
				}
			}
		}
	}
	if !claimed {
		l.fault("%s attempt %d was executed without a claim in the log", t.Call, t.Attempt)
	}
	return failures
}

// replays decides everything again, and folds the log twice.
func (l *law) replays(w *world) {
	ask := func(name string) json.RawMessage {
		got, err := w.queries[name](l.t.Context(), lawSession, json.RawMessage(`{}`))
		raw, encodeErr := events.Marshal(got)
		if err := errors.Join(err, encodeErr); err != nil {
			l.fault("%s: %v", name, err)
		}
		return raw
	}
	var v engine.Verified
	if err := json.Unmarshal(ask("verify"), &v); err != nil || !v.Equal || v.Decisions == 0 {
		l.fault("verify: %v %+v, difference %+v", err, v, v.Difference)
	}
	first := ask("replay")
	if second := ask("replay"); !cmp.Equal(first, second) {
		l.fault("replay twice: %s", cmp.Diff(string(first), string(second)))
	}
	w.stop()
}
