package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// TestRepeatedRequests: the same command under the same id gives the same answer and adds nothing, in
// another life of the process too; another command under that id is refused.
func TestRepeatedRequests(t *testing.T) {
	t.Parallel()
	session := named("requests")
	commands := []struct {
		name  string
		first workflows.Command
		other workflows.Command
	}{
		{"begin", workflows.Of(sessions.Begin{Goal: "g", Mode: "auto", Workspace: "/w"}), workflows.Of(sessions.Begin{Goal: "h", Mode: "auto", Workspace: "/w"})},
		{"open", openCall("a"), openCall("b")},
		{"set", set("k", 1), set("k", 2)},
		{"switch", workflows.Of(sessions.MakeSwitch{To: "b", Kind: "handoff", Reason: "r", Carry: []string{"k"}}), set("k", 3)},
		{"delete", workflows.Of(sessions.DeleteContext{Key: "k"}), set("k", 4)},
		{"roll back", workflows.Of(sessions.RollBackContext{Key: "k", To: 1}), workflows.Of(sessions.RollBackContext{Key: "k", To: 2})},
		{"suspend", workflows.Of(sessions.Suspend{Call: "c001"}), workflows.Of(sessions.Resume{Call: "c001"})},
		{"resume", workflows.Of(sessions.Resume{Call: "c001"}), workflows.Of(sessions.Suspend{Call: "c001"})},
		{"close", workflows.Close{Close: sessions.Close{Call: "c001", Status: "ok"}}, workflows.Close{Close: sessions.Close{Call: "c001", Status: "failed"}}},
		{"run", workflows.Start{Run: "r1", Text: chain(1), Workspace: "/w"}, workflows.Start{Run: "r2", Text: chain(1), Workspace: "/w"}},
		{"cancel", workflows.Cancel{Run: "r1", By: "me"}, workflows.Cancel{Run: "r1", By: "you"}},
		{"end", workflows.Of(sessions.End{Summary: "s"}), workflows.Of(sessions.End{Summary: "t"})},
	}
	store := newStore()
	w := newWorld(t, worldConfig{store: store, process: "p1"})
	again := newWorld(t, worldConfig{store: store, process: "p2", shared: true})
	client := engine.Client{Bus: store, Payloads: store}
	answers := map[string]json.RawMessage{}
	for _, c := range commands {
		meta := engine.Meta{Actor: "test", Request: c.name}
		first := encode(t, w.asked(t, session, c.first, meta))
		head := w.last(t)
		second := encode(t, again.asked(t, session, c.first, meta))
		if diff := cmp.Diff(string(first), string(second)); diff != "" {
			t.Errorf("%s: repeated answer differs: %s", c.name, diff)
		}
		if _, err := client.Do(t.Context(), session, c.first, meta); err != nil {
			t.Errorf("%s over the bus: %v", c.name, err)
		}
		if _, err := again.Do(t.Context(), session, c.other, meta); !refused(err, "request_id_taken") {
			t.Errorf("%s: another command under its id: %v", c.name, err)
		}
		if w.last(t) != head {
			t.Errorf("%s: a repeated command appended", c.name)
		}
		answers[c.name] = first
	}
	// What was made stays what it was, long after.
	for _, name := range []string{"begin", "set", "switch", "delete", "roll back"} {
		for _, c := range commands {
			if c.name != name {
				continue
			}
			late := encode(t, again.asked(t, session, c.first, engine.Meta{Actor: "test", Request: name}))
			if diff := cmp.Diff(string(answers[name]), string(late)); diff != "" {
				t.Errorf("%s: late answer differs: %s", name, diff)
			}
		}
	}
}

