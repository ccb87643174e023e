package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

const (
	one = "steps:\n  - {id: a, run: {builtin: noop}, output: a}\n"
	two = "steps:\n  - {id: a, run: {builtin: noop}, output: a}\n  - {id: b, run: {builtin: noop}}\n"
)

func (w *world) want(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.history()); diff != "" {
		w.t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestStoppingDrains: the running attempt comes to its end, nothing is lost, nothing new starts.
func TestStoppingDrains(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p, drain, over := w.pool(1, func(ctx context.Context, _ workers.Task) workers.Outcome {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			return done(ctx, workers.Task{})
		}, nil)
		w.start(two)
		synctest.Wait()
		if p.Busy() != 1 {
			t.Errorf("%d attempts are running", p.Busy())
		}
		drain()
		begun := time.Now()
		<-over
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("the pool ended after %s, its attempt took a minute", took)
		}
		w.want("r1/a 1 started by p1.1", `r1/a 1 closed "done"`)
		if _, ok := p.Reserve("default"); ok {
			t.Error("a pool that has stopped reserved a slot")
		}
		w.pool(1, done, nil)
		w.over()
		w.want("r1/a 1 started by p1.1", `r1/a 1 closed "done"`, "r1/b 1 started by p2.1", `r1/b 1 closed "done"`, "completed")
	})
}

// TestAbortGivesBack: an attempt that must stop is given back at once and charged to nobody.
func TestAbortGivesBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		causes := make(chan error, 1)
		p, drain, over := w.pool(2, untilEnded(causes), nil)
		w.start(one)
		synctest.Wait()
		p.Abort()
		drain()
		<-over
		if cause := <-causes; !errors.Is(cause, workers.ErrStopping) {
			t.Errorf("the attempt was ended with %v", cause)
		}
		w.want("r1/a 1 started by p1.1", "r1/a 1 lost")
		begun := time.Now()
		w.pool(1, done, nil)
		w.over()
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the next worker had it after %s", took)
		}
		w.want("r1/a 1 started by p1.1", "r1/a 1 lost", "r1/a 2 started by p2.1", `r1/a 2 closed "done"`, "completed")
	})
}

// troubled is a conductor with faults on the way.
type troubled struct {
	engine.Local
	finish func(n int, f workflows.Finish) error
	claim  func(n int) error
	n, m   *atomic.Int64
}

func (c troubled) Finish(ctx context.Context, session string, f workflows.Finish) (workflows.Finished, error) {
	if c.finish != nil {
		if err := c.finish(int(c.n.Add(1)), f); err != nil {
			return workflows.Finished{}, err
		}
	}
	return c.Local.Finish(ctx, session, f)
}

func (c troubled) Claim(ctx context.Context, session string, claim workflows.Claim) (workflows.Task, error) {
	if c.claim != nil {
		if err := c.claim(int(c.m.Add(1))); err != nil {
			return workflows.Task{}, err
		}
	}
	return c.Local.Claim(ctx, session, claim)
}

func (w *world) trouble() troubled {
	return troubled{Local: engine.Local{Via: w.Engine}, n: new(atomic.Int64), m: new(atomic.Int64)}
}

func unreachable() error {
	return sessions.Refuse(sessions.Unreachable, "log_unreachable", "wait", "the log is out of reach")
}

// TestResultIsTriedUntilItIsIn: an attempt whose result cannot be recorded is neither lost nor made again.
func TestResultIsTriedUntilItIsIn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		begun := time.Now()
		c := w.trouble()
		c.finish = func(int, workflows.Finish) error {
			if time.Since(begun) < 5*time.Minute {
				return unreachable()
			}
			return nil
		}
		w.pool(1, done, c)
		w.start(one)
		w.over()
		if took := time.Since(begun); took < 5*time.Minute || took > 5*time.Minute+3*time.Second {
			t.Errorf("the result was in after %s", took)
		}
		w.want("r1/a 1 started by p1.1", `r1/a 1 closed "done"`, "completed")
	})
}

// TestClaimIsTriedAgain: a baton whose claim could not be decided comes again.
func TestClaimIsTriedAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		c := w.trouble()
		c.claim = func(n int) error {
			if n <= 3 {
				return unreachable()
			}
			return nil
		}
		w.pool(1, done, c)
		w.start(one)
		w.over()
		w.want("r1/a 1 started by p1.1", `r1/a 1 closed "done"`, "completed")
	})
}

// TestAResultTheLogWillNeverTake becomes the step's failure; if even that is refused the worker lets go.
func TestAResultTheLogWillNeverTake(t *testing.T) {
	refusal := sessions.Refuse(sessions.Usage, "value_too_large", "put it into a file", "it is too large")
	t.Run("its value", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			c := w.trouble()
			c.finish = func(_ int, f workflows.Finish) error {
				if f.Failure == nil {
					return refusal
				}
				return nil
			}
			w.pool(1, done, c)
			w.start(one)
			w.over()
			w.want("r1/a 1 started by p1.1", "r1/a 1 failed terminal value_too_large", "failed")
		})
	})
	t.Run("anything", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			c := w.trouble()
			c.finish = func(n int, _ workflows.Finish) error {
				if n <= 2 {
					return refusal
				}
				return nil
			}
			p, _, _ := w.pool(1, done, c)
			w.start(one)
			w.over()
			w.want("r1/a 1 started by p1.1", "r1/a 1 lost", "r1/a 2 started by p1.1", `r1/a 2 closed "done"`, "completed")
			synctest.Wait()
			if p.Busy() != 0 {
				t.Errorf("%d attempts are still running", p.Busy())
			}
		})
	})
}

