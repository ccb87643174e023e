package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
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

const testLease = 10 * time.Second

// TestBeatsKeepALongStep: as long as beats flow, one attempt suffices, whatever becomes of the baton.
func TestBeatsKeepALongStep(t *testing.T) {
	t.Parallel()
	for name, byBaton := range map[string]bool{"by baton": true, "at once": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newStore()
				store.SetLease(2 * time.Second) // batons come again all the time, unless they are extended in time
				w := newBubbled(t, worldConfig{store: store, slots: 3, byBaton: byBaton, lease: testLease,
					work: func(context.Context, workers.Task) workers.Outcome {
						time.Sleep(5 * time.Minute)
						return workers.Outcome{Value: json.RawMessage("1")}
					}})
				session := named("long")
				w.start(t, session, chain(2))
				w.await(t, session)
				once(t, w, session, 2)
			})
		})
	}
}

// silenced is a process whose beats nobody hears and who hears nobody: its engine does not see the log
// move, because it asks for nothing while its executor works.
type silenced struct {
	engine.Local
	cut *atomic.Bool
}

func (s silenced) Beat(ctx context.Context, b stream.Beat) (string, error) {
	if s.cut.Load() {
		return "", stream.ErrUnavailable
	}
	return s.Local.Beat(ctx, b)
}

// TestSilentHolderIsTakenOver stops the beats of one process for longer than a lease, then lets it
// speak again: its late result is refused and its attempt ended as stale.
func TestSilentHolderIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		store.SetLease(testLease)
		var cut atomic.Bool
		cut.Store(true)
		ends := make(chan error, 1)
		first := newBubbled(t, worldConfig{store: store, process: "p1", slots: 1, shared: true, lease: testLease,
			work: func(ctx context.Context, _ workers.Task) workers.Outcome {
				<-ctx.Done()
				ends <- context.Cause(ctx)
				return workers.Outcome{Value: json.RawMessage(`"late"`)}
			}})
		first.pool.Conduct(silenced{engine.Local{Via: first.Engine}, &cut})
		session := named("silent")
		begun := time.Now()
		first.start(t, session, chain(1))

		second := newBubbled(t, worldConfig{store: store, process: "p2", slots: 1, shared: true, lease: testLease})
		second.await(t, session)
		if took := time.Since(begun); took < testLease || took > testLease+2*time.Second {
			t.Errorf("taken over after %s, the lease is %s", took, testLease)
		}
		want := []string{"p1.1 attempt 1 started", "attempt 1 lost", "p2.1 attempt 2 started", `attempt 2 closed "done"`}
		if got := attemptsOf(t, store, session); !equal(got, want) {
			t.Errorf("attempts %q, want %q", got, want)
		}
		// The first one's result is refused before its beats are heard again, and with them it is ended.
		_, err := first.Do(t.Context(), session, workflows.Finish{Call: "r1/s000", Attempt: 1, Worker: "p1.1", Value: events.Value{JSON: []byte(`"late"`)}}, engine.Meta{Actor: "worker:p1.1"})
		if !refused(err, "stale") {
			t.Errorf("late result: %v, want it refused as stale", err)
		}
		cut.Store(false)
		if cause := <-ends; !errors.Is(cause, workers.ErrStale) {
			t.Errorf("the first attempt ended with %v, want %v", cause, workers.ErrStale)
		}
		synctest.Wait()
		if got := attemptsOf(t, store, session); !equal(got, want) {
			t.Errorf("after the late result: attempts %q, want %q", got, want)
		}
	})
}

// attemptsOf tells the life of a session's attempts, one line an event.
func attemptsOf(t *testing.T, log stream.Log, session string) []string {
	t.Helper()
	var out []string
	for _, f := range frames(t, log, session) {
		for _, e := range f.Events {
			switch d := e.Data.(type) {
			case events.CallStarted:
				out = append(out, d.Worker+" attempt "+digits(d.Attempt)+" started")
			case events.CallLost:
				out = append(out, "attempt "+digits(d.Attempt)+" lost")
			case events.CallFailed:
				out = append(out, "attempt "+digits(d.Attempt)+" failed "+d.Failure.Code)
			case events.CallCancelled:
				out = append(out, "attempt "+digits(d.Attempt)+" cancelled")
			case events.CallClosed:
				out = append(out, "attempt "+digits(d.Attempt)+" closed "+string(d.Value.JSON))
			}
		}
	}
	return out
}

