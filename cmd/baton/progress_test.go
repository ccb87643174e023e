package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows"
)

func TestProgressSaysEachChangeOnce(t *testing.T) {
	t.Parallel()
	a, out, errs := testApp(t)
	step := func(id, status string, attempts int) workflows.StepView {
		return workflows.StepView{ID: id, Status: status, Attempts: attempts}
	}
	view := func(steps ...workflows.StepView) workflows.View { return workflows.View{Run: "r-1", Steps: steps} }
	p := a.newProgress(view(step("a", "pending", 0)))
	failed := step("b", "backoff", 1)
	failed.Error = &events.Failure{Code: "exec_exit", Message: "bad\nluck"}
	for _, v := range []workflows.View{
		view(step("a", "running", 1), step("b", "pending", 0)),
		view(step("a", "running", 1), step("b", "pending", 0)),
		view(step("a", "completed", 1), failed),
		view(step("a", "completed", 1), step("b", "running", 2)),
		view(step("a", "completed", 1), step("b", "completed", 2)),
	} {
		p.update(v)
	}
	p.end()
	want := "a: running\na: completed\nb: backoff: exec_exit: bad\\nluck\nb: running, attempt 2\nb: completed, attempt 2\n"
	if diff := cmp.Diff(want, errs.String()); diff != "" || out.Len() > 0 {
		t.Errorf("progress (-want +got):\n%sstdout %q", diff, out)
	}
}

func TestQuietSaysNothing(t *testing.T) {
	t.Parallel()
	a, _, errs := testApp(t)
	a.quiet = true
	v := workflows.View{Steps: []workflows.StepView{{ID: "a", Status: "running"}}}
	a.newProgress(v).update(v)
	a.note("a word")
	if errs.Len() > 0 {
		t.Errorf("it says %q", errs)
	}
}

func TestPickShowsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	steps := make([]workflows.StepView, 10)
	for i := range steps {
		steps[i] = workflows.StepView{ID: string(rune('a' + i)), Status: "completed"}
	}
	ids := func(list []workflows.StepView) (out string) {
		for _, s := range list {
			out += s.ID
		}
		return out
	}
	if got := ids(pick(steps, 20)); got != "abcdefghij" {
		t.Errorf("all fit: %s", got)
	}
	steps[4].Status = "running"
	if got := ids(pick(steps, 3)); got != "efg" {
		t.Errorf("around the running one: %s", got)
	}
	steps[4].Status, steps[9].Status = "completed", "running"
	if got := ids(pick(steps, 3)); got != "hij" {
		t.Errorf("at the end: %s", got)
	}
}

func TestTablesLineUpWithChinese(t *testing.T) {
	t.Parallel()
	a, _, _ := testApp(t)
	p := &page{app: a}
	p.rows([]string{"name", "goal"}, [][]string{{"调研", "x"}, {"abcdef", "y\x1b[1m"}})
	if want := "name    goal\n调研    x\nabcdef  y\\x1b[1m\n"; p.String() != want {
		t.Errorf("got\n%swant\n%s", p.String(), want)
	}
}
