package workflows_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// searchDocument is what a small search goes by.
const searchDocument = `{"plan":{"task_id":"SR-1","task_type":"breaking_news","primary_subject":"bells","selected_sources":[` +
	`{"source":"web","priority":1,"rationale":"r","search_hints":["bells one","bells two"]}],"search_order":["web"],` +
	`"counter_search_enabled":false,"counter_trigger":null,"stop_rule":{"condition":"c","max_rounds":2},` +
	`"budget_allocation":{"total_budget":4,"web":4},"fallback_chain":[` +
	`{"level":1,"source":"tavily_search","trigger_fallback":"quota_exhausted | timeout_30s | empty_results","fallback_to":2},` +
	`{"level":2,"source":"web_search","trigger_fallback":"empty_results","fallback_to":3},` +
	`{"level":3,"source":"local_cache","trigger_fallback":null,"fallback_to":null}],"degradation_log":[],` +
	`"diagnostics":{"warnings":[],"rules":[],"condition_id":"default","counter_skip":null,"active_provider":"tavily_search","plan_status":"ok"}},` +
	`"tools":{"providers":{"tavily_search":{"exec":["t","{query}"]},"web_search":{"http":{"url":"http://127.0.0.1:1/?q={query}"}}}}}`

// fataler is a test, or a part of a property.
type fataler interface{ Fatalf(string, ...any) }

// log is a session's log with its fold: what a committer does, without a store.
type log struct {
	t     fataler
	state *workflows.State
	all   []events.Event
	now   time.Time
}

func newLog(t fataler) *log {
	return &log{t: t, state: workflows.New("s1"), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// commit takes facts in, and all that follows.
func (l *log) commit(facts ...events.Data) {
	for len(facts) > 0 {
		for _, d := range facts {
			e := events.New(d)
			e.ID, e.Time = fmt.Sprintf("e%04d", len(l.all)), l.now
			l.all = append(l.all, e)
			l.state.Fold(e)
		}
		facts = workflows.Follow(l.state, plainWorld{})
		again := workflows.Follow(l.state, plainWorld{})
		if diff := cmp.Diff(facts, again, everything); diff != "" {
			l.t.Fatalf("the second time something else follows:\n%s", diff)
		}
	}
}

func (l *log) start(router, document string) {
	l.commit(events.SessionStarted{Goal: "g", Mode: "auto", Workspace: "/w"})
	facts, err := workflows.Start{Run: "r1", Name: "n", Text: document, Router: router, Workspace: "/w", Folder: "/w"}.Decide(l.state, plainWorld{})
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	l.commit(facts...)
}

// ready are the calls that a worker could claim.
func (l *log) ready() []*sessions.Call {
	var out []*sessions.Call
	for _, id := range l.state.Order {
		if call := l.state.Calls[id]; call.Phase == sessions.Queued {
			out = append(out, call)
		}
	}
	return out
}

// ends is how an attempt may end, as its worker or whoever takes over says it.
func ends(call *sessions.Call, value string) map[string]events.Data {
	failed := func(f events.Failure) events.Data {
		return events.CallFailed{Call: call.ID(), Attempt: call.Attempt, Failure: f, Final: true}
	}
	return map[string]events.Data{
		"ok":      events.CallClosed{Call: call.ID(), Attempt: call.Attempt, Status: "ok", Value: events.Value{JSON: json.RawMessage(value)}},
		"timeout": failed(events.Failure{Class: "timeout", Code: "http_timeout"}),
		"http":    failed(events.Failure{Class: "retryable", Code: "http_status", Status: 503}),
		"quota":   failed(events.Failure{Class: "terminal", Code: "exec_exit", Exit: 1, Tail: "sorry\nquota_exhausted\n"}),
		"lost":    sessions.Lose(call, "gone"),
	}
}

func (l *log) attempt(call *sessions.Call, end, value string) {
	l.now = l.now.Add(time.Second)
	l.commit(events.CallStarted{Call: call.ID(), Attempt: call.Attempt + 1, Worker: "p.1"})
	l.now = l.now.Add(time.Second)
	l.commit(ends(call, value)[end])
}

func (l *log) search() workflows.SearchView {
	got, err := l.state.Routed("r1", plainWorld{})
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	v, ok := got.(workflows.SearchView)
	if !ok {
		l.t.Fatalf("a search is shown as %T", got)
	}
	return v
}

// count counts the events of a kind.
func count[D events.Data](l *log) (n int) {
	for _, e := range l.all {
		if _, ok := e.Data.(D); ok {
			n++
		}
	}
	return n
}

func TestASearchGoesDownItsChain(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.start("source", searchDocument)
	for _, end := range []string{"timeout", "http", "ok", "quota"} {
		ready := l.ready()
		if len(ready) != 1 {
			t.Fatalf("%d calls are ready before %s", len(ready), end)
		}
		l.attempt(ready[0], end, `[{"title":"a"}]`)
	}
	v := l.search()
	if v.Status != source.RoundsSpent || v.Result.Status != source.BudgetSpent || v.AttemptsUsed != 4 || l.state.Runs["r1"].Status != workflows.Completed {
		t.Errorf("ended %s after %d, run %s", v.Status, v.AttemptsUsed, l.state.Runs["r1"].Status)
	}
	var got []string
	for _, d := range v.DegradationLog {
		got = append(got, fmt.Sprintf("%d %s %s %s", d.FromLevel, d.Reason, d.Timestamp, d.QueryAffected))
	}
	want := []string{
		"1 timeout_30s 2026-01-01T00:00:02Z bells one", "2 other:http_503 2026-01-01T00:00:04Z bells one", "1 quota_exhausted 2026-01-01T00:00:08Z bells two",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("downgrades (-want +got):\n%s", diff)
	}
	if n := count[events.SearchDowngraded](l); n != len(want) {
		t.Errorf("%d of %d downgrades are events", n, len(want))
	}
}

// TestAnUnconfiguredProviderCostsNothing: it is passed over, and said to be missing.
func TestAnUnconfiguredProviderCostsNothing(t *testing.T) {
	t.Parallel()
	var d workflows.SearchDocument
	if err := json.Unmarshal([]byte(searchDocument), &d); err != nil {
		t.Fatal(err)
	}
	delete(d.Tools.Providers, "tavily_search")
	raw, err := events.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	l := newLog(t)
	l.start("source", string(raw))
	l.attempt(l.ready()[0], "ok", `"found"`)
	l.attempt(l.ready()[0], "ok", `"found"`)
	v := l.search()
	if v.AttemptsUsed != 2 || len(v.DegradationLog) != 2 || v.DegradationLog[0].Reason != "other:not_configured" || v.Attempts[0].Provider != "web_search" {
		t.Errorf("%+v", v)
	}
	if diff := cmp.Diff([]string{"tavily_search"}, v.Unconfigured); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"found", "found"}, []string{v.Results[0].Text, v.Results[1].Text}); diff != "" {
		t.Error(diff)
	}
}