// TestClaims puts claims against a call that is held, as copies of its baton would.
func TestClaims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{shared: true, lease: testLease, unattended: true})
		session := named("claims")
		w.start(t, session, chain(1))
		claim := func(worker string, baton uint64, delivery int, wake bool) error {
			_, err := engine.Local{Via: w.Engine}.Claim(t.Context(), session, workflows.Claim{Claim: sessions.Claim{
				Call: "r1/s000", Queue: "default", Worker: worker, Baton: baton, Delivery: delivery, Wake: wake}})
			return err
		}
		beat := func() {
			if got, err := w.Beat(t.Context(), stream.Beat{Session: session, Call: "r1/s000", Attempt: 1, Worker: "a.1"}); err != nil || got != engine.GoOn {
				t.Fatalf("heartbeat %q %v", got, err)
			}
		}
		if err := claim("a.1", 7, 1, false); err != nil {
			t.Fatal(err)
		}
		beat()
		for _, test := range []struct {
			name  string
			baton uint64
			count int
			wake  bool
			want  string
		}{
			{"this message again", 7, 2, false, sessions.ClaimHeld},
			{"a second copy", 8, 1, false, sessions.ClaimForget},
			{"a reconciler's wake", 9, 1, true, sessions.ClaimForget},
		} {
			if err := claim("b.1", test.baton, test.count, test.wake); !refused(err, test.want) {
				t.Errorf("%s, holder heard: %v, want %s", test.name, err, test.want)
			}
		}
		time.Sleep(testLease)
		if err := claim("b.1", 8, 1, false); err == nil {
			t.Error("a second copy stole a call whose holder was silent: neither its message nor a wake")
		}
		if err := claim("b.1", 7, 1, false); err == nil {
			t.Error("the same delivery stole the call")
		}
		if err := claim("b.1", 7, 2, false); err != nil {
			t.Errorf("this message again, holder silent for a lease: %v", err)
		}
		if got, _ := w.Beat(t.Context(), stream.Beat{Session: session, Call: "r1/s000", Attempt: 1, Worker: "a.1"}); got != engine.Stale {
			t.Errorf("heartbeat of attempt 1 after the take-over: %q", got)
		}
	})
}

// TestSixthLossIsTheLast: a step that takes its worker down every time is not restarted for ever.
func TestSixthLossIsTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone := map[string]bool{}
		w := newBubbled(t, worldConfig{lease: testLease, unattended: true, gone: func(p string) bool { return gone[p] }})
		session := named("deadly")
		w.start(t, session, chain(1))
		conduct := engine.Local{Via: w.Engine}
		for i := range 8 {
			process := "p" + digits(i)
			_, err := conduct.Claim(t.Context(), session, workflows.Claim{Claim: sessions.Claim{
				Call: "r1/s000", Queue: "default", Worker: process + ".1", Baton: uint64(i + 1), Delivery: 1, Wake: true, Alone: true}})
			if i < 6 && err != nil || i >= 6 && !refused(err, sessions.ClaimForget) {
				t.Errorf("claim %d: %v", i+1, err)
			}
			gone[process] = true
		}
		v := w.view(t, session)
		if got := count(t, w.store, session); got["call.started"] != 6 || got["call.lost"] != 6 || v.Status != workflows.Failed {
			t.Errorf("events %v, run %s", got, v.Status)
		}
		if e := v.Steps[0].Error; e == nil || e.Class != "lost" {
			t.Errorf("the step's error is %+v", e)
		}
	})
}

// TestAbortingAPoolLosesItsAttemptOnce: what is given back is not started again on another slot of the
// pool that is going down.
func TestAbortingAPoolLosesItsAttemptOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{slots: 4, work: func(ctx context.Context, _ workers.Task) workers.Outcome {
			<-ctx.Done()
			return workers.Outcome{}
		}})
		session := named("abort")
		w.start(t, session, chain(1))
		synctest.Wait()
		w.stop()
		want := []string{"s1.4 attempt 1 started", "attempt 1 lost"}
		got := attemptsOf(t, w.store, session)
		if len(got) > 0 {
			want[0] = got[0] // whichever slot it was
		}
		if !equal(got, want) {
			t.Errorf("attempts %q, want %q", got, want)
		}
	})
}
