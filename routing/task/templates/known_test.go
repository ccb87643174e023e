package templates

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/modes"
)

func TestKnown(t *testing.T) {
	t.Parallel()
	usual := modes.Measure{Metric: modes.DefaultMetric, Target: modes.DefaultTarget}
	half := 0.5
	for text, want := range map[string]Order{
		`{}`:                        {Measure: usual},
		`null`:                      {Measure: usual},
		`{"items":12,"outputs":{}}`: {Measure: usual},
		`{"items":["a"],"outputs":{"raw_papers":[]},"anything":1}`: {Measure: usual, Items: json.RawMessage(`["a"]`), Outputs: json.RawMessage(`{"raw_papers":[]}`)},
		`{"历史输出":{"x":1}}`:                                         {Measure: usual, Outputs: json.RawMessage(`{"x":1}`)},
		`{"target":0.9,"metric":"recall","baseline":0.5}`:          {Measure: modes.Measure{Metric: "recall", Target: 0.9, Baseline: &half}},
		`{"metric":""}`: {Measure: usual},
	} {
		var got Order
		if err := got.Known([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want.Measure, got.Measure); diff != "" || string(want.Items) != string(got.Items) || string(want.Outputs) != string(got.Outputs) {
			t.Errorf("%s: items %s, outputs %s (-want +got):\n%s", text, got.Items, got.Outputs, diff)
		}
	}
	for _, text := range []string{``, `[]`, `{"target":"high"}`, `{"metric":1}`, `{"baseline":[]}`} {
		var r *task.Refusal
		if err := new(Order).Known([]byte(text)); !errors.As(err, &r) || r.Code != "E_CONTEXT" {
			t.Errorf("%s: %v, want E_CONTEXT", text, err)
		}
	}
}

// FuzzKnown: whatever a session says it knows, what is made of it is a sound template or a refusal.
func FuzzKnown(f *testing.F) {
	for _, seed := range []string{`{}`, `{"items":["a"],"outputs":{"a b":1,"${x}":2,"\"]":3}}`, `{"target":1e308,"metric":"${inputs.query}"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := order(t, "怎么优化", "{}", "")
		if o.Known([]byte(text)) != nil {
			return
		}
		made, err := Make(o)
		if errors.Is(err, ErrTooMany) { // there are more outputs than a template can name
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		parsed(t, made.Text)
	})
}
