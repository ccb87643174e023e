package projections

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

func TestFilesOfARun(t *testing.T) {
	t.Parallel()
	files := into(runStory(t), new(Pipeline)).Files()
	want := []string{"bppv_01.json", "join_01.json", "ka_01.json", "pipeline_trace.json"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for name, content := range files {
		golden(t, "pipeline/"+name, content)
	}
	var trace struct {
		Atoms map[string]struct {
			File   string `json:"output_file"`
			SHA256 string `json:"sha256"`
		}
	}
	if err := json.Unmarshal(files["pipeline_trace.json"], &trace); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"搜索", "bppv", "join"} {
		a := trace.Atoms[step]
		sum := sha256.Sum256(files[strings.TrimPrefix(a.File, "outputs/"+sessionB+"/")])
		if a.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s does not hash to %s", step, a.File, a.SHA256)
		}
	}
}

func TestASessionWithoutRunsHasNoFiles(t *testing.T) {
	t.Parallel()
	p := into(byHandStory(t), new(Pipeline))
	if len(p.Files()) != 0 || len(p.Changed()) != 0 {
		t.Errorf("files %v", p.Files())
	}
}

// traced is what pipeline_trace.json says after the facts.
func traced(t *testing.T, facts ...[]events.Data) (trace pipelineTrace, p *Pipeline) {
	t.Helper()
	s := newStory(t).add(sessionA, events.SessionStarted{Goal: "g"})
	for _, f := range facts {
		s.after(1).add(sessionA, f...)
	}
	p = into(s, new(Pipeline))
	if err := json.Unmarshal(p.Files()[traceFile], &trace); err != nil {
		t.Fatal(err)
	}
	return trace, p
}

func step(run, id string) events.CallOpened {
	return events.CallOpened{Call: run + "/" + id, Run: run, Step: id, Queue: "default"}
}

func closed(run, id string) events.CallClosed {
	return events.CallClosed{Call: run + "/" + id, Attempt: 1, Status: "ok"}
}

func TestModeIsParallelWhenTwoCallsWereOpenAtOnce(t *testing.T) {
	t.Parallel()
	chain, _ := traced(t, []events.Data{events.RunStarted{Run: "r-1"}, step("r-1", "a")}, []events.Data{closed("r-1", "a"), step("r-1", "b")})
	if chain.Mode != "standard" || chain.Parallel {
		t.Errorf("a chain is %s", chain.Mode)
	}
	fork, _ := traced(t, []events.Data{events.RunStarted{Run: "r-1"}, step("r-1", "a"), step("r-1", "b")})
	if fork.Mode != "parallel" || !fork.Parallel {
		t.Errorf("a fork is %s", fork.Mode)
	}
	again, _ := traced(t, []events.Data{events.RunStarted{Run: "r-1"}, step("r-1", "a"), step("r-1", "a")})
	if again.Parallel {
		t.Error("a call opened again counts for two")
	}
}

func TestStatusOfTheSession(t *testing.T) {
	t.Parallel()
	runs := []events.Data{events.RunStarted{Run: "r-1"}, events.RunStarted{Run: "r-2"}}
	for want, ends := range map[string][]events.Data{
		"running":   {events.RunCompleted{Run: "r-1"}},
		"completed": {events.RunCompleted{Run: "r-1"}, events.RunCompleted{Run: "r-2"}},
		"failed":    {events.RunFailed{Run: "r-1"}, events.RunFailed{Run: "r-2"}},
		"partial":   {events.RunFailed{Run: "r-1"}, events.RunCompleted{Run: "r-2"}},
	} {
		if got, _ := traced(t, runs, ends); got.Status != want {
			t.Errorf("after %v: %s, want %s", ends, got.Status, want)
		}
	}
	if got, _ := traced(t, runs[:1], []events.Data{events.RunCancelled{Run: "r-1"}}); got.Status != "partial" || got.Runs[0].Status != "cancelled" {
		t.Errorf("cancelled: %s, run %s", got.Status, got.Runs[0].Status)
	}
}

func TestAStepThatEndsBadly(t *testing.T) {
	t.Parallel()
	failure := events.Failure{Class: "terminal", Code: "EXIT", Message: "no", Exit: 2}
	for name, tc := range map[string]struct {
		end    events.Data
		status string
		code   string
	}{
		"failed":    {events.CallFailed{Call: "r-1/a", Attempt: 1, Failure: failure, Final: true}, "failed", "EXIT"},
		"retried":   {events.CallFailed{Call: "r-1/a", Attempt: 1, Failure: failure}, "running", "EXIT"},
		"lost":      {events.CallLost{Call: "r-1/a", Attempt: 1, Reason: "gone", Final: true}, "failed", "WORKER_LOST"},
		"cancelled": {events.CallCancelled{Call: "r-1/a", Attempt: 1}, "skipped", "CANCELLED"},
		"closed":    {events.CallClosed{Call: "r-1/a", Attempt: 1, Status: "failed", Note: "no"}, "failed", "CLOSED_FAILED"},
		"given up":  {events.StepFailed{Run: "r-1", Step: "a", Failure: failure}, "failed", "EXIT"},
	} {
		got, _ := traced(t, []events.Data{events.RunStarted{Run: "r-1"}, step("r-1", "a")}, []events.Data{tc.end})
		a := got.Atoms["a"]
		if a.Status != tc.status || a.Error == nil || a.Error.Code != tc.code {
			t.Errorf("%s: %s %v, want %s %s", name, a.Status, a.Error, tc.status, tc.code)
		}
	}
}

