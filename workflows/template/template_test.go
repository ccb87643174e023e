package template

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// parsed gives a template that must have no faults.
func parsed(t *testing.T, text string) *Template {
	t.Helper()
	got, faults := parse([]byte(text), Known{}, nil)
	if len(faults) > 0 {
		t.Fatalf("faults:\n%v\nin:\n%s", faults, text)
	}
	return got
}

// where writes faults as "line:col code path".
func where(faults Faults) []string {
	list := []string{}
	for _, f := range faults {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Code, f.Path)))
	}
	return list
}

func TestTheSeedsTemplateParsesUnchanged(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/research-publish.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := parsed(t, string(text))
	common := Step{Retry: once, Effects: "at-least-once"}
	step := func(i int, skill, intent string, input []string, output string, needs []int) Step {
		s := common
		s.Index, s.ID, s.Skill, s.Intent, s.Input, s.Reads, s.Output, s.Needs = i, skill, skill, intent, input, input, output, needs
		return s
	}
	want := &Template{
		Name: "调研并发布", Order: Sequential, OnFailure: Stop,
		Steps: []Step{
			step(0, "tavily", "搜索最新AI进展", nil, "research.raw", nil),
			step(1, "summarize", "总结调研内容", []string{"research.raw"}, "draft.summary", []int{0}),
			step(2, "wechat-publisher", "发布公众号文章", []string{"draft.summary"}, "draft.url", []int{1}),
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Template{}, Step{}), cmpopts.IgnoreFields(Step{}, "ItemReads"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheFullExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := parsed(t, string(text))
	common := Step{Retry: Retry{3, time.Second, 2, time.Minute, true}, Timeout: 10 * time.Minute, Effects: AtLeastOnce}
	want := make([]Step, 6)
	for i := range want {
		want[i] = common
		want[i].Index = i
	}
	set := func(i int, f func(*Step)) { f(&want[i]) }
	set(0, func(s *Step) {
		s.ID, s.Skill, s.Intent, s.Output = "vor", "literature-search", "search VOR literature on ${inputs.topic}", "research.vor"
	})
	set(1, func(s *Step) {
		s.ID, s.Executor, s.Run, s.Output = "bppv", Exec, []byte(`{"exec":["./search.sh","bppv"]}`), "research.bppv"
	})
	set(2, func(s *Step) {
		s.ID, s.Skill, s.Output, s.When = "contradictions", "association-discovery", "findings", "len(ctx['research.vor'].papers) > 0"
		s.Input, s.Needs = []string{"research.vor", "research.bppv"}, []int{0, 1}
		s.Reads, s.Mentions = []string{"research.bppv", "research.vor"}, []string{"research.vor"}
	})
	set(3, func(s *Step) {
		s.ID, s.Executor, s.Run, s.Output = "per-paper", Exec, []byte(`{"exec":["./summarise.sh"]}`), "summaries"
		s.Foreach = &Foreach{Items: "ctx['findings'].papers", Concurrency: 16, Join: JoinBestEffort}
		s.Needs, s.Reads, s.Mentions = []int{2}, []string{"findings"}, []string{"findings"}
	})
	set(4, func(s *Step) {
		s.ID, s.Executor, s.Run = "ok-to-publish", Approval, []byte(`{"approve":{"expires":"24h0m0s","question":"publish?"}}`)
		s.Approve, s.Needs, s.Retry, s.Timeout = &Approve{"publish?", 24 * time.Hour}, []int{3}, once, 0
	})
	set(5, func(s *Step) {
		s.ID, s.Skill, s.Output, s.Effects, s.Unknown = "publish", "wechat-publisher", "draft.url", AtMostOnce, AskUnknown
		s.Input, s.Reads, s.Needs = []string{"summaries"}, []string{"summaries"}, []int{3, 4}
		s.Compensate, s.Confirm = &Action{Executor: Exec, Run: []byte(`{"exec":["./unpublish.sh"]}`)}, new(Approve)
	})
	if diff := cmp.Diff(want, got.Steps, cmpopts.IgnoreUnexported(Step{}, Action{}), cmpopts.IgnoreFields(Step{}, "ItemReads"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("steps (-want +got)\n%s", diff)
	}
	if want := (Limits{8, Budget{USD: 2, Tokens: 400000}}); got.Limits != want || got.OnFailure != Compensate || got.Handler() != nil {
		t.Errorf("limits %+v, on_failure %s, handler %v", got.Limits, got.OnFailure, got.Handler())
	}
}

func TestEverythingATemplateMaySay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := parsed(t, string(text))
	policy := Retry{3, 100 * time.Millisecond, 1.5, time.Minute, true}
	one := policy
	one.Attempts = 1
	common := Step{Retry: policy, Timeout: 10 * time.Minute, Effects: "at-least-once"}
	want := make([]Step, 6)
	for i := range want {
		want[i] = common
		want[i].Index = i
	}
	raw := []string{"research.raw"}
	set := func(i int, f func(*Step)) { f(&want[i]) }
	set(0, func(s *Step) {
		s.ID, s.Executor, s.Output, s.Timeout = "search", Exec, "research.raw", 90*time.Minute
		s.Run = []byte(`{"exec":["./search.sh","${inputs.topic}","7","true"]}`)
		s.Inputs = map[string]any{"query": "${inputs.topic}", "deep": map[string]any{"most": "${inputs.count}"}}
		s.Input, s.TerminalExits = []string{"inputs.topic"}, []int{2, 3}
	})
	set(1, func(s *Step) {
		s.ID, s.Skill, s.When, s.Retry = "Write-It-well", "Write It/well", "len(ctx['research.raw']) > 0", one
		s.Needs, s.Reads, s.Mentions = []int{0}, raw, raw
	})
	set(2, func(s *Step) {
		s.ID, s.Skill, s.Queue, s.Intent = "Write-It-well-2", "Write It/well", "writers", "about ${ctx['research.raw'].title}"
		s.Needs, s.Reads, s.Mentions = []int{0}, raw, raw
	})
	set(3, func(s *Step) {
		s.ID, s.Executor, s.Queue, s.Run = "人工", Claim, "people", []byte(`{"claim":{"queue":"people"}}`)
	})
	set(4, func(s *Step) {
		s.ID, s.Executor, s.Run = "step-5", Agent, []byte(`{"agent":{"model":"small","name":"reviewer"}}`)
		s.Input, s.Reads, s.Needs = []string{"research.raw", "topic"}, raw, []int{0}
	})
	set(5, func(s *Step) { s.ID, s.Executor, s.Run = "step-6", Builtin, []byte(`{"builtin":{"name":"route"}}`) })
	if diff := cmp.Diff(want, got.Steps, cmpopts.IgnoreUnexported(Step{}), cmpopts.IgnoreFields(Step{}, "ItemReads"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("steps (-want +got)\n%s", diff)
	}
	head := Template{Name: "all", Description: "of it", Order: Dataflow, OnFailure: Continue, Limits: Limits{Parallel: 4},
		Inputs: map[string]Input{
			"topic": {Type: "string", Required: true, Description: "what about"},
			"count": {Type: "integer", Default: []byte("3")},
		}}
	if diff := cmp.Diff(&head, got, cmpopts.IgnoreUnexported(Template{}), cmpopts.IgnoreFields(Template{}, "Steps")); diff != "" {
		t.Errorf("header (-want +got)\n%s", diff)
	}
	for key, want := range map[string]string{"inputs.topic": "topic", "topic": "topic", "research.raw": ""} {
		if name, ok := got.InputOf(key); ok != (want != "") || ok && name != want {
			t.Errorf("InputOf(%s) = %s, %v; want %q", key, name, ok, want)
		}
	}
}

func TestJSONAndYAMLGiveTheSame(t *testing.T) {
	t.Parallel()
	yaml := parsed(t, "name: 😀 x\nsteps:\n  - {id: a, run: {exec: [echo, 1.5]}, inputs: {n: 12, x: 1.5, s: null}}\n")
	json := parsed(t, "{\n\t\"name\": \"\\ud83d\\ude00 x\", \"steps\": [\n\t\t{\"id\": \"a\", \"run\": {\"exec\": [\"echo\", 1.5]}, \"inputs\": {\"n\": 12, \"x\": 1.5, \"s\": null}}]}")
	if diff := cmp.Diff(yaml, json, cmpopts.IgnoreUnexported(Template{}, Step{})); diff != "" {
		t.Errorf("(-yaml +json)\n%s", diff)
	}
	_, faults := parse([]byte("{\n\t\"nam\\u0065\": 1,\n\t\"steps\": [ {\"é\": 1, \"skil\": \"a\"} ]}"), Known{}, nil)
	want := []string{"3:14 unknown_field steps[0].é", "3:22 unknown_field steps[0].skil"}
	if diff := cmp.Diff(want, where(faults)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestIDsOfStepsWithoutOne(t *testing.T) {
	t.Parallel()
	got := parsed(t, `
steps:
  - {skill: a}
  - {id: a-2, skill: b}
  - {skill: a}
  - {skill: a}
  - {intent: think}
  - {skill: "/::/"}
  - {skill: `+strings.Repeat("长", 70)+`}
  - {skill: `+strings.Repeat("长", 70)+`}
`)
	var ids []string
	for _, s := range got.Steps {
		ids = append(ids, s.ID)
	}
	want := []string{"a", "a-2", "a-3", "a-4", "step-5", "step-6", strings.Repeat("长", 64), strings.Repeat("长", 62) + "-2"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc", FIPS 180-2
	if got := Digest([]byte("abc")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
