package workflows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// errandDocument is what a task on the web goes by, with a search and a browser beside the built-in fetch.
func errandDocument(t fataler, r web.Request) string {
	raw, err := events.Marshal(workflows.ErrandDocument{Request: r, Adapters: string(web.AdaptersFile()), Tools: web.Tools{Tools: []web.Configured{
		tool("web_search", web.Discover), tool("browser", web.Interact),
	}}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(raw)
}

func tool(name string, c web.Capability) web.Configured {
	var t web.Configured
	t.Name, t.Capability, t.Exec = name, c, []any{name, "{target}"}
	return t
}

func (l *log) errand() workflows.ErrandView {
	got, err := l.state.Routed("r1", plainWorld{})
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	v, ok := got.(workflows.ErrandView)
	if !ok {
		l.t.Fatalf("a task on the web is shown as %T", got)
	}
	return v
}

// fail ends a call with a failure of this code.
func (l *log) fail(call *sessions.Call, f events.Failure) {
	l.now = l.now.Add(time.Second)
	l.commit(events.CallStarted{Call: call.ID(), Attempt: call.Attempt + 1, Worker: "p." + call.Step})
	l.commit(events.CallFailed{Call: call.ID(), Attempt: call.Attempt, Failure: f, Final: true})
}

func (l *log) close(call *sessions.Call, value string) {
	l.commit(events.CallStarted{Call: call.ID(), Attempt: call.Attempt + 1, Worker: "p." + call.Step})
	l.commit(ends(call, value)["ok"])
}

// fire lets every timer ring.
func (l *log) fire() {
	for _, timer := range l.state.Timers {
		if timer.Kind == "backoff" {
			l.now = timer.At
			l.commit(events.TimerFired{Timer: timer.ID})
		}
	}
}

func TestARetryWaitsForItsTime(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.start("web", errandDocument(t, web.Request{URLs: []string{"https://a.example/"}}))
	l.fail(l.ready()[0], events.Failure{Code: "rate_limited", Status: 429, RetryAfter: 20})
	if n := len(l.ready()); n != 0 || len(l.state.Timers) != 1 {
		t.Fatalf("%d calls are ready, %d timers are set", n, len(l.state.Timers))
	}
	began := l.now
	l.fire()
	if waited := l.now.Sub(began); waited != 20*time.Second || len(l.ready()) != 1 {
		t.Fatalf("ready after %s", waited)
	}
	l.close(l.ready()[0], `{"text":"here"}`)
	if v := l.errand(); v.Final.Status != web.Completed || l.state.Runs["r1"].Status != workflows.Completed {
		t.Errorf("%+v", v.Final)
	}
}

// TestAWriteWhoseWorkerIsGoneIsLeft: nobody knows whether it happened, so nobody does it again.
func TestAWriteWhoseWorkerIsGoneIsLeft(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.start("web", errandDocument(t, web.Request{URLs: []string{"https://a.example/"}, Need: web.Need{Actions: true}, SideEffects: []string{"post"}}))
	if len(l.ready()) != 0 {
		t.Fatal("something is done before it was confirmed")
	}
	l.approve(true)
	call := l.ready()[0]
	l.commit(events.CallStarted{Call: call.ID(), Attempt: 1, Worker: "p.1"})
	l.commit(sessions.Lose(call, "gone"))
	if v := l.errand(); v.Final == nil || v.Final.Reason != "write_outcome_unknown" || len(l.ready()) != 0 {
		t.Errorf("%+v, %d calls are ready", v.Final, len(l.ready()))
	}
}

// approve answers the question that is open.
func (l *log) approve(yes bool) {
	for _, id := range l.state.ApprovalOrder {
		if a := l.state.Approvals[id]; a.Answer == nil {
			l.commit(events.ApprovalAnswered{Approval: id, Yes: yes, By: "ada"})
		}
	}
}

// TestSilenceIsANo: a question is open for ten minutes.
func TestSilenceIsANo(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.start("web", errandDocument(t, web.Request{URLs: []string{"https://a.example/"}, SideEffects: []string{"pay"}}))
	if len(l.state.Timers) != 1 {
		t.Fatalf("%d timers are set", len(l.state.Timers))
	}
	for id, timer := range l.state.Timers {
		if wait := timer.At.Sub(l.now); wait != 10*time.Minute {
			t.Errorf("it expires after %s", wait)
		}
		l.commit(events.TimerFired{Timer: id})
	}
	if r := l.state.Runs["r1"]; r.Status != workflows.Failed || !strings.HasPrefix(r.Reason, "needs_confirmation") {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
}

func TestNothingIsGrantedInAdvance(t *testing.T) {
	t.Parallel()
	c := workflows.Start{Run: "r1", Router: "web", Text: errandDocument(t, web.Request{Query: "q", Granted: []string{"post"}})}
	l := newLog(t)
	l.commit(events.SessionStarted{Goal: "g", Workspace: "/w"})
	if _, err := c.Decide(l.state, plainWorld{}); err == nil {
		t.Error("an action is confirmed before it is about to be done")
	}
}

// TestErrandsOnTheLog: whatever tools and people say, a task ends or waits for a person, at most three
// calls run side by side, what changes something is done once for each yes, and the same events give the
// same task.
func TestErrandsOnTheLog(t *testing.T) {
	t.Parallel()
	codes := []string{"timeout", "captcha", "login_required", "paywall", "rate_limited", "http_5xx", "empty_shell", "not_found", "tool_missing", "cancelled", "x"}
	rapid.Check(t, func(t *rapid.T) {
		r := web.Request{Query: "q", Forbid: rapid.SampledFrom([][]string{nil, {"browser"}, {"web_search"}}).Draw(t, "forbid")}
		for n := range rapid.IntRange(0, 5).Draw(t, "urls") {
			r.URLs = append(r.URLs, fmt.Sprintf("https://%c.example/", 'a'+n))
		}
		r.SideEffects = rapid.SampledFrom([][]string{nil, nil, {"post"}, {"post", "pay"}}).Draw(t, "effects")
		l := newLog(t)
		l.start("web", errandDocument(t, r))
		yes, acted := 0, 0
		for turns := 0; !l.state.Runs["r1"].Over(); turns++ {
			ready := l.ready()
			switch {
			case turns > 200:
				t.Fatalf("it does not end: %+v", l.errand())
			case len(ready) > 3:
				t.Fatalf("%d calls are ready at once", len(ready))
			case len(ready) == 0 && l.errand().Waits != nil:
				answer := rapid.IntRange(0, 3).Draw(t, "answer") > 0
				if yes++; !answer {
					yes--
				}
				l.approve(answer)
			case len(ready) == 0:
				l.fire()
			default:
				call := ready[rapid.IntRange(0, len(ready)-1).Draw(t, "which")]
				if len(r.SideEffects) > 0 && !strings.HasPrefix(call.Step, "web_search") {
					acted++
				}
				if code := rapid.SampledFrom(append(codes, "", "", "")).Draw(t, "code"); code != "" {
					l.fail(call, events.Failure{Code: code, RetryAfter: float64(rapid.IntRange(0, 40).Draw(t, "after"))})
				} else {
					l.close(call, rapid.SampledFrom([]string{`null`, `"text"`, `["https://x.example/","http://10.0.0.1/"]`}).Draw(t, "value"))
				}
			}
		}
		for _, name := range r.Forbid {
			for _, c := range l.errand().Calls {
				if c.Tool == name {
					t.Fatalf("%s is forbidden and called", name)
				}
			}
		}
		if n := len(r.SideEffects); n > 0 && acted*n > yes {
			t.Fatalf("%d times something is done, %d times somebody agreed to one of %d actions", acted, yes, n)
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
