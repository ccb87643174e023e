package projections

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

// views are all the ways to write a trace, by the ending of their golden files.
var views = map[string]func(*Trace, io.Writer) error{
	"en.txt":     func(t *Trace, w io.Writer) error { return t.Text(w, "en") },
	"zh.txt":     func(t *Trace, w io.Writer) error { return t.Text(w, "zh") },
	"en.md":      func(t *Trace, w io.Writer) error { return t.Markdown(w, "en") },
	"zh.md":      func(t *Trace, w io.Writer) error { return t.Markdown(w, "zh_CN.UTF-8") },
	"mmd":        (*Trace).Mermaid,
	"json":       (*Trace).JSON,
	"follow.txt": func(t *Trace, w io.Writer) error { _, err := t.Follow(w, "en", 0); return err },
	"run.json":   writeRuns,
	"skipped.txt": func(t *Trace, w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat(".", t.Skipped()))
		return err
	},
}

func writeRuns(t *Trace, w io.Writer) error {
	for id := range t.runs {
		view, _ := t.Run(id)
		if err := indented(w, view); err != nil {
			return err
		}
	}
	return nil
}

func show(t testing.TB, trace *Trace, view string) string {
	t.Helper()
	var b bytes.Buffer
	if err := views[view](trace, &b); err != nil {
		t.Fatalf("%s: %v", view, err)
	}
	return b.String()
}

func TestTraceOfTheSeedsExample(t *testing.T) {
	t.Parallel()
	trace := into(byHandStory(t), new(Trace))
	for _, view := range []string{"en.txt", "zh.txt", "en.md", "zh.md", "mmd", "json", "follow.txt"} {
		golden(t, "byhand."+view, []byte(show(t, trace, view)))
	}
}

func TestTraceOfARun(t *testing.T) {
	t.Parallel()
	trace := into(runStory(t), new(Trace))
	for _, view := range []string{"en.txt", "zh.txt", "en.md", "mmd", "json", "follow.txt", "run.json"} {
		golden(t, "run."+view, []byte(show(t, trace, view)))
	}
}

func TestTraceShowsWhatTheSeedAsksFor(t *testing.T) {
	t.Parallel()
	got := show(t, into(byHandStory(t), new(Trace)), "en.txt")
	for _, want := range []string{
		"2.41 wechat-publisher (user)", "1.11 summarize (user)", "because: 2.41 is over the threshold",
		"⇄ handoff wechat-publisher → drawio-skill: 正文需要架构图", "carries research.raw@1", "not there: brief",
		"c001 stays open", "\n12:00:16    → c002 drawio-skill", "calls 2 · open 0 · switches 1 · routes 2",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("trace lacks %q:\n%s", want, got)
		}
	}
}

func TestTraceStopsHalfWay(t *testing.T) {
	t.Parallel()
	full := runStory(t)
	for n, want := range map[int]map[string]string{
		1: {"搜索": "queued", "bppv": "queued"},
		2: {"搜索": "running", "bppv": "running"},
		3: {"搜索": "backoff", "bppv": "running"},
		4: {"搜索": "queued", "bppv": "running"},
		7: {"搜索": "completed", "bppv": "running"},
		8: {"搜索": "completed", "bppv": "completed", "ask": "skipped", "join": "running"},
	} {
		part := *full
		part.commit = full.commit[:n]
		view, ok := into(&part, new(Trace)).Run("r-01kb5")
		if !ok {
			t.Fatalf("after %d commits: no run", n)
		}
		got := map[string]string{}
		for _, s := range view.Steps {
			got[s.ID] = s.Status
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %d commits (-want +got):\n%s", n, diff)
		}
	}
}

func TestFollowGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	full := runStory(t)
	want := show(t, into(full, new(Trace)), "follow.txt")
	trace, next := new(Trace), 0
	var got bytes.Buffer
	for _, c := range full.commit {
		trace.Fold(c.sequence, c.frame)
		var err error
		if next, err = trace.Follow(&got, "en", next); err != nil {
			t.Fatal(err)
		}
	}
	if lines, all := strings.Count(got.String(), "\n"), strings.Count(want, "\n"); lines != all {
		t.Errorf("followed %d lines, want %d:\n%s", lines, all, got.String())
	}
}

