package templates

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/modes"
	"github.com/batonflow/baton/workflows/template"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// order is what a query is run as.
func order(t require, query, known, hint string) Order {
	t.Helper()
	r, err := task.New(task.Data{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := task.ReadContext([]byte(known))
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Route(task.Request{Query: query, Context: c, ModeHint: hint})
	if err != nil {
		t.Fatal(err)
	}
	o := Order{Run: "r-1", Decision: d, Join: r.Joiner(), Query: query, Measure: modes.Measure{Metric: modes.DefaultMetric, Target: modes.DefaultTarget}}
	if d.Plan != nil {
		if o.Chain, err = r.Chain(d.AtomChain...); err != nil {
			t.Fatal(err)
		}
		o.Bootstrap = r.Bootstrap(o.Chain, c)
	}
	return o
}

type require interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func parsed(t require, text string) *template.Template {
	t.Helper()
	tpl, faults := template.Parse([]byte(text), template.Known{})
	if len(faults) > 0 {
		t.Fatalf("%v in\n%s", faults, text)
	}
	return tpl
}

func TestGoldenTemplates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ query, known, hint string }{
		"standard": {"搜索3D nystagmus文献", "{}", ""},
		"parallel": {"同时搜索VOR和BPPV两个方向的文献并分析矛盾", "{}", ""},
		"batches":  {"下载文献", `{"items":25}`, ""},
		"start":    {"这两类方法有什么关联", `{"executed":["ACQ"],"outputs":{"raw_papers":[]}}`, ""},
		"slash":    {"/extract-facts the ${inputs} of it", "{}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := order(t, c.query, c.known, c.hint)
			if strings.Contains(c.known, "outputs") {
				o.Outputs = json.RawMessage(`{"raw_papers":[]}`)
			}
			got, err := Make(o)
			if err != nil {
				t.Fatal(err)
			}
			parsed(t, got.Text)
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, []byte(got.Text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.Text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoopsAreWrittenOut: a loop is as long as its bound, and every step behind a cycle asks what it decided.
func TestLoopsAreWrittenOut(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct{ steps, judges int }{
		"怎么优化这个方法": {2 + 10*4, 10},
		"写论文":      {7 + 24*4 + 4*3 + 5, 25 + 5},
	} {
		got, err := Make(order(t, query, "{}", ""))
		if err != nil {
			t.Fatal(err)
		}
		tpl := parsed(t, got.Text)
		judges := 0
		for _, s := range tpl.Steps {
			if s.Executor == template.Builtin {
				judges++
			}
			if judges > 1 && !strings.Contains(s.When, "exit") {
				t.Errorf("%s: step %s does not ask whether the loop goes on", query, s.ID)
			}
		}
		if len(tpl.Steps) != want.steps || judges != want.judges {
			t.Errorf("%s: %d steps with %d judges, want %+v", query, len(tpl.Steps), judges, want)
		}
	}
}

func TestWhatCannotBeRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query, known string
		want         error
	}{
		"all done":             {"搜索文献", `{"executed":["ACQ","EXT"]}`, ErrDone},
		"all done by children": {"同时搜索A和B的文献", `{"executed":["ACQ","EXT"]}`, ErrDone},
		"too many children":    {"下载文献", `{"items":1001}`, ErrTooMany},
		"a loop over many":     {"怎么优化", `{"items":11}`, ErrTooMany},
		"two loops over many":  {"写论文", `{"items":11}`, ErrTooMany},
	} {
		if _, err := Make(order(t, c.query, c.known, "")); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestEveryTemplateIsSound: whatever is asked, what can be run is a template without a fault, and no
// text of the query stands in it.
func TestEveryTemplateIsSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := "q" + rapid.StringMatching(`[A-Z]{12}`).Draw(t, "secret")
		verb := rapid.SampledFrom([]string{"搜索", "分析", "怎么优化", "写论文", "同时搜索${a}和b", "验证", "假设"}).Draw(t, "verb")
		known := rapid.SampledFrom([]string{"{}", `{"items":12}`, `{"executed":["ACQ"]}`, `{"subtasks":["x","y${z}"]}`, `{"items":99,"subtasks":["a","b","c"]}`}).Draw(t, "context")
		got, err := Make(order(t, secret+" ${inputs.query}，"+verb, known, ""))
		if errors.Is(err, ErrTooMany) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		parsed(t, got.Text)
		if strings.Contains(got.Text, secret) {
			t.Fatalf("the query stands in the template:\n%s", got.Text)
		}
		var query string
		if json.Unmarshal(got.Inputs["query"], &query) != nil || !strings.Contains(query, secret) {
			t.Fatalf("the query is not handed on: %s", got.Inputs["query"])
		}
	})
}
