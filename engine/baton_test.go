package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// once says which calls were not started exactly once, with exactly one result.
func once(t *testing.T, w *world, session string, steps int) {
	t.Helper()
	got := count(t, w.store, session)
	if got["call.started"] != steps || got["call.closed"] != steps || got["call.lost"] != 0 {
		t.Errorf("events %v for %d steps: want one start and one result each", got, steps)
	}
	for call, attempts := range w.ledger.all() {
		if len(attempts) != 1 {
			t.Errorf("%s was executed as %v", call, attempts)
		}
	}
}

// TestBatonsDoubledAndRepeated publishes every baton one to five times; slow steps keep copies coming
// again while their call is held, and after it is over.
func TestBatonsDoubledAndRepeated(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			store := newStore()
			store.SetLease(2 * time.Second)
			f := newFaulty(store)
			f.publish = func(string, stream.Baton) int { return 1 + random.IntN(5) }
			w := newBubbled(t, worldConfig{store: f, slots: 4, byBaton: true, lease: 2 * time.Second,
				work: func(ctx context.Context, task workers.Task) workers.Outcome {
					time.Sleep(time.Duration(len(task.Call)%3) * 3 * time.Second)
					return workers.Outcome{Value: json.RawMessage("1")}
				}})
			session := named("doubled")
			w.start(t, session, diamonds(6))
			if v := w.await(t, session); v.Status != workflows.Completed {
				t.Fatalf("seed %d: %s %s", seed, v.Status, v.Reason)
			}
			once(t, w, session, len(w.view(t, session).Steps))
			// Late copies of every baton change nothing.
			before := w.last(t)
			for _, call := range w.view(t, session).Steps {
				if _, err := store.Publish(t.Context(), "default", stream.Baton{Session: session, Call: call.CallID, After: 1, Wake: random.IntN(2) == 0}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if depth, _ := store.Depth(t.Context(), "default"); depth != 0 || w.last(t) != before {
				t.Errorf("seed %d: late copies left %d batons, log went from %d to %d", seed, depth, before, w.last(t))
			}
		})
	}
}

// diamonds is a template of n layers of three steps, each layer joined.
func diamonds(n int) string {
	text := "name: diamonds\norder: dataflow\nsteps:\n  - {id: j00, run: {builtin: noop}}\n"
	for i := range n {
		for k := range 3 {
			text += fmt.Sprintf("  - {id: s%02d-%s, run: {builtin: noop}, needs: [j%02d]}\n", i, "abcdefgh"[:1+k*2], i)
		}
		text += fmt.Sprintf("  - {id: j%02d, run: {builtin: noop}, needs: [s%02d-a, s%02d-abc, s%02d-abcde]}\n", i+1, i, i, i)
	}
	return text
}

func TestLostBatonsAreWokenWithinTwoSecondsAndALook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(newStore())
		f.publish = func(_ string, b stream.Baton) int {
			if b.Wake {
				return 1
			}
			return 0
		}
		w := newBubbled(t, worldConfig{store: f, slots: 2, byBaton: true})
		session := named("lost")
		begun := time.Now()
		w.start(t, session, chain(1))
		w.await(t, session)
		once(t, w, session, 1)
		if took := time.Since(begun); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("a lost baton was made up for after %s", took)
		}
	})
}

func TestLostAlarmIsMadeUpFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(newStore())
		f.arm = func(stream.Alarm) bool { return false }
		w := newBubbled(t, worldConfig{store: f, slots: 1, work: failFirst(1)})
		session := named("alarm")
		begun := time.Now()
		w.start(t, session, retrying("10s"))
		w.await(t, session)
		if took := time.Since(begun); took < 10*time.Second || took > 13*time.Second {
			t.Errorf("the second attempt came to its end after %s, its backoff is 10 s", took)
		}
		if got := count(t, w.store, session); got["timer.fired"] != 1 || got["call.closed"] != 1 {
			t.Errorf("events %v", got)
		}
	})
}

// failFirst is work whose first attempts fail.
func failFirst(n int) func(context.Context, workers.Task) workers.Outcome {
	return func(_ context.Context, task workers.Task) workers.Outcome {
		if task.Attempt <= n {
			return workers.Failed(workers.Retryable, "flaky", "not yet")
		}
		return workers.Outcome{Value: json.RawMessage("1")}
	}
}

func retrying(backoff string) string {
	return fmt.Sprintf("name: retry\nsteps:\n  - {id: a, run: {builtin: noop}, output: v, retry: {attempts: 3, backoff: %s}}\n", backoff)
}

func TestAlarmsRungEarlyAndTwiceFireOnceAndNotEarly(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{0, time.Hour, -time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newStore()
				f := newFaulty(store)
				f.arm = func(a stream.Alarm) bool { // forged: now, and twice
					for range 2 {
						early := a
						early.At = time.Now()
						_ = store.Arm(context.Background(), early)
					}
					return false
				}
				clock := func() time.Time { return time.Now().Add(off) }
				w := newBubbled(t, worldConfig{store: f, slots: 1, now: clock, work: failFirst(1)})
				session := named("early")
				begun := time.Now()
				w.start(t, session, retrying("30s"))
				w.await(t, session)
				if took := time.Since(begun); took < 30*time.Second || took > 33*time.Second {
					t.Errorf("clock off by %s: fired after %s, want 30 s and at most a look more", off, took)
				}
				if got := count(t, store, session); got["timer.fired"] != 1 || got["call.started"] != 2 {
					t.Errorf("clock off by %s: events %v", off, got)
				}
			})
		})
	}
}
