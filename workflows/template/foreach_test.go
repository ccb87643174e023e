package template

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForeach(t *testing.T) {
	t.Parallel()
	got := fromFile(t, "testdata/flow.yaml")
	for id, want := range map[string]*Foreach{
		"each":          {Items: "inputs.papers", Concurrency: 4, Join: JoinQuorum, Quorum: 0.8},
		"any":           {Items: "1..3", Join: JoinAny},
		"share":         {Items: "filter(ctx['summaries'], # != nil)", Join: JoinQuorum, Quorum: 0.5},
		"written-share": {Items: "ctx['summaries']", Join: JoinQuorum, Quorum: 0.25},
		"publish":       nil,
	} {
		if diff := cmp.Diff(want, named(t, got, id).Foreach); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
	each := named(t, got, "each")
	if diff := cmp.Diff([]string{"gpu", "ocr"}, each.Limit); diff != "" {
		t.Errorf("limit (-want +got)\n%s", diff)
	}
	if want := (Limits{8, Budget{2.5, 400000, 3600}}); got.Limits != want {
		t.Errorf("limits %+v, want %+v", got.Limits, want)
	}
	for _, id := range []string{"share", "written-share", "publish"} {
		if s := named(t, got, id); !cmp.Equal(s.Needs, []int{each.Index}) {
			t.Errorf("%s needs %v, want the writer of what it goes through", id, s.Needs)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source string
		want   []any
		err    string
	}{
		{"ctx.list", []any{1, "x", nil, map[string]any{"a": 1.5}}, ""},
		{"ctx['list'][1:2]", []any{"x"}, ""},
		{"1..3", []any{1, 2, 3}, ""},
		{"['a', 'b']", []any{"a", "b"}, ""},
		{"map(1..2, [#])", []any{[]any{1}, []any{2}}, ""},
		{"ctx.empty", []any{}, ""},
		{"keys(ctx.map)", []any{"a", "b"}, ""},
		{"ctx.gone", nil, "foreach of a: expression: it gives nil, not a list"},
		{"ctx.map", nil, "not a list"},
		{"ctx.text", nil, "it gives string, not a list"},
		{"ctx.gone.list", nil, "cannot fetch list from <nil>"},
		{"1..100001", nil, "it gives 100001 items, at most 100000 are taken"},
		{"1..100000000", nil, "memory budget exceeded"},
	} {
		s := Step{ID: "a", Foreach: &Foreach{Items: c.source}}
		got, err := s.Items(Env{Ctx: map[string]any{
			"list": []any{1, "x", nil, map[string]any{"a": 1.5}}, "empty": []any{}, "map": map[string]any{"b": 1, "a": 2}, "text": "abc",
		}})
		if c.err != "" {
			if !errors.Is(err, ErrExpression) || !strings.Contains(fmt.Sprint(err), c.err) || got != nil {
				t.Errorf("%s: got %v, %v; want %s", c.source, got, err, c.err)
			}
		} else if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", c.source, err, diff)
		}
	}
	if items, err := (&Step{}).Items(Env{}); items != nil || err != nil {
		t.Errorf("a step without foreach: %v, %v", items, err)
	}
}

// A result may be large; going through it must still be possible.
func TestItemsOfALargeResult(t *testing.T) {
	t.Parallel()
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{"n": i, "text": strings.Repeat("x", 6000)}
	}
	s := Step{ID: "a", Foreach: &Foreach{Items: "ctx['found'].papers"}}
	got, err := s.Items(Env{Ctx: map[string]any{"found": map[string]any{"papers": list}}})
	if err != nil || len(got) != len(list) || !cmp.Equal(got[9_999], list[9_999]) {
		t.Errorf("%d items, %v", len(got), err)
	}
}

func TestAnItemIsFilledIn(t *testing.T) {
	t.Parallel()
	each := named(t, fromFile(t, "testdata/flow.yaml"), "each")
	env := Env{Inputs: map[string]any{"papers": []any{1}}, Item: map[string]any{"id": 7, "title": "on ice"}, Index: 4}
	if holds, err := each.Holds(env); !holds || err != nil {
		t.Errorf("when: %v, %v", holds, err)
	}
	if goal, err := each.Goal(env); goal != "paper 4: on ice" || err != nil {
		t.Errorf("goal %q, %v", goal, err)
	}
	values, err := each.Values(env)
	if string(values["paper"]) != `{"id":7,"title":"on ice"}` || string(values["n"]) != "5" || err != nil {
		t.Errorf("values %s, %v", values, err)
	}
	expects(t, "run", `{"exec":["./one.sh","7","4"]}`, each.Execute, env)
	if variables, err := each.Environment(env); !cmp.Equal(variables, map[string]string{"PAPER": "7"}) || err != nil {
		t.Errorf("env %v, %v", variables, err)
	}
}

func TestNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		each  Foreach
		items int
		want  int
	}{
		{Foreach{Join: JoinAll}, 5, 5}, {Foreach{Join: JoinAll}, 0, 0},
		{Foreach{Join: JoinAny}, 5, 1}, {Foreach{Join: JoinAny}, 0, 0},
		{Foreach{Join: JoinBestEffort}, 5, 0},
		{Foreach{Join: JoinQuorum, Quorum: 0.8}, 5, 4}, {Foreach{Join: JoinQuorum, Quorum: 0.8}, 6, 5},
		{Foreach{Join: JoinQuorum, Quorum: 0.1}, 30, 3}, {Foreach{Join: JoinQuorum, Quorum: 0.07}, 100, 7},
		{Foreach{Join: JoinQuorum, Quorum: 1}, 3, 3}, {Foreach{Join: JoinQuorum, Quorum: 0.001}, 3, 1}, {Foreach{Join: JoinQuorum, Quorum: 0.5}, 0, 0},
	} {
		if got := c.each.Needed(c.items); got != c.want {
			t.Errorf("%+v of %d: got %d, want %d", c.each, c.items, got, c.want)
		}
	}
}
