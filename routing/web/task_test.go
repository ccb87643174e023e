package web

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// usual is a host with one tool of each capability.
func usual(t *testing.T) Host {
	t.Helper()
	return Host{Tools: adapters(t).Tools, MaxParallel: 8}
}

// next takes the calls that may start now.
func next(task *Task) []Call {
	var out []Call
	for {
		c, ok := task.Next()
		if !ok {
			return out
		}
		out = append(out, c)
	}
}

func settle(t *testing.T, task *Task, c Call, result string) {
	t.Helper()
	if err := task.Settle(c.ID, Outcome{Result: result}); err != nil {
		t.Fatalf("settle %+v: %v", c, err)
	}
}

func targets(calls []Call) (out []string) {
	for _, c := range calls {
		out = append(out, c.Target)
	}
	return out
}

// The order in which calls are over changes when the next begin, not what the trace says.
func TestTheTraceIsOrderedByTarget(t *testing.T) {
	t.Parallel()
	urls := []string{"https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"}
	var traces [][]Event
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		task := New(Request{URLs: urls}, usual(t), adapters(t))
		batch := next(task)
		if diff := cmp.Diff(urls[:3], targets(batch)); diff != "" {
			t.Fatalf("the first batch (-want +got):\n%s", diff)
		}
		for i, at := range order {
			if more := next(task); len(more) > 0 {
				t.Fatalf("%v begin before the batch is over, after %d", targets(more), i)
			}
			settle(t, task, batch[at], []string{OK, "paywall", OK}[at])
		}
		last := next(task)
		if diff := cmp.Diff(urls[3:], targets(last)); diff != "" {
			t.Fatalf("the second batch (-want +got):\n%s", diff)
		}
		settle(t, task, last[0], OK)
		next(task)
		traces = append(traces, task.Trace())
	}
	for _, got := range traces[1:] {
		if diff := cmp.Diff(traces[0], got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Pages that a plain read cannot show are opened in the browser one after the other.
func TestTheBrowserIsSerial(t *testing.T) {
	t.Parallel()
	task := New(Request{URLs: []string{"https://a.example/", "https://b.example/"}}, usual(t), adapters(t))
	for _, c := range next(task) {
		settle(t, task, c, "empty_shell")
	}
	for _, want := range []string{"https://a.example/", "https://b.example/"} {
		calls := next(task)
		if len(calls) != 1 || calls[0].Tool != "browser" || calls[0].Target != want {
			t.Fatalf("got %+v, want the browser at %s alone", calls, want)
		}
		settle(t, task, calls[0], OK)
	}
	if next(task); task.Final() == nil || task.Final().Status != Completed {
		t.Errorf("got %+v", task.Final())
	}
}

func TestAToolThatIsGoneIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	task := New(Request{URLs: []string{"https://a.example/", "https://b.example/"}}, usual(t), adapters(t))
	calls := next(task)
	settle(t, task, calls[0], "timeout") // its retry is due
	settle(t, task, calls[1], "tool_missing")
	for range 2 {
		for _, c := range next(task) {
			if c.Tool != "browser" {
				t.Errorf("got %+v", c)
			}
			settle(t, task, c, OK)
		}
	}
	if next(task); task.Final() == nil || task.Final().Status != Completed {
		t.Errorf("got %+v", task.Final())
	}
}

// One target waits for the user: what is in flight is still heard, nothing new begins, and the task
// goes on from there.
func TestResume(t *testing.T) {
	t.Parallel()
	task := New(Request{URLs: []string{"https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"}}, usual(t), adapters(t))
	if err := task.Resume(); !errors.Is(err, ErrNotWaiting) {
		t.Errorf("resume before the end: %v", err)
	}
	batch := next(task)
	settle(t, task, batch[1], "captcha")
	if more := next(task); len(more) > 0 || task.Final() != nil {
		t.Fatalf("%+v begin, %+v ends it, while calls are in flight", more, task.Final())
	}
	settle(t, task, batch[0], "timeout")
	settle(t, task, batch[2], OK)
	next(task)
	f := task.Final()
	if f == nil || f.Status != NeedsUser || f.ResumeAt == nil || *f.ResumeAt != "https://b.example/" {
		t.Fatalf("got %+v, want needs_user at the second", f)
	}
	if err := task.Resume(); err != nil {
		t.Fatal(err)
	}
	again := next(task)
	if diff := cmp.Diff([]string{"https://a.example/", "https://b.example/"}, targets(again)); diff != "" || again[0].WaitS != 1 {
		t.Fatalf("%+v (-want +got):\n%s", again, diff)
	}
	settle(t, task, again[0], "timeout") // the retry is used up across the pause
	settle(t, task, again[1], OK)
	calls := next(task)
	if len(calls) != 1 || calls[0].Tool != "browser" {
		t.Fatalf("got %+v, want the browser", calls)
	}
	settle(t, task, calls[0], OK)
	settle(t, task, next(task)[0], OK)
	if next(task); task.Final() == nil || len(task.Final().Sources) != 4 {
		t.Errorf("got %+v", task.Final())
	}
}

func TestResumeWithAConfirmation(t *testing.T) {
	t.Parallel()
	task := New(Request{URLs: []string{"https://a.example/"}, Need: Need{Actions: true}, SideEffects: []string{"post"}}, usual(t), adapters(t))
	for _, granted := range [][]string{nil, {"pay"}, {"post"}} {
		if calls := next(task); len(calls) > 0 || task.Final().Status != NeedsConfirmation {
			t.Fatalf("got %+v and %+v before post was confirmed", calls, task.Final())
		}
		if err := task.Resume(granted...); err != nil {
			t.Fatal(err)
		}
	}
	calls := next(task)
	if len(calls) != 1 {
		t.Fatalf("got %+v, want the post", calls)
	}
	settle(t, task, calls[0], OK)
	if next(task); task.Final().Status != Completed {
		t.Errorf("got %+v", task.Final())
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	h := usual(t)
	h.Fallbacks = []Fallback{{ID: "x", URLTemplate: "https://x.example/{query}", OfficialDomains: []string{"x.example"}}}
	for name, c := range map[string]struct {
		request Request
		tool    string
		fits    []string
		ahead   string
		status  Status
	}{
		"a search":              {Request{Query: "q"}, "web_search", []string{fitsSearch}, "", ""},
		"a page":                {Request{URLs: []string{"https://a.example"}}, "web_fetch", []string{fitsPage, fitsAnyPage}, "fit", ""},
		"a preferred tool":      {Request{URLs: []string{"https://a.example"}, Prefer: []string{"browser"}}, "browser", []string{fitsAnyPage, fitsPage}, "preferred", ""},
		"an official entry":     {Request{Query: "q", Forbid: []string{"web_search"}}, "web_fetch", []string{}, "", ""},
		"a question first":      {Request{URLs: []string{"https://a.example"}, SideEffects: []string{"pay"}}, "", []string{fitsPage, fitsAnyPage}, "fit", NeedsConfirmation},
		"an address that fails": {Request{URLs: []string{"nonsense"}}, "", []string{}, "", Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := Open(c.request, h, adapters(t))
			if err != nil {
				t.Fatal(err)
			}
			tool, status, fits := "", Status(""), []string{}
			if o.Call != nil {
				tool = o.Call.Tool
			}
			if o.Final != nil {
				status = o.Final.Status
			}
			for _, candidate := range o.Candidates {
				fits = append(fits, candidate.Why)
			}
			if tool != c.tool || status != c.status {
				t.Errorf("got %q, %q; want %q, %q", tool, status, c.tool, c.status)
			}
			if diff := cmp.Diff(c.fits, fits); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
			if len(o.Candidates) > 1 && o.Candidates[0].Ahead != c.ahead {
				t.Errorf("ahead by %q, want %q", o.Candidates[0].Ahead, c.ahead)
			}
		})
	}
	if _, err := Open(Request{}, h, adapters(t)); !errors.Is(err, ErrInput) {
		t.Errorf("an empty request: %v", err)
	}
}
