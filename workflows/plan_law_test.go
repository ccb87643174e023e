package workflows_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// drawnPlan is a random template with what its calls will do, and the dumb twin of the rules: it says
// how each step ends, and knows nothing of events, phases or queues.
type drawnPlan struct {
	onFailure string // stop, continue, compensate
	parallel  int
	steps     []drawnStep
	mended    bool // everything goes well from now on
}

type drawnStep struct {
	needs    []int
	skipped  bool // its condition is false
	attempts int
	fails    int // attempts that fail before one goes well
	items    []bool
	join     string // of items
	child    bool
	undo     bool
}

func drawDAG(t *rapid.T) *drawnPlan {
	p := &drawnPlan{
		onFailure: rapid.SampledFrom([]string{"stop", "continue", "compensate"}).Draw(t, "on_failure"),
		parallel:  rapid.IntRange(0, 3).Draw(t, "parallel"),
	}
	for i := range rapid.IntRange(1, 7).Draw(t, "steps") {
		s := drawnStep{attempts: rapid.IntRange(1, 3).Draw(t, "attempts"), fails: rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "fails")}
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "need") == 0 {
				s.needs = append(s.needs, j)
			}
		}
		s.skipped = rapid.IntRange(0, 5).Draw(t, "skipped") == 0
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			s.items = rapid.SliceOfN(rapid.Bool(), 0, 4).Draw(t, "items")
			s.join = rapid.SampledFrom([]string{"all", "any", "best-effort", "{quorum: 0.5}"}).Draw(t, "join")
		case 1:
			s.child = true
		default:
			s.undo = rapid.Bool().Draw(t, "undo")
		}
		p.steps = append(p.steps, s)
	}
	p.steps[0].undo = p.steps[0].items == nil && !p.steps[0].child || p.steps[0].undo
	if p.onFailure == "compensate" && !slices.ContainsFunc(p.steps, func(s drawnStep) bool { return s.undo || s.child }) {
		p.onFailure = "stop"
	}
	return p
}

// text is the plan as a template; the child runs do one step each.
func (p *drawnPlan) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "order: dataflow\non_failure: %s\n", p.onFailure)
	if p.parallel > 0 {
		fmt.Fprintf(&out, "limits: {parallel: %d}\n", p.parallel)
	}
	out.WriteString("steps:\n")
	for i, s := range p.steps {
		var needs []string
		for _, j := range s.needs {
			needs = append(needs, fmt.Sprintf("s%d", j))
		}
		fmt.Fprintf(&out, "  - id: s%d\n    needs: [%s]\n    when: \"%t\"\n    retry: {attempts: %d, backoff: 0s}\n", i, strings.Join(needs, ", "), !s.skipped, s.attempts)
		switch {
		case s.items != nil:
			fmt.Fprintf(&out, "    foreach: \"0..%d\"\n    join: %s\n    run: {exec: [x]}\n", len(s.items)-1, s.join)
		case s.child:
			out.WriteString("    run: {workflow: child}\n")
		default:
			out.WriteString("    run: {exec: [x]}\n")
		}
		if s.undo {
			out.WriteString("    compensate: {exec: [undo]}\n")
		}
	}
	return out.String()
}

// well says whether an attempt at a call goes well.
func (p *drawnPlan) well(call string, failures int) bool {
	path := strings.Split(strings.TrimPrefix(call, "r1/"), "/")
	var i, n int
	if _, err := fmt.Sscanf(path[0], "s%d", &i); err != nil || p.mended || strings.HasSuffix(call, "!undo") {
		return true
	}
	if _, err := fmt.Sscanf(path[0], "s%d[%d]", &i, &n); err == nil {
		return p.steps[i].items[n]
	}
	return failures >= p.steps[i].fails
}

// ends is the twin: how each step ends when failures stop nothing but what needs them.
func (p *drawnPlan) ends() []string {
	out := make([]string, len(p.steps))
	for i, s := range p.steps {
		met := !slices.ContainsFunc(s.needs, func(j int) bool { return out[j] != "completed" && out[j] != "skipped" })
		switch {
		case !met:
			out[i] = "pending"
		case s.skipped:
			out[i] = "skipped"
		case s.works() || p.mended:
			out[i] = "completed"
		default:
			out[i] = "failed"
		}
	}
	return out
}

// works says whether a step comes to a good end by itself.
func (s drawnStep) works() bool {
	if s.items == nil {
		return s.fails < s.attempts
	}
	good := 0
	for _, ok := range s.items {
		if ok {
			good++
		}
	}
	switch s.join {
	case "any":
		return good > 0 || len(s.items) == 0
	case "best-effort":
		return true
	case "all":
		return good == len(s.items)
	}
	return 2*good >= len(s.items)
}

// driven is a run under way, driven by chance.
type driven struct {
	t      *rapid.T
	plan   *drawnPlan
	state  *workflows.State
	log    []events.Event
	failed map[string]int // failures so far, by call
	order  []string       // steps with a compensation as they completed
	undone []string
}

