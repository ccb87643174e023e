package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Generators are made anew for each test: rapid gives one its name when it is first used, and parallel
// tests that shared it would race for that.

func anyHost() *rapid.Generator[Host] {
	return rapid.Custom(func(t *rapid.T) Host {
		h := Host{MaxParallel: rapid.IntRange(0, 8).Draw(t, "parallel")}
		names := []string{"web_search", "brave", "web_fetch", "curl", "opencli", "browser", "playwright", "calculator"}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, len(names), rapid.ID).Draw(t, "tools") {
			h.Tools = append(h.Tools, anyTool(t, name))
		}
		if rapid.Bool().Draw(t, "entries") {
			h.Fallbacks = []Fallback{
				{ID: "bad", URLTemplate: "http://{query}.example/", OfficialDomains: []string{"a.example"}},
				{ID: "good", URLTemplate: "https://a.example/{query}", OfficialDomains: []string{"a.example"}},
			}
		}
		return h
	})
}

func anyTarget() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"https://a.example/", "https://b.example/", "https://B.example/#x", "https://c.example/", "https://d.example/", "https://e.example/", "http://10.0.0.1/", "ftp://f.example/"})
}

func anyAction() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"download", "post", "pay", "private_read", "login", "unheard_of"})
}

func anyRequest() *rapid.Generator[Request] {
	return rapid.Custom(func(t *rapid.T) Request {
		tool := rapid.SliceOfN(rapid.SampledFrom([]string{"web_search", "web_fetch", "BROWSER", "opencli", "browser", "curl"}), 0, 2)
		yes := rapid.IntRange(0, 5)
		return Request{
			Query: "q", URLs: rapid.SliceOfN(anyTarget(), 0, 8).Draw(t, "urls"), Site: rapid.SampledFrom([]string{"", "s"}).Draw(t, "site"), Operation: "o",
			Need:        Need{JS: yes.Draw(t, "js") == 0, Login: yes.Draw(t, "login") == 0, Fresh: yes.Draw(t, "fresh") == 0},
			SideEffects: rapid.SliceOfN(anyAction(), 0, 2).Draw(t, "effects"), Granted: rapid.SliceOfN(anyAction(), 0, 6).Draw(t, "granted"),
			Prefer: tool.Draw(t, "prefer"), Forbid: tool.Draw(t, "forbid"), Enough: rapid.IntRange(0, 4).Draw(t, "enough"),
		}
	})
}

func anyOutcome() *rapid.Generator[Outcome] {
	return rapid.Custom(func(t *rapid.T) Outcome {
		results := []string{OK, OK, OK, OK, "no such code"}
		for _, c := range Codes() {
			results = append(results, string(c))
		}
		o := Outcome{Result: rapid.SampledFrom(results).Draw(t, "result"), URLs: rapid.SliceOfN(anyTarget(), 0, 5).Draw(t, "found")}
		o.Skeleton = rapid.IntRange(0, 9).Draw(t, "skeleton") == 0
		if rapid.Bool().Draw(t, "hinted") {
			wait := float64(rapid.IntRange(0, 60).Draw(t, "wait"))
			o.RetryAfter = &wait
		}
		return o
	})
}

func anyTool(t *rapid.T, name string) Tool {
	tool := Tool{Name: name, Scope: rapid.SampledFrom(append(scopes, "")).Draw(t, "scope"), LatencyMS: float64(rapid.IntRange(0, 2).Draw(t, "latency"))}
	if name == "opencli" {
		tool.Supports = rapid.SliceOfN(rapid.SampledFrom([][]string{{"s", "o"}, {"s", "search"}}), 0, 2).Draw(t, "supports")
	}
	return tool
}

// watch drives a task with calls side by side, lets them end in any order, and holds each call
// against what must never happen.
type watch struct {
	task    *Task
	request Request
	host    Host
	flying  []Call
	tries   map[string]int // calls of a tool for a target
	calls   int
}

func (w *watch) start(t *rapid.T) {
	for {
		c, ok := w.task.Next()
		if !ok {
			return
		}
		w.calls++
		w.flying = append(w.flying, c)
		w.tries[c.Tool+" "+c.Target]++
		w.check(t, c)
	}
}

func (w *watch) check(t *rapid.T, c Call) {
	if w.request.forbids(c.Tool) || !slices.ContainsFunc(w.host.Tools, func(tool Tool) bool { return tool.Name == c.Tool }) {
		t.Fatalf("%s is forbidden or not there", c.Tool)
	}
	if n := w.tries[c.Tool+" "+c.Target]; n > 2 {
		t.Fatalf("%s is called for %s the %dth time", c.Tool, c.Target, n)
	}
	if limit := min(maxParallel, max(1, w.host.MaxParallel)); len(w.flying) > limit {
		t.Fatalf("%d calls are in flight, at most %d", len(w.flying), limit)
	}
	if c.Capability == Discover || c.Target == "q" {
		return
	}
	if needed := w.request.needed(); len(needed) > 0 || w.request.Need.Login {
		if len(w.flying) > 1 {
			t.Fatalf("what is done in somebody's name runs beside something: %+v", w.flying)
		}
	}
	if w.request.writes() && w.touched(c.Target) > 1 {
		t.Fatalf("a write on %s is done again", c.Target)
	}
}