func (w *world) asked(t *testing.T, session string, c workflows.Command, m engine.Meta) any {
	t.Helper()
	got, err := w.Do(t.Context(), session, c, m)
	if err != nil {
		t.Fatalf("%s: %v", m.Request, err)
	}
	return got
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := events.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestFiftyResumesAtOnce: one takes effect, 49 are told that it did and who it was.
func TestFiftyResumesAtOnce(t *testing.T) {
	t.Parallel()
	var mended sync.Map
	w := newWorld(t, worldConfig{slots: 2, work: func(_ context.Context, task workers.Task) workers.Outcome {
		if _, ok := mended.Load("all"); !ok && task.Step == "s001" {
			return workers.Failed(workers.Terminal, "broken", "on purpose")
		}
		return workers.Outcome{Value: json.RawMessage("1")}
	}})
	session := named("fifty")
	w.start(t, session, chain(3))
	w.await(t, session)
	mended.Store("all", true)
	after := w.last(t)
	answers := make([]workflows.Resumed, 50)
	var group sync.WaitGroup
	client := engine.Client{Bus: w.store, Payloads: w.store}
	for i := range answers {
		group.Go(func() {
			raw, err := client.Do(t.Context(), session, workflows.ResumeRun{Run: "r1", By: fmt.Sprintf("u%02d", i)}, engine.Meta{Actor: "cli"})
			if answers[i], err = engine.As[workflows.Resumed](raw, err); err != nil {
				t.Errorf("resume %d: %v", i, err)
			}
		})
	}
	group.Wait()
	w.awaitAfter(t, session, after)
	winner, already := "", 0
	for i, a := range answers {
		if !a.Already {
			winner = fmt.Sprintf("u%02d", i)
		} else {
			already++
		}
	}
	for i, a := range answers {
		if a.By != winner {
			t.Errorf("resume %d was told that %q took effect, it was %q", i, a.By, winner)
		}
	}
	if got := count(t, w.store, session); already != 49 || got["run.resumed"] != 1 || got["call.started"] != 4 {
		t.Errorf("%d were told that it was done already; events %v", already, got)
	}
}

// TestFinishIsIdempotent: a worker that did not hear the answer to its result is told what it holds.
func TestFinishIsIdempotent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{})
	session := named("finish")
	w.start(t, session, chain(3))
	conduct := engine.Local{Via: w.Engine}
	if _, err := conduct.Claim(t.Context(), session, workflows.Claim{Claim: sessions.Claim{Call: "r1/s000", Queue: "default", Worker: "a.1", Baton: 1, Delivery: 1}}); err != nil {
		t.Fatal(err)
	}
	finish := func(call string) (workflows.Finished, error) {
		return conduct.Finish(t.Context(), session, workflows.Finish{Call: call, Attempt: 1, Worker: "a.1", Value: events.Value{JSON: []byte("1")},
			Next: &sessions.Next{Queue: "default", Worker: "a.1", Baton: 1, Delivery: 1}})
	}
	for range 3 {
		got, err := finish("r1/s000")
		if err != nil || got.Next == nil || got.Next.Envelope.CallID != "r1/s001" {
			t.Fatalf("next %+v, %v", got.Next, err)
		}
	}
	for _, call := range []string{"r1/s001", "r1/s002"} {
		if _, err := finish(call); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := finish("r1/s002"); !refused(err, "stale") {
		t.Errorf("a result that is in already: %v", err)
	}
	if got := count(t, w.store, session); got["call.started"] != 3 || got["call.closed"] != 3 {
		t.Errorf("events %v", got)
	}
}

// TestResultsWaitForTheLog: while the log is out of reach a result in hand is kept and tried again.
func TestResultsWaitForTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(newStore())
		var until atomic.Int64
		f.refuse = func() error {
			if time.Now().UnixNano() < until.Load() {
				return stream.ErrUnavailable
			}
			return nil
		}
		w := newBubbled(t, worldConfig{store: f, slots: 1, work: func(context.Context, workers.Task) workers.Outcome {
			until.Store(time.Now().Add(time.Minute).UnixNano())
			return workers.Outcome{Value: json.RawMessage("1")}
		}})
		session := named("outage")
		begun := time.Now()
		w.start(t, session, chain(1))
		w.await(t, session)
		once(t, w, session, 1)
		if took := time.Since(begun); took < time.Minute || took > 65*time.Second {
			t.Errorf("the result was in after %s of an outage of a minute", took)
		}
	})
}