func (d *driven) say(facts []events.Data) {
	for _, fact := range facts {
		e := events.New(fact)
		e.ID, e.Time = fmt.Sprintf("e%05d", len(d.log)), time.Date(2026, 1, 1, 0, 0, len(d.log), 0, time.UTC)
		d.log = append(d.log, e)
		d.state.Fold(e)
		d.watch(fact)
	}
}

// watch is the referee: it reads the events and knows the rules by heart.
func (d *driven) watch(fact events.Data) {
	switch f := fact.(type) {
	case events.CallOpened:
		r := d.state.Runs[f.Run]
		if limit := d.plan.parallel; f.Run == "r1" && limit > 0 && d.open() > limit {
			d.t.Fatalf("%d calls are open, the limit is %d", d.open(), limit)
		}
		if r == nil || r.Status != workflows.Running {
			d.t.Fatalf("%s was opened in a run that is over", f.Call)
		}
	case events.CallClosed:
		if id, ok := strings.CutSuffix(f.Call, "!undo"); ok {
			d.undone = append(d.undone, id)
		} else if i := d.position(f.Call); i < len(d.plan.steps) && d.plan.steps[i].undo && d.plan.steps[i].items == nil {
			d.order = append(d.order, f.Call)
		}
	case events.RunCompleted, events.RunFailed:
		for _, id := range d.state.Order {
			if call := d.state.Calls[id]; call.Run == runOf(fact) && call.Phase != sessions.Over {
				d.t.Fatalf("run %s ended with %s %s", call.Run, id, call.Phase)
			}
		}
	}
}

func runOf(fact events.Data) string {
	switch f := fact.(type) {
	case events.RunCompleted:
		return f.Run
	case events.RunFailed:
		return f.Run
	}
	return ""
}

// position is the step that a call of the run itself is for.
func (d *driven) position(call string) (i int) {
	path := strings.TrimPrefix(call, "r1/")
	if _, err := fmt.Sscanf(path, "s%d", &i); err != nil || strings.Contains(path, "/") {
		return len(d.plan.steps)
	}
	return i
}

// open counts the calls of the run that take room under its limit.
func (d *driven) open() (n int) {
	for _, id := range d.state.Order {
		if call := d.state.Calls[id]; call.Run == "r1" && call.Phase != sessions.Over {
			n++
		}
	}
	return n
}

func (d *driven) do(c workflows.Command) {
	facts, err := c.Decide(d.state, plainWorld{})
	if err != nil {
		d.t.Fatalf("%T: %v", c, err)
	}
	d.say(facts)
	d.follow()
}

func (d *driven) follow() {
	for range 10_000 {
		facts := workflows.Follow(d.state, plainWorld{})
		if len(facts) == 0 {
			return
		}
		d.say(facts)
	}
	d.t.Fatal("what follows has no end")
}

// ready lists the calls that somebody may do something about.
func (d *driven) ready() (out []*sessions.Call) {
	for _, id := range d.state.Order {
		if call := d.state.Calls[id]; call.Phase == sessions.Queued || call.Phase == sessions.Running {
			out = append(out, call)
		}
	}
	return out
}

// turn does one thing by chance: claims a call, ends it, loses it.
func (d *driven) turn() bool {
	for _, id := range slices.Sorted(maps.Keys(d.state.Timers)) {
		timer := d.state.Timers[id]
		d.do(workflows.Fire{Timer: id, Now: timer.At})
		return true
	}
	ready := d.ready()
	if len(ready) == 0 {
		return false
	}
	call := ready[rapid.IntRange(0, len(ready)-1).Draw(d.t, "call")]
	if call.Phase == sessions.Queued {
		d.do(workflows.Claim{Claim: sessions.Claim{Call: call.ID(), Queue: call.Queue, Worker: "p." + call.ID(), Baton: uint64(len(d.log)), Delivery: 1, Alone: true}})
		return true
	}
	end := workflows.Finish{Call: call.ID(), Attempt: call.Attempt, Worker: call.Worker, Value: events.Value{JSON: json.RawMessage("1")}}
	switch {
	case call.Losses < 2 && rapid.IntRange(0, 9).Draw(d.t, "lost") == 0:
		d.do(workflows.Release{Call: call.ID(), Attempt: call.Attempt, Worker: call.Worker, Reason: "lost"})
		return true
	case !d.plan.well(call.ID(), d.failed[call.ID()]):
		d.failed[call.ID()]++
		end.Failure = &events.Failure{Class: "retryable", Code: "x", Message: "m"}
	}
	d.do(end)
	return true
}

func (d *driven) run(until func() bool) {
	for range 5_000 {
		if until() || !d.turn() {
			return
		}
	}
	d.t.Fatal("the run has no end")
}

func (d *driven) over() bool { return d.state.Runs["r1"].Over() }

func (d *driven) statuses() []string {
	v, err := d.state.View("r1", plainWorld{})
	if err != nil {
		d.t.Fatal(err)
	}
	out := make([]string, len(v.Steps))
	for i, s := range v.Steps {
		out[i] = strings.Replace(s.Status, "dead", "failed", 1)
	}
	return out
}

