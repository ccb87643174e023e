package workflows_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// family is a call and its child run in two sessions, driven by chance: what they say to each other may be
// lost, doubled and late.
type family struct {
	t     *rapid.T
	of    map[string]*workflows.State
	late  []late // said, and not heard yet
	count int
	fails int            // attempts of the child's step that fail before one goes well
	ran   map[string]int // results of the child's step
}

type late struct {
	session string
	command workflows.Command
}

const (
	ownText  = "steps: [{id: sub, timeout: 1h, run: {workflow: {name: child, session: own}}, retry: {attempts: 3}, output: got}]"
	ownChild = "steps: [{id: one, run: {exec: [x]}, output: out}]"
)

func newFamily(t *rapid.T) *family {
	f := &family{t: t, of: map[string]*workflows.State{}, fails: rapid.IntRange(0, 3).Draw(t, "fails"), ran: map[string]int{}}
	f.say("s1", workflows.Start{Run: "r1", Name: "own", Text: ownText, Goal: "g", Mode: "auto", Workspace: "/w", Folder: "/f",
		Templates: map[string]events.Source{"child": {Text: ownChild, Folder: "/f", Path: "/f/child.yaml"}}})
	return f
}

func (f *family) state(session string) *workflows.State {
	if f.of[session] == nil {
		f.of[session] = workflows.New(session)
	}
	return f.of[session]
}

// say commits a command with what follows.
func (f *family) say(session string, c workflows.Command) {
	s := f.state(session)
	facts, err := c.Decide(s, plainWorld{})
	if err != nil {
		f.t.Fatalf("%T in %s: %v", c, session, err)
	}
	for len(facts) > 0 {
		for _, fact := range facts {
			e := events.New(fact)
			e.ID, e.Time = fmt.Sprintf("e%05d", f.count), time.Date(2026, 1, 1, 0, 0, f.count, 0, time.UTC)
			f.count++
			s.Fold(e)
		}
		facts = workflows.Follow(s, plainWorld{})
	}
}

// due looks at both sides as they stand.
func (f *family) due() (string, workflows.Command) {
	of, err := f.state("s1").CallerSide("r1/sub")
	if err != nil {
		f.t.Fatal(err)
	}
	child, err := f.state(workflows.ChildSession("s1", "r1/sub")).ChildSide("r1/sub", plainWorld{})
	if err != nil {
		f.t.Fatal(err)
	}
	return workflows.Between(of, child)
}

// work does something about the calls that Baton's workers would do.
func (f *family) work() bool {
	for _, id := range []string{"s1", workflows.ChildSession("s1", "r1/sub")} {
		s := f.state(id)
		for _, name := range s.Order {
			call := s.Calls[name]
			switch call.Phase {
			case sessions.Backoff:
				for timer, row := range s.Timers {
					if row.Call == name && row.Kind == "backoff" {
						f.say(id, workflows.Fire{Timer: timer, Now: row.At})
						return true
					}
				}
			case sessions.Queued:
				f.say(id, workflows.Claim{Claim: sessions.Claim{Call: call.ID(), Queue: call.Queue, Worker: "p.1", Baton: uint64(f.count), Delivery: 1, Alone: true}})
				return true
			case sessions.Running:
				end := workflows.Finish{Call: call.ID(), Attempt: call.Attempt, Worker: call.Worker, Value: events.Value{JSON: json.RawMessage("7")}}
				if f.fails > 0 {
					f.fails--
					end.Failure = &events.Failure{Class: "terminal", Code: "x", Message: "m"}
				} else {
					f.ran[call.ID()]++
				}
				f.say(id, end)
				return true
			}
		}
	}
	return false
}

// turn does one thing by chance. What is due may be said now, kept for later, said twice or forgotten.
func (f *family) turn(lossy bool) bool {
	if lossy && len(f.late) > 0 && rapid.IntRange(0, 2).Draw(f.t, "late") == 0 {
		i := rapid.IntRange(0, len(f.late)-1).Draw(f.t, "which")
		said := f.late[i]
		if rapid.Bool().Draw(f.t, "once") {
			f.late = slices.Delete(f.late, i, i+1)
		}
		f.say(said.session, said.command)
		return true
	}
	session, due := f.due()
	if due != nil {
		if lossy && rapid.IntRange(0, 1).Draw(f.t, "kept") == 0 {
			f.late = append(f.late, late{session, due})
			return true
		}
		f.say(session, due)
		return true
	}
	return f.work()
}

// settle lets everything arrive that is due, as the reconciler does.
func (f *family) settle() {
	for range 1_000 {
		if !f.turn(false) {
			return
		}
	}
	f.t.Fatal("the two have no end")
}

// TestACallAndItsChildRunAgree: whatever is lost, doubled or late between two sessions, the call ends as its
// child run does, once for each attempt, and nothing runs that nobody waits for.
func TestACallAndItsChildRunAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := newFamily(t)
		want := f.fails < 3
		cancel := rapid.IntRange(0, 3).Draw(t, "cancel") == 0
		for range rapid.IntRange(0, 40).Draw(t, "turns") {
			f.turn(true)
		}
		parent, child := f.state("s1"), f.state(workflows.ChildSession("s1", "r1/sub"))
		if cancel && !parent.Runs["r1"].Over() {
			f.say("s1", workflows.Cancel{Run: "r1", By: "me"})
			for range rapid.IntRange(0, 10).Draw(t, "after") {
				f.turn(true)
			}
			f.settle()
			if r := child.Runs["r1/sub"]; r != nil && r.Status == workflows.Running {
				t.Fatalf("the child run goes on for nobody")
			}
			if got := parent.Runs["r1"].Status; got != workflows.Cancelled {
				t.Fatalf("the run is %s after the cancellation", got)
			}
			return
		}
		f.settle()
		run, r := parent.Runs["r1"], child.Runs["r1/sub"]
		if (run.Status == workflows.Completed) != want || r.Status != run.Status {
			t.Fatalf("the run is %s, its child run %s, well is %t", run.Status, r.Status, want)
		}
		call := parent.Calls["r1/sub"]
		if want && (string(call.Closed.Value.JSON) != `{"out":7}` || f.ran["r1/sub/one"] != 1) {
			t.Fatalf("the call has %s; the step gave %d results", call.Closed.Value.JSON, f.ran["r1/sub/one"])
		}
		if r.Resumes != call.Attempt-1 {
			t.Fatalf("the call was tried %d times, its run taken up again %d times", call.Attempt, r.Resumes)
		}
	})
}