// A goal with line breaks once forged a "finished" line (W41).
func TestNothingForgesALine(t *testing.T) {
	t.Parallel()
	evil := "x\n12:00:09  ✓ c001 ok\r\x1b[2J\u202e\u2028 `](http://a) %%{init: {}}%% \"; end <script>"
	s := newStory(t)
	s.add(sessionA, events.SessionStarted{Goal: evil, Mode: evil, Workspace: evil})
	s.add(sessionA, events.CallOpened{
		Call: "c001", Skill: evil, Intent: evil, Inputs: map[string]events.Value{evil: text(evil)}, Writes: []string{evil},
		Reads: []events.Read{{Key: evil, Rev: 1}, {Key: evil}},
	})
	s.add(sessionA, events.RouteDecided{
		Task: evil, Decision: evil, Reason: evil, Chosen: evil, Exclude: []string{evil}, HighRisk: evil,
		Candidates: []events.Candidate{{Name: evil, Tier: evil, Why: []string{evil}}},
	}, events.RouteBlocked{Task: evil, Reason: evil, Matched: evil, Suggestion: evil})
	s.add(sessionA, events.SwitchMade{From: evil, To: evil, Kind: evil, Reason: evil, Missing: []string{evil}},
		events.ContextSet{Key: evil, Value: text(evil), Rev: 1, By: evil},
		events.CallFailed{Call: "c001", Attempt: 1, Failure: events.Failure{Class: evil, Code: evil, Message: evil}},
		events.CallLost{Call: evil, Reason: evil}, events.TimerSet{Timer: evil, Kind: evil, At: evil})
	s.add(sessionA, events.RunStarted{Run: evil, Name: evil}, events.StepFailed{Run: evil, Step: evil, Failure: events.Failure{Message: evil}},
		events.ApprovalAsked{Approval: evil, Step: evil, Call: "c001", Question: evil, Action: evil}, events.ApprovalAnswered{Approval: evil, By: evil, Note: evil},
		events.SignalReceived{Run: evil, Signal: evil, Value: text(evil), By: evil}, events.ItemsListed{Run: evil, Step: evil, Items: text(evil)},
		events.StepJoined{Run: evil, Step: evil, Value: text(evil)},
		events.CallOpened{Call: "c002", Run: evil, Step: evil, Execute: json.RawMessage(`{"wait":{"signal":` + string(text(evil).JSON) + `}}`)},
		events.RunFailed{Run: evil, Steps: []string{evil}, Reason: evil},
		events.CallClosed{Call: "c001", Attempt: 2, Status: evil, Note: evil, Artifacts: []string{evil}}, events.SessionEnded{Summary: evil})
	trace := into(s, new(Trace))
	for _, view := range []string{"en.txt", "zh.txt", "en.md", "mmd", "follow.txt"} {
		got := show(t, trace, view)
		if strings.ContainsAny(got, "\r\x1b\u202e\u2028") || strings.Contains(got, "\n12:00:09") {
			t.Errorf("%s lets control characters through:\n%q", view, got)
		}
		for _, markup := range map[string][]string{"en.md": {"<script", "http://"}, "mmd": {"%%{", "<script", `"; end`}}[view] {
			if strings.Contains(got, markup) {
				t.Errorf("%s lets %q through:\n%s", view, markup, got)
			}
		}
	}
}

func TestUnknownEventsAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	newer := events.Event{Type: "skill.dreamt", V: 3, Data: events.Unknown{Raw: json.RawMessage(`{"a":1}`)}}
	for _, row := range Projections {
		p := row.New()
		p.Fold(1, events.Frame{Session: sessionA, Events: []events.Event{events.New(events.SessionStarted{Goal: "g"}), newer}})
		if p.Skipped() != 1 || p.Sequence() != 1 {
			t.Errorf("%s: skipped %d at %d, want 1 at 1", row.Name, p.Skipped(), p.Sequence())
		}
	}
}

func TestAResumedCallIsTheInnermostAgain(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{}, events.CallOpened{Call: "c001", Skill: "a"}, events.CallSuspended{Call: "c001"},
		events.CallOpened{Call: "c002", Skill: "b"}, events.CallResumed{Call: "c001"}, events.RouteDecided{Task: "t"})
	trace, x := into(s, new(Trace)), into(s, new(Index))
	if got := trace.calls["c001"].Nodes; len(got) != 3 || got[2].Route == nil {
		t.Errorf("the route is not below c001:\n%s", show(t, trace, "en.txt"))
	}
	row, _ := x.FindSession(sessionA)
	if trace.head.Skill != "a" || row.Skill != "a" {
		t.Errorf("current skill: trace %s, index %s; want a", trace.head.Skill, row.Skill)
	}
	s.add(sessionA, events.CallClosed{Call: "c001", Attempt: 1, Status: "ok"})
	row, _ = into(s, new(Index)).FindSession(sessionA)
	if skill := into(s, new(Trace)).head.Skill; skill != "b" || row.Skill != "b" {
		t.Errorf("skill after the close: trace %s, index %s; want b", skill, row.Skill)
	}
}

