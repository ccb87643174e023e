package projections

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task"
)

// decided is what the Task Router says of a query, as it stands in the log in front of the run r-1.
func decided(t *testing.T, query, known string) []events.Data {
	t.Helper()
	r, err := task.New(task.Data{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := task.ReadContext([]byte(known))
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Route(task.Request{Query: query, Context: c})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := events.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return []events.Data{
		events.RouteDecided{Router: "task", Run: "r-1", Task: query, Decision: d.Route, Answer: events.Value{JSON: raw}},
		events.RunStarted{Run: "r-1", Name: "task-" + d.Route},
	}
}

const (
	acquire = "knowledge-acquisition"
	extract = "knowledge-extraction"
	relate  = "association-discovery"
)

// use is a step of the task that ran: its opening, its start and its closing with a value.
func use(id, value string) []events.Data {
	opened := step("r-1", id)
	opened.Skill, opened.Execute = id, json.RawMessage(`{"skill":{}}`)
	opened.Inputs = map[string]events.Value{"delegation": {JSON: json.RawMessage(`{}`)}}
	end := closed("r-1", id)
	end.Value.JSON = json.RawMessage(value)
	return []events.Data{opened, events.CallStarted{Call: opened.Call, Attempt: 1, Worker: "w"}, end}
}

func broken(id, code string) []events.Data {
	opened := step("r-1", id)
	return []events.Data{opened, events.CallFailed{Call: opened.Call, Attempt: 1, Failure: events.Failure{Class: "terminal", Code: code}, Final: true}}
}

func skipped(id string) events.Data { return events.StepSkipped{Run: "r-1", Step: id} }

func TestATaskInTheTrace(t *testing.T) {
	t.Parallel()
	over, failed := events.RunCompleted{Run: "r-1"}, events.RunFailed{Run: "r-1"}
	chain, children := decided(t, "搜索文献", "{}"), decided(t, "同时搜索A和B的文献", "{}")
	for name, c := range map[string]struct {
		facts  [][]events.Data
		status string
		short  string
		atoms  map[string]string
		loops  int // children
	}{
		"a chain": {[][]events.Data{chain, use(acquire, "{}"), use(extract, "{}"), {over}}, "completed", "", map[string]string{acquire: "completed", extract: "completed"}, 1},
		"nothing was found": {[][]events.Data{chain, use(acquire, "{}"), {skipped(extract), over}}, "short_circuited", "empty_result",
			map[string]string{acquire: "completed", extract: "skipped"}, 1},
		"a broken chain stops": {[][]events.Data{chain, broken(acquire, "exec_exit"), {failed}}, "failed", "error", map[string]string{acquire: "failed", extract: "skipped"}, 1},
		"nobody can do it": {[][]events.Data{chain, {events.StepFailed{Run: "r-1", Step: acquire, Failure: events.Failure{Code: "needs_configuration"}}, failed}}, "needs_configuration", "error",
			map[string]string{acquire: "failed", extract: "skipped"}, 1},
		"it still runs": {[][]events.Data{chain, use(acquire, "{}")}, "running", "", map[string]string{acquire: "completed"}, 1},
		"cancelled":     {[][]events.Data{chain, use(acquire, "{}"), {events.RunCancelled{Run: "r-1"}}}, "partial", "", map[string]string{acquire: "completed", extract: "skipped"}, 1},
		"one child fails": {[][]events.Data{children, use(acquire+"-1", "{}"), use(extract+"-1", "{}"), broken(acquire+"-2", "x"), {skipped(extract + "-2")}, use(relate+"-join", "{}"), {failed}}, "partial", "",
			map[string]string{acquire: "failed", extract: "completed"}, 2},
		"both children do it": {[][]events.Data{children, use(acquire+"-1", "{}"), use(extract+"-1", "{}"), use(acquire+"-2", "{}"), use(extract+"-2", "{}"), use(relate+"-join", "{}"), {over}}, "completed", "",
			map[string]string{acquire: "completed", extract: "completed"}, 2},
	} {
		got, _ := traced(t, c.facts...)
		statuses := map[string]string{}
		for atom, a := range got.Atoms {
			statuses[atom] = a.Status
		}
		short := ""
		if got.Short != nil {
			short = got.Short.Reason
		}
		if diff := cmp.Diff(c.atoms, statuses); diff != "" || got.Status != c.status || short != c.short || len(got.Children) != c.loops {
			t.Errorf("%s: %s (%s), %d children; want %s (%s), %d (-want +got):\n%s", name, got.Status, short, len(got.Children), c.status, c.short, c.loops, diff)
		}
	}
}

func TestWhatIsDoneBeforeIsCompleted(t *testing.T) {
	t.Parallel()
	got, _ := traced(t, decided(t, "搜索文献", `{"executed":["ACQ"]}`), use(extract, "{}"), []events.Data{events.RunCompleted{Run: "r-1"}})
	if got.Status != "completed" || got.Atoms[acquire].Status != "completed" || got.Atoms[acquire].File != "" {
		t.Errorf("%s: %+v", got.Status, got.Atoms[acquire])
	}
}

// TestALoopInTheTrace: the steps that judge have files of their own, and say how far it came.
func TestALoopInTheTrace(t *testing.T) {
	t.Parallel()
	facts := [][]events.Data{decided(t, "怎么优化", `{"executed":["ACQ"]}`)}
	for n := 1; n <= 2; n++ {
		for _, atom := range []string{"hypothesis-generation", "argument-expression", "viewpoint-verification"} {
			facts = append(facts, use(fmt.Sprintf("%s-%d", atom, n), "{}"))
		}
		exit := map[int]string{2: "target_met"}[n]
		facts = append(facts, use(fmt.Sprintf("cycle-%d", n), fmt.Sprintf(`{"cycles":%d,"exit":%q,"verdict":"target_met","score":0.9,"kept":true,"best":{"score":0.9,"at":1}}`, n, exit)))
	}
	facts = append(facts, []events.Data{skipped("hypothesis-generation-3"), events.RunCompleted{Run: "r-1"}})
	got, p := traced(t, facts...)
	if got.Status != "loop_exited" || got.Cycles != 2 || got.Loop == nil || got.Loop.Exit != "target_met" || len(got.Loop.Results) != 2 {
		t.Errorf("%s, %d cycles: %+v", got.Status, got.Cycles, got.Loop)
	}
	files := slices.Sorted(maps.Keys(p.Files()))
	want := []string{"ae_01.json", "ae_02.json", "hg_01.json", "hg_02.json", "loops/inner_1.json", "loops/inner_2.json", "pipeline_trace.json", "report.json", "vp_01.json", "vp_02.json"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var report taskReport
	if err := json.Unmarshal(p.Files()[reportFile], &report); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"outputs/" + sessionA + "/vp_01.json"}, report.Findings); diff != "" {
		t.Errorf("the best cycle is told first (-want +got):\n%s", diff)
	}
	for check, holds := range report.Checks {
		if !holds {
			t.Errorf("check %s does not hold", check)
		}
	}
}

// TestChildrenAreLookedAt: Baton's own programs are what they are; an agent has to show its tools.
func TestChildrenAreLookedAt(t *testing.T) {
	t.Parallel()
	agent := use(extract, `{"tool_trace":["skill_view"]}`)
	opened := agent[0].(events.CallOpened)
	opened.Execute = json.RawMessage(`{"agent":{}}`)
	agent[0] = opened
	got, _ := traced(t, decided(t, "搜索文献", "{}"), use(acquire, "{}"), agent, []events.Data{events.RunCompleted{Run: "r-1"}})
	first, second, all := got.Steps[acquire].Check, got.Steps[extract].Check, got.Children[0].Check
	if first == nil || !first.ScriptCalled || len(first.Warnings) != 0 {
		t.Errorf("a program: %+v", first)
	}
	if second == nil || !second.SkillLoaded || second.ScriptCalled || !second.Succeeded {
		t.Errorf("an agent: %+v", second)
	}
	if diff := cmp.Diff([]string{task.WarnNoScript}, all.Warnings); diff != "" || all.ScriptCalled || !all.SkillLoaded {
		t.Errorf("together: %+v (-want +got):\n%s", all, diff)
	}
}

// TestTheTraceOfATask is read in review.
func TestTheTraceOfATask(t *testing.T) {
	t.Parallel()
	_, p := traced(t, decided(t, "搜索3D nystagmus文献", "{}"), use(acquire, `{"raw_papers":[1]}`), use(extract, `{"extracted_knowledge":[]}`), []events.Data{events.RunCompleted{Run: "r-1"}})
	for _, name := range []string{traceFile, reportFile} {
		golden(t, "task/"+name, p.Files()[name])
	}
}

// TestADecisionThatCannotBeReadIsNoTask: the run is traced like any other.
func TestADecisionThatCannotBeReadIsNoTask(t *testing.T) {
	t.Parallel()
	for _, answer := range []events.Value{{SHA256: "ab", Size: 9}, {JSON: json.RawMessage(`[]`)}} {
		got, p := traced(t, []events.Data{events.RouteDecided{Router: "task", Run: "r-1", Answer: answer}, events.RunStarted{Run: "r-1"}}, use("a", "1"))
		if len(got.Chain) != 1 || got.Atoms["a"].Status != "completed" || p.Files()[reportFile] != nil {
			t.Errorf("%v: %+v", answer, got)
		}
	}
}