func TestTimeoutEndsAnAttempt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		causes := make(chan error, 2)
		w.pool(1, untilEnded(causes), nil)
		begun := time.Now()
		w.start("steps:\n  - {id: a, run: {builtin: noop}, timeout: 90s, retry: {attempts: 2, backoff: 0}}\n")
		w.over()
		if took := time.Since(begun); took != 3*time.Minute {
			t.Errorf("two attempts of 90 s took %s", took)
		}
		for range 2 {
			if cause := <-causes; !errors.Is(cause, workers.ErrDeadline) {
				t.Errorf("the attempt was ended with %v", cause)
			}
		}
		w.want("r1/a 1 started by p1.1", "r1/a 1 failed timeout ended", "r1/a 2 started by p1.1", "r1/a 2 failed timeout ended", "failed")
	})
}

func TestUnknownExecutor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.pool(1, done, nil)
		w.start("steps:\n  - {id: a, run: {exec: [./a.sh]}, retry: {attempts: 3}}\n")
		w.over()
		w.want("r1/a 1 started by p1.1", "r1/a 1 failed terminal unknown_executor", "failed")
	})
}

// TestToldToLook: a worker hears of a cancellation long before its next beat.
func TestToldToLook(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		causes := make(chan error, 1)
		w.pool(1, untilEnded(causes), nil)
		w.start(one)
		synctest.Wait()
		begun := time.Now()
		if _, err := w.Do(t.Context(), session, workflows.Cancel{Run: "r1"}, engine.Meta{}); err != nil {
			t.Fatal(err)
		}
		if cause := <-causes; !errors.Is(cause, workers.ErrCancelled) || time.Since(begun) > 0 {
			t.Errorf("the attempt was ended with %v after %s", cause, time.Since(begun))
		}
		w.want("r1/a 1 started by p1.1")
	})
}

// TestSlotsBound: a pool never runs more than it has slots, and uses them all.
func TestSlotsBound(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var running, most atomic.Int64
		w.pool(5, func(context.Context, workers.Task) workers.Outcome {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			return done(t.Context(), workers.Task{})
		}, nil)
		begun := time.Now()
		w.start("order: dataflow\nsteps:\n" + strings.Repeat("  - {run: {builtin: noop}}\n", 50))
		w.over()
		if most.Load() != 5 || time.Since(begun) != 10*time.Second {
			t.Errorf("at most %d at once, 50 steps of a second took %s; there are 5 slots", most.Load(), time.Since(begun))
		}
	})
}

// TestWhatAnExecutorIsGiven: the input document, the fence and the effect key, over two attempts.
func TestWhatAnExecutorIsGiven(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		tasks := make(chan workers.Task, 3)
		w.pool(1, func(ctx context.Context, task workers.Task) workers.Outcome {
			tasks <- task
			if task.Step == "b" && task.Attempt == 1 {
				return workers.Failed(workers.Retryable, "x", "again")
			}
			return workers.Outcome{Value: json.RawMessage(` {"n" : 1} `)}
		}, nil)
		w.start("inputs: {topic: {type: string, default: owls}}\nsteps:\n  - {id: a, run: {builtin: noop}, output: a}\n  - {id: b, run: {builtin: echo}, input: [a], intent: \"see ${inputs.topic}\", inputs: {n: \"${ctx['a'].n}\"}, retry: {attempts: 2, backoff: 1s}}\n")
		synctest.Wait()
		<-tasks
		first := <-tasks
		if first.Attempt != 1 || first.Intent != "see owls" || first.Call != "r1/b" || first.Folder != "/nowhere" || string(first.Execute) != `{"name":"echo"}` {
			t.Errorf("task %+v", first)
		}
		var doc struct {
			Inputs  map[string]json.RawMessage
			Context map[string]json.RawMessage
			Call    struct {
				Attempt int
				Step    string
			}
		}
		if err := json.Unmarshal(first.Input, &doc); err != nil {
			t.Fatal(err)
		}
		if string(doc.Inputs["n"]) != "1" || string(doc.Context["a"]) != `{"n":1}` || doc.Call.Step != "b" {
			t.Errorf("input document %s", first.Input)
		}
		second := <-tasks
		if second.Attempt != 2 || second.EffectKey != first.EffectKey || first.EffectKey == "" {
			t.Errorf("attempt %d with key %q after key %q", second.Attempt, second.EffectKey, first.EffectKey)
		}
	})
}

// TestBatonsOfNothing: batons about sessions, calls and runs that are not there are dealt with once.
func TestBatonsOfNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.pool(2, done, nil)
		w.start(one)
		w.over()
		for _, b := range []stream.Baton{{Session: session, Call: "r1/a"}, {Session: session, Call: "zz"}, {Session: "0189f000-0000-7000-8000-0000000000ff", Call: "c001", Wake: true}} {
			if _, err := w.store.Publish(t.Context(), "default", b); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if depth, err := w.store.Depth(t.Context(), "default"); depth != 0 || err != nil {
			t.Errorf("%d batons are left, %v", depth, err)
		}
		w.want("r1/a 1 started by p1.1", `r1/a 1 closed "done"`, "completed")
	})
}