// judge holds a run that has ended against the twin. Where a failure stops the run, what was under way
// beside it is up to chance, but nothing ends otherwise than the twin says.
func (d *driven) judge() {
	want, got := d.plan.ends(), d.statuses()
	fails := slices.Contains(want, "failed")
	for i := range got {
		free := d.plan.onFailure != "continue" && fails && (got[i] == "pending" || got[i] == "cancelled")
		if got[i] != want[i] && !free {
			d.t.Fatalf("step %d is %s, the twin has %v, all are %v\n%s", i, got[i], want, got, d.plan.text())
		}
	}
	if status := d.state.Runs["r1"].Status; (status == workflows.Failed) != fails {
		d.t.Fatalf("the run is %s, the twin has %v", status, want)
	}
	if d.plan.onFailure == "compensate" && fails {
		slices.Reverse(d.order)
		if !slices.Equal(d.order, slices.DeleteFunc(d.undone, func(id string) bool { return strings.Contains(id, "[") })) {
			d.t.Fatalf("undone were %v, want %v", d.undone, d.order)
		}
	}
}

const childText = "steps: [{id: one, run: {exec: [x]}}]"

func drive(t *rapid.T, p *drawnPlan) *driven {
	d := &driven{t: t, plan: p, state: workflows.New("s1"), failed: map[string]int{}}
	d.do(workflows.Start{Run: "r1", Name: "plan", Text: p.text(), Goal: "g", Mode: "auto", Workspace: "/w", Folder: "/f",
		Templates: map[string]events.Source{"child": {Text: childText, Folder: "/f", Path: "/f/child.yaml"}}})
	return d
}

// TestAnyDAGEndsAsTheTwinSays runs random templates with lists, joins, conditions, retries, child runs
// and compensations, whose calls fail and are lost; then it may be mended and resumed, with the template
// changed, and ends well.
func TestAnyDAGEndsAsTheTwinSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawDAG(t)
		d := drive(t, p)
		d.run(d.over)
		d.judge()
		if d.state.Runs["r1"].Status != workflows.Failed {
			return
		}
		p.mended = true
		resume := workflows.ResumeRun{Run: "r1", By: "me"}
		if rapid.Bool().Draw(t, "changed") {
			resume.Policy, resume.Text = "accept", p.text()+"  - {id: s99, run: {exec: [x]}}\n"
		}
		d.order, d.undone = nil, nil
		d.do(resume)
		d.run(d.over)
		if got := d.state.Runs["r1"].Status; got != workflows.Completed {
			t.Fatalf("resumed when all was mended, the run is %s: %v", got, d.statuses())
		}
	})
}

// TestACancelledDAGStops: whenever a run is cancelled, nothing of it or of the runs that it started is
// open afterwards, and nothing moves any more.
func TestACancelledDAGStops(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drive(t, drawDAG(t))
		left := rapid.IntRange(0, 30).Draw(t, "turns")
		d.run(func() bool { left--; return left < 0 || d.over() })
		if d.over() {
			return
		}
		d.do(workflows.Cancel{Run: "r1", By: "me"})
		for _, id := range d.state.Order {
			if call := d.state.Calls[id]; call.Phase != sessions.Over {
				t.Fatalf("%s is %s after the cancellation", id, call.Phase)
			}
		}
		for id, r := range d.state.Runs {
			if !r.Over() {
				t.Fatalf("run %s is %s after the cancellation", id, r.Status)
			}
		}
		if len(d.state.Timers) > 0 || d.turn() {
			t.Fatalf("something still moves; timers %v", d.state.Timers)
		}
	})
}

// TestAForkEndsLikeTheWhole: a fork at any call goes on to the end that the twin says, whatever became
// of the session that it comes from.
func TestAForkEndsLikeTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawDAG(t)
		d := drive(t, p)
		d.run(d.over)
		var openings []int
		for i, e := range d.log {
			if opened, ok := e.Data.(events.CallOpened); ok && opened.Run == "r1" && opened.Purpose == "" {
				openings = append(openings, i)
			}
		}
		if len(openings) == 0 {
			return
		}
		at := rapid.SampledFrom(openings).Draw(t, "at")
		f := &driven{t: t, plan: p, state: workflows.New("s2"), failed: map[string]int{}}
		for _, e := range d.log[:at] {
			f.log = append(f.log, e)
			f.state.Fold(e)
			if failed, ok := e.Data.(events.CallFailed); ok {
				f.failed[failed.Call]++
			}
		}
		opened, _ := d.log[at].Data.(events.CallOpened)
		p.mended = true
		f.do(workflows.Fork{From: "s1", Event: d.log[at].ID, N: 1, Hash: "h", Call: opened.Call})
		f.run(f.over)
		if got := f.state.Runs["r1"].Status; got != workflows.Completed && !slices.Contains(f.statuses(), "failed") {
			t.Fatalf("the fork is %s: %v", got, f.statuses())
		}
	})
}
