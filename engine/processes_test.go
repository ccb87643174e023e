package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

func (w *world) do(t testing.TB, session string, c workflows.Command) any {
	t.Helper()
	got, err := w.Do(t.Context(), session, c, engine.Meta{Actor: "test"})
	if err != nil {
		t.Errorf("%T: %v", c, err)
	}
	return got
}

func (w *world) begin(t testing.TB, session string) {
	t.Helper()
	w.do(t, session, workflows.Of(sessions.Begin{Goal: "test", Mode: "auto", Workspace: w.dir}))
}

// set is a command that writes a small value.
func set(key string, n int) workflows.Command {
	return workflows.Of(sessions.SetContext{Key: key, Value: events.Value{JSON: fmt.Appendf(nil, "%d", n)}})
}

func openCall(skill string) workflows.Command {
	return workflows.Of(sessions.Open{Skill: skill, Intent: "try", Parent: "none"})
}

// TestTwoProcessesOnOneSession: commands from both at once; nothing is lost, no revision is missing
// and no call id is given twice.
func TestTwoProcessesOnOneSession(t *testing.T) {
	t.Parallel()
	store := newStore()
	session := named("two")
	worlds := []*world{
		newWorld(t, worldConfig{store: store, process: "p1", shared: true}),
		newWorld(t, worldConfig{store: store, process: "p2", shared: true}),
	}
	worlds[0].begin(t, session)
	const each = 40
	var group sync.WaitGroup
	for _, w := range worlds {
		for i := range each {
			group.Go(func() { w.do(t, session, set("k", i)) })
			group.Go(func() {
				e, err := engine.As[sessions.Envelope](w.do(t, session, openCall("s")), nil)
				if err != nil {
					t.Error(err)
					return
				}
				w.do(t, session, workflows.Close{Close: sessions.Close{Call: e.CallID, Status: "ok"}})
			})
		}
	}
	group.Wait()
	var revs []int
	calls, closed, n := map[string]bool{}, map[string]bool{}, uint64(0)
	for _, f := range frames(t, store, session) {
		if n++; f.N != n {
			t.Errorf("commit %d has number %d", n, f.N)
		}
		for _, e := range f.Events {
			switch d := e.Data.(type) {
			case events.ContextSet:
				revs = append(revs, d.Rev)
			case events.CallOpened:
				if calls[d.Call] {
					t.Errorf("call id %s was given twice", d.Call)
				}
				calls[d.Call] = true
			case events.CallClosed:
				if closed[d.Call] {
					t.Errorf("call %s was closed twice", d.Call)
				}
				closed[d.Call] = true
			}
		}
	}
	for i, rev := range revs {
		if rev != i+1 {
			t.Fatalf("revision %d stands where %d should: %v", rev, i+1, revs)
		}
	}
	if len(revs) != 2*each || len(calls) != 2*each || len(closed) != 2*each {
		t.Errorf("%d revisions, %d calls, %d closed, want %d of each", len(revs), len(calls), len(closed), 2*each)
	}
}

// TestRefusalsAreDecidedOnTheNewestState: an answer that appends nothing must not rest on a fold that
// is behind what another process committed.
func TestRefusalsAreDecidedOnTheNewestState(t *testing.T) {
	t.Parallel()
	store := newStore()
	session := named("newest")
	one := newWorld(t, worldConfig{store: store, process: "p1", shared: true})
	two := newWorld(t, worldConfig{store: store, process: "p2", shared: true})
	one.begin(t, session)
	two.do(t, session, set("k", 1)) // both have the session in memory now
	one.do(t, session, openCall("s"))
	two.do(t, session, workflows.Close{Close: sessions.Close{Call: "c001", Status: "ok"}})
	_, err := one.Do(t.Context(), session, workflows.Close{Close: sessions.Close{Call: "c001", Status: "failed"}}, engine.Meta{})
	if !refused(err, "call_closed") {
		t.Errorf("closing what the other process closed: %v", err)
	}
	two.do(t, session, workflows.Of(sessions.End{}))
	if _, err := one.Do(t.Context(), session, set("k", 2), engine.Meta{}); !refused(err, "session_ended") {
		t.Errorf("writing to what the other process ended: %v", err)
	}
}

// forgetful loses the answers to what it asks other processes.
type forgetful struct {
	*faulty
	asked int
}

func (f *forgetful) Ask(ctx context.Context, subject string, request []byte) ([]byte, error) {
	if f.asked++; f.asked <= 2 {
		_, err := f.faulty.Ask(ctx, subject, request)
		return nil, fmt.Errorf("%w: answer lost: %w", stream.ErrUnavailable, err)
	}
	return f.faulty.Ask(ctx, subject, request)
}

// TestSlowProcessAsksTheWinner: a busy process commits all the time; one whose every append is 5 ms on
// its way never wins, but gets in within a few of the other's commits, once each, even when answers
// of the winner are lost.
func TestSlowProcessAsksTheWinner(t *testing.T) {
	t.Parallel()
	for _, lossy := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store, session := newStore(), named("slow")
			slow := newFaulty(store)
			slow.slow = 5 * time.Millisecond
			var far ports = slow
			if lossy {
				far = &forgetful{faulty: slow}
			}
			busy := newBubbled(t, worldConfig{store: store, process: "busy", shared: true})
			remote := newBubbled(t, worldConfig{store: far, process: "far", shared: true})
			busy.begin(t, session)
			stop, stopped := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() {
				for i := 0; stop.Err() == nil; i++ {
					busy.do(t, session, set("busy", i))
					time.Sleep(time.Millisecond)
				}
			})
			const n = 20
			for i := range n {
				before, begun := busy.last(t), time.Now()
				remote.do(t, session, set("far", i))
				if passed := busy.last(t) - before; passed > 25 && !lossy {
					t.Errorf("command %d got in after %d commits of the other and %s", i, passed, time.Since(begun))
				}
			}
			stopped()
			group.Wait()
			var got []string
			winners := map[string]int{}
			for _, f := range frames(t, store, session) {
				for _, e := range f.Events {
					if d, ok := e.Data.(events.ContextSet); ok && d.Key == "far" {
						got = append(got, string(d.Value.JSON))
						winners[f.Writer]++
					}
				}
			}
			want := make([]string, n)
			for i := range want {
				want[i] = digits(i)
			}
			if !slices.Equal(got, want) {
				t.Errorf("lossy %t: the far commands stand as %v", lossy, got)
			}
			if winners["busy"] == 0 {
				t.Errorf("lossy %t: nothing was decided by the winner: %v", lossy, winners)
			}
		})
	}
}

// TestFarWorkersServeARun: a second process serves the queue over the bus, as `baton worker` does.
func TestFarWorkersServeARun(t *testing.T) {
	t.Parallel()
	store, session := newStore(), named("far")
	hub := newWorld(t, worldConfig{store: store, process: "hub", shared: true})
	far := newWorld(t, worldConfig{store: store, process: "far", shared: true, slots: 3, byBaton: true})
	far.pool.Conduct(engine.Remote{Via: engine.Client{Bus: store, Payloads: store}})
	hub.start(t, session, diamonds(5))
	if v := hub.await(t, session); v.Status != workflows.Completed {
		t.Fatal(picture(v))
	}
	once(t, far, session, len(hub.view(t, session).Steps))
}