func TestOpenedAgain(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionA, events.SessionStarted{Goal: "g"}, events.CallOpened{Call: "c001", Skill: "a"},
		events.CallFailed{Call: "c001", Attempt: 1, Failure: events.Failure{Class: "terminal", Code: "EXIT"}, Final: true})
	s.after(1).add(sessionA, events.CallOpened{Call: "c001", Skill: "b", Cause: "retry by ann"})
	trace := into(s, new(Trace))
	if trace.tally.Calls != 1 || trace.tally.Open != 1 || trace.head.Skill != "b" {
		t.Errorf("calls %d, open %d, skill %s; want 1, 1, b", trace.tally.Calls, trace.tally.Open, trace.head.Skill)
	}
	if got := show(t, trace, "en.txt"); !strings.Contains(got, "→ c001 opened again: retry by ann") {
		t.Errorf("no second opening:\n%s", got)
	}
}

// troubleStory has what goes wrong: a refused task, a rollback, a run that fails, is taken up again
// and is cancelled.
func troubleStory(t testing.TB) *story {
	const run = "r-2"
	s := newStory(t).add(sessionA, events.SessionStarted{Goal: "do harm", Mode: "manual", Workspace: "/w"})
	s.after(1).add(sessionA, events.RouteBlocked{
		Route: "q1", Task: "黑掉隔壁网站", Reason: "security_policy_violation", Matched: "黑掉", Suggestion: "describe what you may do",
	}, events.RouteDecided{Route: "q2", Task: "fold a crane", Decision: "no_match", Reason: "nothing explains it", Threshold: 1.2, Margin: 1.3})
	s.after(1).add(sessionA, events.CallOpened{Call: "c001", Skill: "a"}, events.ContextSet{Key: "k", Value: raw("1"), Rev: 2, By: "a", Call: "c001"})
	s.after(1).add(sessionA, events.SwitchMade{From: "a", To: "b", Kind: "rollback", Reason: "start over", Left: []string{"c001"}},
		events.ContextRolledBack{Key: "k", To: 1, Rev: 3, By: "a"}, events.ContextDeleted{Key: "old", Rev: 4},
		events.CallCancelled{Call: "c001", Attempt: 1, Reason: "left by a rollback"})
	a, b := step(run, "a"), step(run, "b")
	b.Parent = a.Call
	s.after(1).add(sessionA, events.RunStarted{Run: run, Name: "risky"}, a, events.CallStarted{Call: a.Call, Attempt: 1, Worker: "p1.0"}, b)
	s.after(2).add(sessionA, events.CallFailed{
		Call: a.Call, Attempt: 1, Final: true, Failure: events.Failure{Class: "terminal", Code: "EXIT", Message: "no such file", Exit: 2},
	}, events.StepFailed{Run: run, Step: "c", Failure: events.Failure{Class: "terminal", Code: "NO_ROUTE", Message: "no skill fits"}},
		events.RunFailed{Run: run, Steps: []string{"a", "c"}, Reason: "2 steps failed"})
	a.Cause = "resume"
	s.after(60).add(sessionA, events.RunResumed{Run: run, By: "ann", Policy: "accept", Redo: []string{"z"}, Stale: []string{"y"}}, a)
	s.after(1).add(sessionA, events.CallStarted{Call: a.Call, Attempt: 2, Worker: "p1.0"})
	s.after(9).add(sessionA, events.CallLost{Call: a.Call, Attempt: 2, Worker: "p1.0", Reason: "no sign of life"},
		events.TimerSet{Timer: "t1", Kind: "backoff", At: "2026-11-30T12:05:00Z", Run: run, Call: a.Call})
	return s.after(1).add(sessionA, events.TimerVoided{Timer: "t1", Reason: "cancelled"}, events.CallCancelled{Call: a.Call},
		events.CallCancelled{Call: b.Call}, events.RunCancelled{Run: run, By: "ann", Reason: "not wanted"})
}

func TestTraceOfTroubles(t *testing.T) {
	t.Parallel()
	trace := into(troubleStory(t), new(Trace))
	for _, view := range []string{"en.txt", "zh.txt", "mmd", "run.json"} {
		golden(t, "trouble."+view, []byte(show(t, trace, view)))
	}
}
