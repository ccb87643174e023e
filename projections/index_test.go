package projections

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

func saved(t testing.TB, x *Index) string {
	t.Helper()
	var b bytes.Buffer
	if err := x.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// openLine is an index's open work in one line a commit, for tables.
func openLine(x *Index) string {
	var parts []string
	for _, c := range x.Queued() {
		parts = append(parts, fmt.Sprintf("queued %s on %s @%d", c.Call, c.Queue, c.Sequence))
	}
	for _, c := range x.Held() {
		parts = append(parts, fmt.Sprintf("held %s/%d by %s baton %d @%d", c.Call, c.Attempt, c.Worker, c.Baton, c.Sequence))
	}
	for _, timer := range x.Timers() {
		parts = append(parts, fmt.Sprintf("timer %s at %s", timer.Timer, timer.At.Format("05.0")))
	}
	for _, a := range x.Approvals() {
		parts = append(parts, fmt.Sprintf("asked %s since %s until %s", a.Approval, a.Since.Format("15:04:05"), a.Expires.Format("15:04:05")))
	}
	for _, r := range x.Runs() {
		parts = append(parts, r.Status)
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "r-01kb5/", "")
}

func TestOpenWorkOfARun(t *testing.T) {
	t.Parallel()
	want := []string{
		"queued bppv on default @1; queued 搜索 on default @1; running",
		"held bppv/1 by p2.0 baton 8 @2; held 搜索/1 by p1.0 baton 7 @2; running",
		"held bppv/1 by p2.0 baton 8 @2; timer t1 at 03.1; running",
		"queued 搜索 on default @4; held bppv/1 by p2.0 baton 8 @2; running",
		"held bppv/1 by p2.0 baton 8 @2; held 搜索/2 by p1.1 baton 9 @5; running",
		"held 搜索/2 by p1.1 baton 9 @5; held bppv/2 by p1.0 baton 8 @6; running",
		"held bppv/2 by p1.0 baton 8 @6; running",
		"held join/1 by p1.0 baton 8 @8; running",
		"completed",
	}
	x := new(Index)
	for i, c := range runStory(t).commit {
		x.Fold(c.sequence, c.frame)
		if got := openLine(x); got != want[i] {
			t.Errorf("after commit %d:\n got %s\nwant %s", i+1, got, want[i])
		}
	}
	if len(x.open) != 0 {
		t.Errorf("ended work is kept: %v", x.open)
	}
}

func TestRowsOfASession(t *testing.T) {
	t.Parallel()
	x := into(byHandStory(t), new(Index))
	got, err := x.FindSession(sessionA)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	want := SessionRow{
		ID: sessionA, Goal: "调研转公众号文章并配图", Mode: "auto", Status: "ended", Workspace: "/home/ann/notes", StartedAt: start,
		UpdatedAt: start.Add(114250 * time.Millisecond), Skill: "wechat-publisher", Calls: 2, First: 1, Sequence: 12,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

func TestRunWaits(t *testing.T) {
	t.Parallel()
	const run = "r-1"
	call := func(c events.CallOpened) events.CallOpened { c.Call, c.Run, c.Step = run+"/a", run, "a"; return c }
	wait := func(how string) events.CallOpened { return call(events.CallOpened{Execute: []byte(how)}) }
	job, ask := call(events.CallOpened{Queue: "default"}), events.ApprovalAsked{Approval: "p", Run: run, Call: run + "/a"}
	claim := call(events.CallOpened{Queue: "review", Execute: []byte(`{"claim":{}}`)})
	failed := events.CallFailed{Call: run + "/a", Attempt: 1, Failure: events.Failure{Class: "retryable"}}
	backoff := events.TimerSet{Timer: "t", Kind: "backoff", At: "2026-11-30T12:00:09Z", Run: run, Call: run + "/a"}
	for name, tc := range map[string]struct {
		facts []events.Data
		want  string
	}{
		"queued":                {[]events.Data{call(events.CallOpened{Queue: "default"})}, "running"},
		"asked":                 {[]events.Data{job, ask}, "waiting"},
		"asked, a timer":        {[]events.Data{job, ask, events.TimerSet{Timer: "x", Kind: "expiry", Call: run + "/a"}}, "waiting"},
		"agreed":                {[]events.Data{job, ask, events.ApprovalAnswered{Approval: "p", Yes: true}}, "running"},
		"approval":              {[]events.Data{wait(`{"approve":{}}`), events.CallStarted{Call: run + "/a", Attempt: 1}, ask}, "waiting"},
		"wait":                  {[]events.Data{wait(`{"wait":{"for":"1s"}}`), events.CallStarted{Call: run + "/a", Attempt: 1}}, "waiting"},
		"queued by hand":        {[]events.Data{call(events.CallOpened{Queue: "skills"})}, "waiting"},
		"to be claimed":         {[]events.Data{claim}, "waiting"},
		"claimed":               {[]events.Data{claim, events.CallStarted{Call: run + "/a", Attempt: 1, Worker: "ann"}}, "running"},
		"backoff":               {[]events.Data{call(events.CallOpened{Queue: "default"}), failed, backoff}, "waiting"},
		"failed, tried at once": {[]events.Data{call(events.CallOpened{Queue: "default"}), failed}, "running"},
		"backoff over":          {[]events.Data{call(events.CallOpened{Queue: "default"}), failed, backoff, events.TimerFired{Timer: "t"}}, "running"},
		"set aside":             {[]events.Data{call(events.CallOpened{Queue: "default"}), events.CallSuspended{Call: run + "/a"}}, "waiting"},
		"nothing open":          {nil, "waiting"},
		"failed":                {[]events.Data{events.RunFailed{Run: run}}, "failed"},
		"resumed": {[]events.Data{call(events.CallOpened{Queue: "default"}), events.RunFailed{Run: run}, events.RunResumed{Run: run}},
			"running"},
	} {
		s := newStory(t).add(sessionA, append([]events.Data{events.SessionStarted{Goal: "g"}, events.RunStarted{Run: run}}, tc.facts...)...)
		row, err := into(s, new(Index)).FindRun(run, "", false)
		if err != nil || row.Status != tc.want {
			t.Errorf("%s: run is %s (%v), want %s", name, row.Status, err, tc.want)
		}
		view, _ := into(s, new(Trace)).Run(run)
		if view.Status != tc.want {
			t.Errorf("%s: trace says the run is %s, want %s", name, view.Status, tc.want)
		}
	}
}

func TestAFailedRunsQueueIsNotDueUntilItIsResumed(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{}, events.RunStarted{Run: "r-1"},
		events.CallOpened{Call: "r-1/a", Run: "r-1", Step: "a", Queue: "default"}, events.RunFailed{Run: "r-1"})
	x := into(s, new(Index))
	if got := openLine(x); got != "failed" {
		t.Errorf("open work of a failed run: %s", got)
	}
	if got := openLine(into(s.add(sessionA, events.RunResumed{Run: "r-1"}), new(Index))); got != "queued a on default @1; running" && got != "queued r-1/a on default @1; running" {
		t.Errorf("open work after resume: %s", got)
	}
	if got := openLine(into(s.add(sessionA, events.RunCancelled{Run: "r-1"}), new(Index))); got != "cancelled" {
		t.Errorf("open work after cancel: %s", got)
	}
}

func TestSkillsAreNoSession(t *testing.T) {
	t.Parallel()
	x := into(newStory(t).add("skills", events.SkillsScanned{Index: "d1", Count: 5}).add("limit-gpu", events.SessionStarted{}), new(Index))
	if diff := cmp.Diff(SkillsRow{"d1", 5, 1}, x.Skills()); diff != "" || len(x.Sessions()) != 0 || x.Sequence() != 2 {
		t.Errorf("skills differ (-want +got):\n%s\nsessions %v", diff, x.Sessions())
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	for i, id := range []string{sessionA, sessionB} {
		s.add(id, events.SessionStarted{Workspace: "/w"}, events.RunStarted{Run: fmt.Sprintf("r-0%d", i), Name: "n"})
	}
	x := into(s, new(Index))
	for prefix, want := range map[string]string{sessionA: sessionA, strings.ToUpper(sessionB): sessionB, "@last": sessionB} {
		if got, err := x.FindSession(prefix); err != nil || got.ID != want {
			t.Errorf("FindSession(%s) = %s, %v; want %s", prefix, got.ID, err, want)
		}
	}
	for prefix, want := range map[string]string{"r-00": "r-00", "@last": "r-01"} {
		if got, err := x.FindRun(prefix, "", false); err != nil || got.ID != want {
			t.Errorf("FindRun(%s) = %s, %v; want %s", prefix, got.ID, err, want)
		}
	}
	for prefix, want := range map[string]error{"": ErrUnknown, "zz": ErrUnknown, "r-0": ErrAmbiguous} {
		if _, err := x.FindRun(prefix, "", false); !errors.Is(err, want) {
			t.Errorf("FindRun(%q): %v, want %v", prefix, err, want)
		}
	}
	if _, err := x.FindRun("r-0", "", false); !strings.Contains(err.Error(), "r-01, r-00") {
		t.Errorf("ambiguity does not list: %v", err)
	}
	if _, err := new(Index).FindSession("@last"); !errors.Is(err, ErrUnknown) {
		t.Errorf("@last of nothing: %v", err)
	}
}

func TestLastSessionOfAWorkspace(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{Workspace: "/w"}).add(sessionB, events.SessionStarted{Workspace: "/w"})
	if got, ok := into(s, new(Index)).Last("/w"); !ok || got.ID != sessionB {
		t.Errorf("last of two active: %s", got.ID)
	}
	s.add(sessionB, events.SessionEnded{})
	if got, _ := into(s, new(Index)).Last("/w"); got.ID != sessionA {
		t.Errorf("last active: %s", got.ID)
	}
	s.add(sessionA, events.SessionEnded{})
	if got, _ := into(s, new(Index)).Last("/w"); got.ID != sessionB {
		t.Errorf("last of two ended: %s", got.ID)
	}
	if _, ok := new(Index).Last("/w"); ok {
		t.Error("an empty index has a last session")
	}
}

func TestLoadRefusesWhatItDidNotWrite(t *testing.T) {
	t.Parallel()
	if _, err := LoadIndex(strings.NewReader(`{"version":99}`)); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	for _, text := range []string{``, `[]`, `{"version":2,"sessions":[null]}`, `{"version":2,"calls":[{}]}`, `{"version":2,"timers":[{}]}`, `{"version":2,"approvals":[{}]}`} {
		if _, err := LoadIndex(strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken for an index", text)
		}
	}
}

func FuzzLoadIndex(f *testing.F) {
	f.Add(saved(f, into(runStory(f), new(Index))))
	f.Add(`{"version":2}`)
	f.Add(`{"version":2,"runs":[{"session":"s"}],"calls":[{"session":"s","run":""}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		x, err := LoadIndex(strings.NewReader(text))
		if err != nil {
			return
		}
		x.Runs()
		x.Queued()
		x.Held()
		x.Approvals()
		var first, second bytes.Buffer
		if x.Save(&first) != nil {
			return
		}
		again, err := LoadIndex(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("cannot load what was saved: %v", err)
		}
		if err := again.Save(&second); err != nil || first.String() != second.String() {
			t.Errorf("saved twice differs:\n%s\n%s", first.String(), second.String())
		}
	})
}
