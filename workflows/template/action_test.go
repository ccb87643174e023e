package template

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func fromFile(t *testing.T, name string) *Template {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

func named(t *testing.T, from *Template, id string) *Step {
	t.Helper()
	s, ok := from.Step(id)
	if !ok {
		t.Fatalf("there is no step %s", id)
	}
	return s
}

// expects compares what an action is filled in to.
func expects(t *testing.T, what, want string, execute func(Env) (json.RawMessage, error), env Env) {
	t.Helper()
	got, err := execute(env)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	} else if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func TestExecutorsAreFilledIn(t *testing.T) {
	t.Parallel()
	got := fromFile(t, "testdata/executors.yaml")
	env := Env{
		Inputs: map[string]any{"host": "example.org", "at": "2026-12-24T09:00:00.5+01:00"},
		Ctx:    map[string]any{"found": map[string]any{"n": 3, "next": 7}, "went": map[string]any{"topic": []any{"x"}}},
	}
	for id, want := range map[string]string{
		"fetch": `{"http":{"body":{"most":3,"q":"example.org"},` +
			`"headers":{"Authorization":"Bearer ${env:SERVICE_TOKEN}","X-Host":"example.org","X-Key":"${file:/run/secrets/key}"},` +
			`"method":"POST","timeout":"1m30s","url":"https://example.org/v1/search"}}`,
		"get":         `{"http":{"method":"GET","url":"7"}}`,
		"tool":        `{"mcp":{"arguments":{"q":{"n":3,"next":7}},"server":"github","tool":"search"}}`,
		"local-tool":  `{"mcp":{"command":["./server.sh","2"],"tool":"t-example.org"}}`,
		"ask":         `{"approve":{"expires":"24h0m0s","question":"publish 3 papers?"}}`,
		"ask-briefly": `{"approve":{}}`,
		"nap":         `{"wait":{"for":"2h0m0s"}}`,
		"morning":     `{"wait":{"until":"2026-12-24T08:00:00Z"}}`,
		"when-told":   `{"wait":{"until":"2026-12-24T08:00:00.5Z"}}`,
		"go-ahead":    `{"wait":{"expires":"24h0m0s","signal":"go-ahead"}}`,
		"child":       `{"workflow":{"inputs":{"topic":["x"]},"path":"./other.yaml","session":"own"}}`,
		"named-child": `{"workflow":{"name":"other","session":"inside"}}`,
	} {
		expects(t, id, want, named(t, got, id).Execute, env)
	}
}

func TestWhatExecutorsSay(t *testing.T) {
	t.Parallel()
	got := fromFile(t, "testdata/executors.yaml")
	type said struct {
		Approve  *Approve
		Confirm  *Approve
		Wait     *Wait
		Workflow *Workflow
		Attempts int
		Timeout  time.Duration
		Env      map[string]string
	}
	common := map[string]string{"LANG": "C.UTF-8", "TOKEN": "${env:SERVICE_TOKEN}"}
	for id, want := range map[string]said{
		"fetch":       {Attempts: 3, Timeout: 5 * time.Minute, Env: common},
		"local-tool":  {Attempts: 3, Timeout: 5 * time.Minute, Env: map[string]string{"LANG": "de", "TOKEN": common["TOKEN"], "ROOT": "${inputs.host}/x"}},
		"ask":         {Approve: &Approve{"publish ${ctx['found'].n} papers?", 24 * time.Hour}, Attempts: 1},
		"ask-briefly": {Approve: &Approve{}, Attempts: 1},
		"nap":         {Wait: &Wait{For: 2 * time.Hour}, Attempts: 1},
		"morning":     {Wait: &Wait{Until: "2026-12-24T08:00:00Z"}, Attempts: 1},
		"when-told":   {Wait: &Wait{Until: "${inputs.at}"}, Attempts: 1},
		"go-ahead":    {Wait: &Wait{Signal: "go-ahead", Expires: 24 * time.Hour}, Attempts: 1},
		"child":       {Workflow: &Workflow{Path: "./other.yaml", Session: Own}, Confirm: &Approve{}, Attempts: 2, Timeout: 5 * time.Minute},
		"named-child": {Workflow: &Workflow{Name: "other", Session: Inside}, Attempts: 3, Timeout: 5 * time.Minute},
	} {
		s := named(t, got, id)
		if diff := cmp.Diff(want, said{s.Approve, s.Confirm, s.Wait, s.Workflow, s.Retry.Attempts, s.Timeout, s.Env}); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	got := fromFile(t, "testdata/executors.yaml")
	for _, c := range []struct{ id, at, want string }{
		{"morning", "", "2026-12-24T08:00:00Z"},
		{"when-told", "2026-12-24T09:00:00+01:00", "2026-12-24T08:00:00Z"},
		{"when-told", " 2026-12-24T08:00:00.25Z\n", "2026-12-24T08:00:00.25Z"},
		{"nap", "", "0001-01-01T00:00:00Z"},
		{"fetch", "", "0001-01-01T00:00:00Z"},
	} {
		at, err := named(t, got, c.id).Until(Env{Inputs: map[string]any{"at": c.at}})
		if at.Format(time.RFC3339Nano) != c.want || err != nil {
			t.Errorf("%s: got %v, %v; want %s", c.id, at, err, c.want)
		}
	}
	told := named(t, got, "when-told")
	for _, at := range []any{"tomorrow", "2026-12-24", "", nil, 5} {
		env := Env{Inputs: map[string]any{"at": at}}
		if got, err := told.Until(env); !errors.Is(err, ErrExpression) {
			t.Errorf("%v: got %v, %v", at, got, err)
		}
		if got, err := told.Execute(env); !errors.Is(err, ErrExpression) || got != nil {
			t.Errorf("%v: got %s, %v", at, got, err)
		}
	}
}

func TestQuestionsProbesAndCompensations(t *testing.T) {
	t.Parallel()
	got := fromFile(t, "testdata/flow.yaml")
	each, publish := named(t, got, "each"), named(t, got, "publish")
	env := Env{Item: map[string]any{"id": 7, "title": "on ice"}, Index: 4, Ctx: map[string]any{"summaries": []any{"s"}, "url": "u"}}

	question, err := each.Question(env)
	if question != "take on ice?" || err != nil {
		t.Errorf("question %q, %v", question, err)
	}
	if question, err := publish.Question(env); question != "" || err != nil {
		t.Errorf("question of a step that asks nothing: %q, %v", question, err)
	}
	if question, err := each.Question(Env{}); !errors.Is(err, ErrExpression) {
		t.Errorf("question about nothing: %q, %v", question, err)
	}
	expects(t, "compensate", `{"exec":["./undo.sh","7","s"]}`, each.Compensate.Execute, env)
	expects(t, "probe", `{"exec":["./there.sh","s"]}`, publish.Probe.Execute, env)
	expects(t, "compensate by http", `{"http":{"headers":{"Authorization":"${env:TOKEN}"},"method":"DELETE","url":"https://example.org/u"}}`,
		publish.Compensate.Execute, env)

	for name, c := range map[string]struct{ got, want []string }{
		"of each": {each.Mentions, []string{}}, "of its compensation": {each.Compensate.Mentions, []string{"summaries"}},
		"of publish": {publish.Mentions, []string{"summaries"}}, "of its probe": {publish.Probe.Mentions, []string{"summaries"}},
		"of its own compensation": {publish.Compensate.Mentions, []string{"url"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("mentions %s (-want +got)\n%s", name, diff)
		}
	}
	for id, want := range map[string]string{"publish": ProbeUnknown, "again": RetryUnknown, "careful": AskUnknown, "any": ""} {
		if s := named(t, got, id); s.Unknown != want || (s.Effects == AtMostOnce) != (want != "") {
			t.Errorf("%s: unknown %q, effects %s", id, s.Unknown, s.Effects)
		}
	}
}

func TestTheStepAfterAFailure(t *testing.T) {
	t.Parallel()
	got := parsed(t, strings.TrimSpace(`
steps:
  - {id: a, skill: a, output: x}
  - {id: sorry, skill: b, input: x, output: y}
  - {id: c, skill: c, input: x}
on_failure: sorry`))
	sorry := got.Handler()
	if sorry == nil || sorry.ID != "sorry" || !sorry.AfterFailure || len(sorry.Needs) > 0 {
		t.Fatalf("handler %+v", sorry)
	}
	if diff := cmp.Diff([]string{"x"}, sorry.Reads); diff != "" {
		t.Errorf("reads (-want +got)\n%s", diff)
	}
	if c := named(t, got, "c"); !cmp.Equal(c.Needs, []int{0}) || c.AfterFailure {
		t.Errorf("c needs %v, after a failure %v", c.Needs, c.AfterFailure)
	}
	if h := parsed(t, "steps: [{id: stop, skill: a}]\non_failure: stop\n").Handler(); h != nil {
		t.Errorf("stop is a word before it is a step: %v", h)
	}
}
