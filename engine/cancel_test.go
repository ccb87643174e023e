package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// eventually waits until an event of the session satisfies f.
func (w *world) eventually(t *testing.T, session string, f func(events.Data) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), w.waits)
	defer cancel()
	for rec := range w.store.Tail(ctx, 0) {
		for _, e := range rec.Frame.Events {
			if rec.Entity.Session() == session && f(e.Data) {
				return
			}
		}
	}
	t.Fatalf("it never came:\n%s", picture(w.view(t, session)))
}

func is[D events.Data](d events.Data) bool {
	_, ok := d.(D)
	return ok
}

// cancelTwice cancels a run, and again: the second time nothing is appended.
func (w *world) cancelTwice(t *testing.T, session string) {
	t.Helper()
	w.do(t, session, workflows.Cancel{Run: "r1", By: "me", Reason: "enough"})
	head := w.last(t)
	v, err := engine.As[workflows.View](w.do(t, session, workflows.Cancel{Run: "r1", By: "you"}), nil)
	if err != nil || v.Status != workflows.Cancelled {
		t.Errorf("cancelling again: %v, run %s", err, v.Status)
	}
	if w.last(t) != head {
		t.Error("cancelling again appended")
	}
}

// stillCancelled lets an hour pass and checks that nothing happened in it.
func (w *world) stillCancelled(t *testing.T, session string) {
	t.Helper()
	head, starts := w.last(t), count(t, w.store, session)["call.started"]
	time.Sleep(time.Hour)
	synctest.Wait()
	got := count(t, w.store, session)
	if w.last(t) != head || got["call.started"] != starts || got["run.completed"]+got["run.failed"] != 0 {
		t.Errorf("an hour after the cancellation: %v", got)
	}
}

func TestCancelWhileRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan error, 1)
		w := newBubbled(t, worldConfig{slots: 1, work: func(ctx context.Context, _ workers.Task) workers.Outcome {
			<-ctx.Done()
			ends <- context.Cause(ctx)
			return workers.Outcome{Value: json.RawMessage(`"late"`)}
		}})
		session := named("running")
		w.start(t, session, fan(3))
		synctest.Wait()
		begun := time.Now()
		w.cancelTwice(t, session)
		if cause := <-ends; !errors.Is(cause, workers.ErrCancelled) || time.Since(begun) > time.Second {
			t.Errorf("the attempt ended with %v after %s", cause, time.Since(begun))
		}
		_, err := w.Do(t.Context(), session, workflows.Finish{Call: "r1/s000", Attempt: 1, Worker: "s1.1"}, engine.Meta{})
		if !refused(err, "cancelled") {
			t.Errorf("late result: %v", err)
		}
		if got, _ := w.Beat(t.Context(), stream.Beat{Session: session, Call: "r1/s000", Attempt: 1, Worker: "s1.1"}); got != engine.Cancelled {
			t.Errorf("heartbeat: %q", got)
		}
		w.stillCancelled(t, session)
		if got := count(t, w.store, session); got["call.cancelled"] != 3 || got["call.closed"] != 0 {
			t.Errorf("events %v, want three calls cancelled: one running, two queued", got)
		}
	})
}

func TestCancelInBackoffSurvivesARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, session := newStore(), named("backoff")
		w := newBubbled(t, worldConfig{store: store, slots: 1, work: failFirst(9)})
		w.start(t, session, retrying("10m"))
		w.eventually(t, session, is[events.TimerSet])
		w.cancelTwice(t, session)
		w.kill()
		w = newBubbled(t, worldConfig{store: store, process: "s2", slots: 1, gone: func(p string) bool { return p != "s2" }})
		w.stillCancelled(t, session)
		got := count(t, store, session)
		if got["timer.voided"] != 1 || got["timer.fired"] != 0 || got["call.cancelled"] != 1 || got["call.started"] != 1 {
			t.Errorf("events %v", got)
		}
		if v := w.view(t, session); v.Status != workflows.Cancelled {
			t.Errorf("%s", picture(v))
		}
		if _, err := w.Do(t.Context(), session, workflows.ResumeRun{Run: "r1", By: "me"}, engine.Meta{}); !refused(err, "run_cancelled") {
			t.Errorf("resuming it: %v", err)
		}
	})
}

func TestCancelTakesBackWhatACallWrote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{})
		session := named("writes")
		w.begin(t, session)
		w.do(t, session, set("k", 1))
		w.start(t, session, chain(1))
		conduct := engine.Local{Via: w.Engine}
		if _, err := conduct.Claim(t.Context(), session, claimOf("r1/s000", "a.1", 1)); err != nil {
			t.Fatal(err)
		}
		w.do(t, session, workflows.Of(writeIn("r1/s000", "k", 2)))
		w.do(t, session, workflows.Of(writeIn("r1/s000", "new", 3)))
		w.cancelTwice(t, session)
		for key, want := range map[string]string{"k": "1", "new": ""} {
			got, err := w.queries["context.get"](t.Context(), session, json.RawMessage(`{"key":"`+key+`"}`))
			if want == "" && !refused(err, "key_not_found") {
				t.Errorf("%s is %v after the cancellation, %v", key, got, err)
			}
			if want != "" && (err != nil || string(encode(t, got)) == "" || valueOf(t, got) != want) {
				t.Errorf("%s is %v after the cancellation, %v; want %s", key, got, err, want)
			}
		}
	})
}

func TestCancelRefusesWhatIsOverOrUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{slots: 1})
	session := named("over")
	w.start(t, session, chain(1))
	w.await(t, session)
	for run, code := range map[string]string{"r1": "run_over", "r2": "run_not_found"} {
		if _, err := w.Do(t.Context(), session, workflows.Cancel{Run: run}, engine.Meta{}); !refused(err, code) {
			t.Errorf("cancel %s: %v, want %s", run, err, code)
		}
	}
}