func TestASearchThatNobodyAnswersFails(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.start("source", searchDocument)
	for len(l.ready()) > 0 {
		l.attempt(l.ready()[0], "http", "")
	}
	if r := l.state.Runs["r1"]; r.Status != workflows.Failed || r.Reason != source.RoundsSpent {
		t.Errorf("ended %s, %s", r.Status, r.Reason)
	}
	if _, err := (workflows.ResumeRun{Run: "r1"}).Decide(l.state, plainWorld{}); err == nil {
		t.Error("a run that a router has ended is resumed")
	}
}

func TestARunNeedsADocumentOfItsRouter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]workflows.Start{
		"no router":     {Router: "nobody", Text: searchDocument},
		"no document":   {Router: "source", Text: "steps: []"},
		"broken plan":   {Router: "source", Text: `{"plan":{"search_order":["web"]},"tools":{}}`},
		"broken tools":  {Router: "source", Text: `{"plan":{},"tools":{"providers":{"a":{}}}}`},
		"unknown field": {Router: "source", Text: `{"plans":{}}`},
	} {
		l := newLog(t)
		l.commit(events.SessionStarted{Goal: "g", Workspace: "/w"})
		c.Run = "r1"
		if _, err := c.Decide(l.state, plainWorld{}); err == nil {
			t.Errorf("%s: it is started", name)
		}
	}
}

// TestAForkMakesWhatWasInFlightAgain: the search goes on there, with what it holds and a call of its own.
func TestAForkMakesWhatWasInFlightAgain(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.start("source", searchDocument)
	l.attempt(l.ready()[0], "ok", `["held"]`)
	flying := l.ready()[0]
	l.commit(events.CallStarted{Call: flying.ID(), Attempt: 1, Worker: "p.1"})
	facts, err := workflows.Fork{From: "s0", Event: "e1", By: "ada"}.Decide(l.state, plainWorld{})
	if err != nil {
		t.Fatal(err)
	}
	l.commit(facts...)
	ready := l.ready()
	if len(ready) != 1 || ready[0].ID() != flying.ID() {
		t.Fatalf("ready are %v, %s was in flight", ready, flying.ID())
	}
	l.attempt(ready[0], "ok", `["found"]`)
	if v := l.search(); !l.state.Runs["r1"].Over() || len(v.Results) != 2 || v.AttemptsUsed != 2 {
		t.Errorf("run %s, %+v", l.state.Runs["r1"].Status, v)
	}
}

// TestSearchesOnTheLog: whatever becomes of the attempts, each costs one of the budget, each that ended
// badly is a step down that is an event, a lost one is never made up for, and the same events give the
// same search.
func TestSearchesOnTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newLog(t)
		l.start("source", searchDocument)
		attempts, failed := 0, 0
		for {
			ready := l.ready()
			if len(ready) == 0 {
				break
			}
			if attempts++; len(ready) > 1 || attempts > 4 {
				t.Fatalf("%d calls at once, the %dth attempt of 4", len(ready), attempts)
			}
			end := rapid.SampledFrom([]string{"ok", "timeout", "http", "quota", "lost"}).Draw(t, "end")
			value := rapid.SampledFrom([]string{`null`, `[]`, `"x"`, `{"error":"gfw_blocked"}`, `{"results":[{"grade":"C"}]}`}).Draw(t, "value")
			if end != "ok" || value == `null` || value == `[]` || value == `{"error":"gfw_blocked"}` {
				failed++
			}
			l.attempt(ready[0], end, value)
		}
		v := l.search()
		if !l.state.Runs["r1"].Over() || v.AttemptsUsed != attempts || len(v.DegradationLog) != failed || count[events.SearchDowngraded](l) != failed {
			t.Fatalf("run %s after %d attempts, %d of them bad: %+v", l.state.Runs["r1"].Status, attempts, failed, v)
		}
		again := workflows.New("s1")
		for _, e := range l.all {
			again.Fold(e)
		}
		if diff := cmp.Diff(l.state, again, everything); diff != "" {
			t.Fatalf("folding again gave another state:\n%s", diff)
		}
	})
}
