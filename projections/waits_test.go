package projections

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

func TestTraceOfWaits(t *testing.T) {
	t.Parallel()
	trace := into(waitStory(t), new(Trace))
	for _, view := range []string{"en.txt", "zh.txt", "en.md", "mmd", "json", "follow.txt", "run.json"} {
		golden(t, "waits."+view, []byte(show(t, trace, view)))
	}
}

func TestTraceOfAList(t *testing.T) {
	t.Parallel()
	trace := into(listStory(t), new(Trace))
	for _, view := range []string{"en.txt", "zh.txt", "en.md", "mmd", "json", "run.json"} {
		golden(t, "list."+view, []byte(show(t, trace, view)))
	}
}

func TestFilesOfWaitsAndLists(t *testing.T) {
	t.Parallel()
	for folder, s := range map[string]*story{"pipeline-waits": waitStory(t), "pipeline-list": listStory(t)} {
		for name, content := range into(s, new(Pipeline)).Files() {
			golden(t, folder+"/"+name, content)
		}
	}
}

func TestOpenWorkOfARunThatWaits(t *testing.T) {
	t.Parallel()
	const nap, review = "held nap/1 by  baton 0 @1; ", "held review/1 by  baton 0 @1; timer nap@wait at 00.0; timer review@expiry at 00.0; " +
		"asked review#1 since 12:00:00 until 12:00:00; waiting"
	want := []string{
		"held built/1 by  baton 0 @1; " + nap + review,
		nap + review,
		nap + review,
		nap + "timer nap@wait at 00.0; timer publish@expiry at 00.0; asked deploy#1 since 12:02:00 until 00:00:00; " +
			"asked publish#1 since 12:02:00 until 13:02:00; waiting",
		nap + "timer nap@wait at 00.0; asked deploy#1 since 12:02:00 until 00:00:00; waiting",
		"queued deploy on default @6; " + nap + "timer nap@wait at 00.0; running",
		nap + "held deploy/1 by p1.0 baton 4 @7; timer nap@wait at 00.0; running",
		nap + "timer nap@wait at 00.0; waiting",
		"held tell/1 by  baton 0 @9; timer tell@expiry at 00.0; asked tell#1 since 12:10:00 until 12:11:00; waiting",
		"waiting",
		"failed",
	}
	x := new(Index)
	for i, c := range waitStory(t).commit {
		x.Fold(c.sequence, c.frame)
		got := strings.ReplaceAll(openLine(x), waitRun+"/", "")
		if got != want[i] {
			t.Errorf("after commit %d:\n got %s\nwant %s", i+1, got, want[i])
		}
	}
	if len(x.open) != 0 {
		t.Errorf("ended work is kept: %v", x.open)
	}
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	x := new(Index)
	for _, c := range waitStory(t).commit[:4] {
		x.Fold(c.sequence, c.frame)
	}
	asked := time.Date(2026, 11, 30, 12, 2, 0, 0, time.UTC)
	want := []ApprovalRow{
		{
			Session: sessionB, Run: waitRun, Step: "deploy", Call: "r-7/deploy", Approval: "r-7/deploy#1", Question: "run step deploy?",
			Action: "9155bebb5b3f07c4", Since: asked, Sequence: 4,
		},
		{
			Session: sessionB, Run: waitRun, Step: "publish", Call: "r-7/publish", Approval: "r-7/publish#1", Question: "publish 摘要?",
			Action: "9155bebb5b3f07c4", Since: asked, Expires: asked.Add(time.Hour), Sequence: 4,
		},
	}
	if diff := cmp.Diff(want, x.Approvals()); diff != "" {
		t.Errorf("approvals (-want +got):\n%s", diff)
	}
}

// Whatever ends a call ends what was asked about it.
func TestNobodyIsAskedAboutACallThatIsOver(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]events.Data{
		"cancelled":     events.CallCancelled{Call: waitRun + "/a"},
		"failed":        refused("a", "EXIT", 0),
		"lost":          events.CallLost{Call: waitRun + "/a", Final: true},
		"run cancelled": events.RunCancelled{Run: waitRun},
		"session ended": events.SessionEnded{},
	} {
		s := newStory(t).add(sessionB, events.SessionStarted{}, events.RunStarted{Run: waitRun}, waitCall("a", "default", ""), ask("a", "go?", 0))
		if got := into(s, new(Index)).Approvals(); len(got) != 1 {
			t.Fatalf("%d approvals are open", len(got))
		}
		if got := into(s.add(sessionB, end), new(Index)).Approvals(); len(got) != 0 {
			t.Errorf("%s: still asked: %v", name, got)
		}
	}
	s := newStory(t).add(sessionB, events.RunStarted{Run: waitRun}, waitCall("a", "default", ""), ask("a", "go?", 0), events.CallCancelled{Call: waitRun + "/a"})
	if got := show(t, into(s, new(Trace)), "json"); !strings.Contains(got, `"status": "void"`) {
		t.Errorf("the trace still asks:\n%s", got)
	}
}

func TestTheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	s := newStory(t).add(sessionB, events.SessionStarted{}, events.RunStarted{Run: waitRun}, waitCall("a", "default", ""), ask("a", "go?", 0),
		answer("a", "ada", "", true), answer("a", "bob", "", false))
	trace := into(s, new(Trace))
	if got := trace.approvals[waitRun+"/a#1"]; got.Status != "yes" || got.By != "ada" {
		t.Errorf("answered %s by %s", got.Status, got.By)
	}
	if got := into(s, new(Index)).Queued(); len(got) != 1 {
		t.Errorf("queued: %v", got)
	}
}

// oneList gives the run's only step as the trace and the pipeline see it.
func oneList(t *testing.T, facts ...[]events.Data) (StepView, atom) {
	t.Helper()
	pipeline, p := traced(t, facts...)
	s := newStory(t)
	for _, f := range facts {
		s.add(sessionA, f...)
	}
	view, _ := into(s, new(Trace)).Run(waitRun)
	if len(view.Steps) != 1 || len(pipeline.Atoms) != 1 {
		t.Fatalf("steps %v, atoms %v", view.Steps, pipeline.Atoms)
	}
	if p.byRun[waitRun].open < 0 {
		t.Errorf("%d calls are open", p.byRun[waitRun].open)
	}
	return view.Steps[0], pipeline.Atoms["a"]
}

func TestItemsAreCountedOnce(t *testing.T) {
	t.Parallel()
	item := func(n string) events.CallOpened {
		c := waitCall("a", "default", "")
		c.Call += "[" + n + "]"
		return c
	}
	begin := []events.Data{events.RunStarted{Run: waitRun}, events.ItemsListed{Run: waitRun, Step: "a", Count: 3}, item("0"), item("1")}
	failed := []events.Data{
		done("a[0]", raw("1")), refused("a[1]", "EXIT", 1), events.StepFailed{Run: waitRun, Step: "a", Failure: events.Failure{Code: "items_failed"}},
		events.RunFailed{Run: waitRun, Steps: []string{"a"}},
	}
	resumed := []events.Data{events.RunResumed{Run: waitRun}, item("1"), item("2")}
	joined := []events.Data{
		done("a[1]", raw("1")), events.CallCancelled{Call: waitRun + "/a[2]"}, events.StepJoined{Run: waitRun, Step: "a", Done: 2, Value: raw("[1]")},
	}
	for name, tc := range map[string]struct {
		facts                       [][]events.Data
		status                      string
		doneItems, failures, opened int
	}{
		"begun":   {[][]events.Data{begin}, "running", 0, 0, 2},
		"failed":  {[][]events.Data{begin, failed}, "failed", 1, 1, 0},
		"resumed": {[][]events.Data{begin, failed, resumed}, "running", 1, 0, 2},
		"joined":  {[][]events.Data{begin, failed, resumed, joined}, "completed", 2, 0, 0},
	} {
		step, atom := oneList(t, tc.facts...)
		for of, got := range map[string]*items{"trace": step.Items, "pipeline": atom.Items} {
			if got == nil || got.Total != 3 || got.Done != tc.doneItems || got.Failed != tc.failures || got.Running != tc.opened {
				t.Errorf("%s: the %s counts %+v, want %d done, %d failed, %d running", name, of, got, tc.doneItems, tc.failures, tc.opened)
			}
		}
		if step.Status != tc.status || atom.Status != tc.status {
			t.Errorf("%s: the step is %s, the atom %s, want %s", name, step.Status, atom.Status, tc.status)
		}
		if (atom.File != "") != (tc.status == "completed") {
			t.Errorf("%s: file %q", name, atom.File)
		}
	}
}

func TestALongListIsOneFileAndFewBoxes(t *testing.T) {
	t.Parallel()
	const count = 500
	facts := []events.Data{events.RunStarted{Run: waitRun}, events.ItemsListed{Run: waitRun, Step: "a", Count: count}}
	for i := range count {
		c := waitCall("a", "default", "")
		c.Call = fmt.Sprintf("%s[%d]", c.Call, i)
		facts = append(facts, c, events.CallClosed{Call: c.Call, Attempt: 1, Status: "ok"})
	}
	facts = append(facts, events.StepJoined{Run: waitRun, Step: "a", Done: count, Value: raw("[]")})
	s := newStory(t)
	for len(facts) > 0 {
		n := min(len(facts), 500)
		s.add(sessionA, facts[:n]...)
		facts = facts[n:]
	}
	if files := into(s, new(Pipeline)).Files(); len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
	chart := show(t, into(s, new(Trace)), "mmd")
	if lines := strings.Count(chart, "\n"); lines > 50 || !strings.Contains(chart, "and 490 more") {
		t.Errorf("%d lines:\n%s", lines, chart)
	}
}