func TestASkippedStepSaysWhy(t *testing.T) {
	t.Parallel()
	got, _ := traced(t, []events.Data{events.RunStarted{Run: "r-1"}, events.StepSkipped{Run: "r-1", Step: "a", Reason: "no papers"}})
	if a := got.Atoms["a"]; a.Status != "skipped" || a.Reason != "no papers" || a.Error != nil {
		t.Errorf("skipped: %+v", a)
	}
}

func TestANewGoalChangesTheFile(t *testing.T) {
	t.Parallel()
	got, _ := traced(t, []events.Data{events.RunStarted{Run: "r-1"}}, []events.Data{events.SessionStarted{Goal: "another"}})
	if got.Query != "another" || got.Sequence != 3 {
		t.Errorf("query %s at %d, want another at 3", got.Query, got.Sequence)
	}
}

func TestNumbersGoOverTheSession(t *testing.T) {
	t.Parallel()
	atom := func(run, id string) events.CallOpened {
		c := step(run, id)
		c.Skill = "knowledge-acquisition"
		return c
	}
	got, p := traced(t,
		[]events.Data{events.RunStarted{Run: "r-1"}, atom("r-1", "a"), atom("r-1", "b"), closed("r-1", "b"), closed("r-1", "a")},
		[]events.Data{events.RunStarted{Run: "r-2"}, atom("r-2", "a"), closed("r-2", "a"), step("r-2", "Ka"), closed("r-2", "Ka")},
	)
	files := map[string]string{}
	for key, a := range got.Atoms {
		files[key] = a.File[strings.LastIndex(a.File, "/")+1:]
	}
	want := map[string]string{"a": "ka_02.json", "b": "ka_01.json", "r-2/a": "ka_03.json", "Ka": "Ka_04.json"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "r-2/a", "Ka"}, got.Chain); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
	p.written["ka"] = 99
	if name := p.number("ka"); name != "ka_100.json" {
		t.Errorf("after 99: %s", name)
	}
}

func TestDoneAgain(t *testing.T) {
	t.Parallel()
	redo := step("r-1", "a")
	redo.Cause = "redo"
	facts := [][]events.Data{
		{events.RunStarted{Run: "r-1", SHA256: "old"}, step("r-1", "a"), events.CallStarted{Call: "r-1/a", Attempt: 1}},
		{closed("r-1", "a"), events.RunFailed{Run: "r-1"}},
		{events.RunResumed{Run: "r-1", Policy: "accept", SHA256: "new", Redo: []string{"a"}}, redo},
	}
	got, _ := traced(t, facts...)
	if a := got.Atoms["a"]; a.Status != "running" || a.File != "" || a.SHA256 != "" || got.Runs[0].SHA256 != "new" {
		t.Errorf("while done again: %+v of %+v", a, got.Runs[0])
	}
	got, p := traced(t, append(facts, []events.Data{
		events.CallStarted{Call: "r-1/a", Attempt: 2}, events.CallClosed{Call: "r-1/a", Attempt: 2, Status: "ok"}, events.RunCompleted{Run: "r-1"},
	})...)
	if a := got.Atoms["a"]; !strings.HasSuffix(a.File, "/a_02.json") || a.Attempts != 2 {
		t.Errorf("done again: %+v", a)
	}
	if sequence, done := p.Finished("r-1"); !done || sequence != 5 || got.Sequence != 5 {
		t.Errorf("finished at %d, %v, the file says %d; want 5", sequence, done, got.Sequence)
	}
	if _, done := p.Finished("r-9"); done {
		t.Error("an unknown run is finished")
	}
}

func TestFilePrefix(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ skill, step, want string }{
		{"", "vor", "vor"}, {"knowledge-extraction", "x", "ke"}, {"", "quality-gate", "qg"}, {"", "检索-文献", "检索-文献"},
		{"", "../../etc/passwd", "-.-..-etc-passwd"}, {"", "per-paper[0]", "per-paper-0-"}, {"", "", "step"}, {"", ".hidden", "-hidden"},
		{"", "a\x00b\n\\c:", "a-b--c-"}, {"", strings.Repeat("长", 60), strings.Repeat("长", 40)}, {"", "\xff", "-"},
	} {
		got := filePrefix(tc.skill, tc.step)
		if got != tc.want {
			t.Errorf("filePrefix(%q, %q) = %q, want %q", tc.skill, tc.step, got, tc.want)
		}
	}
}

func FuzzFilePrefix(f *testing.F) {
	f.Add("../a")
	f.Add("检索")
	f.Fuzz(func(t *testing.T, id string) {
		got := filePrefix("", id)
		if got == "" || len(got) > prefixBytes || got[0] == '.' || strings.ContainsAny(got, "/\\:\x00\n") {
			t.Errorf("filePrefix(%q) = %q", id, got)
		}
	})
}

func TestChangedTellsEachFileOnce(t *testing.T) {
	t.Parallel()
	want := [][]string{
		{traceFile}, {traceFile}, {traceFile}, {traceFile}, {traceFile}, {traceFile},
		{"ka_01.json", traceFile}, {"bppv_01.json", traceFile}, {"join_01.json", traceFile},
	}
	p := new(Pipeline)
	for i, c := range runStory(t).commit {
		p.Fold(c.sequence, c.frame)
		if diff := cmp.Diff(want[i], p.Changed()); diff != "" {
			t.Errorf("after commit %d (-want +got):\n%s", i+1, diff)
		}
	}
	if again := p.Changed(); len(again) != 0 {
		t.Errorf("changed without a commit: %v", again)
	}
	if _, ok := p.File("nothing.json"); ok {
		t.Error("a file that is not there")
	}
}