// touched counts the calls for a target.
func (w *watch) touched(target string) int {
	n := 0
	for _, tool := range w.host.Tools {
		n += w.tries[tool.Name+" "+target]
	}
	return n
}

func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	a := adapters(t)
	rapid.Check(t, func(t *rapid.T) {
		r, h := anyRequest().Draw(t, "request"), anyHost().Draw(t, "host")
		w := &watch{task: New(r, h, a), request: r, host: h, tries: map[string]int{}}
		w.start(t)
		for len(w.flying) > 0 {
			if w.calls > 2*len(h.Tools)*(len(r.URLs)+8) {
				t.Fatalf("%d calls: it does not end", w.calls)
			}
			at := rapid.IntRange(0, len(w.flying)-1).Draw(t, "which")
			c := w.flying[at]
			w.flying = slices.Delete(w.flying, at, at+1)
			if err := w.task.Settle(c.ID, anyOutcome().Draw(t, "outcome")); err != nil {
				t.Fatal(err)
			}
			if err := w.task.Settle(c.ID, Outcome{Result: OK}); err != ErrCall {
				t.Fatalf("a second outcome of call %d is taken", c.ID)
			}
			w.start(t)
		}
		w.checkEnd(t)
	})
}

func (w *watch) checkEnd(t *rapid.T) {
	f := w.task.Final()
	if f == nil {
		t.Fatal("nothing is in flight, and there is no end")
	}
	count := map[string]int{}
	for _, e := range w.task.Trace() {
		count[e.Event]++
		if e.Event == "confirmation_used" {
			count["used "+e.Action]++
		}
	}
	if count["call"] != w.calls {
		t.Fatalf("%d calls are in the trace, %d were made", count["call"], w.calls)
	}
	for _, action := range w.request.needed() {
		given := 0
		for _, g := range w.request.Granted {
			given += truth(g == action)
		}
		if used := count["used "+action]; used > given {
			t.Fatalf("%s was confirmed %d times and done %d times", action, given, used)
		}
	}
	waits := f.Status == NeedsUser || f.Status == NeedsConfirmation
	found := f.Status == Completed || f.Status == Partial && f.Reason == ""
	if waits != (f.ResumeAt != nil) || found != (len(f.Sources) > 0) || found == (f.Reason != "") {
		t.Fatalf("an end that contradicts itself: %+v", f)
	}
	if f.Status == Completed && len(f.Limitations) > 0 || f.Status == Partial && found && len(f.Limitations) == 0 {
		t.Fatalf("%s with the limits %v", f.Status, f.Limitations)
	}
	if e := w.request.Enough; e > 0 && len(f.Sources) > e {
		t.Fatalf("%d sources, %d are enough", len(f.Sources), e)
	}
}

func TestARehearsalIsTheSameTwice(t *testing.T) {
	t.Parallel()
	a := adapters(t)
	rapid.Check(t, func(t *rapid.T) {
		c := Case{anyRequest().Draw(t, "request"), anyHost().Draw(t, "host"), rapid.SliceOfN(anyOutcome(), 0, 12).Draw(t, "outcomes")}
		before := fmt.Sprintf("%+v", c)
		first, err := json.Marshal(Rehearse(c, a))
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(c.Host.Tools) // the order in which a host lists its tools decides nothing
		second, err := json.Marshal(Rehearse(c, a))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(first), string(second)); diff != "" {
			t.Fatalf("the second differs:\n%s", diff)
		}
		slices.Reverse(c.Host.Tools)
		if after := fmt.Sprintf("%+v", c); after != before {
			t.Fatalf("the case was changed from %s to %s", before, after)
		}
	})
}

// FuzzReadCase: what the decoder lets through can be gone through to an end.
func FuzzReadCase(f *testing.F) {
	var all stories
	load(f, "tasks.json", &all)
	for _, s := range all.Cases {
		raw, err := json.Marshal(map[string]any{"request": s.Request, "host": all.Hosts["usual"], "outcomes": s.Outcomes})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	a := adapters(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := ReadCase(raw)
		if err != nil {
			return
		}
		if r := Rehearse(c, a); r.Final.Status == "" {
			t.Fatalf("%s: no end: %+v", raw, r)
		}
	})
}
