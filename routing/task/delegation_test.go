package task

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLint(t *testing.T) {
	t.Parallel()
	type row struct {
		Query    string
		Proposal Proposal
		Want     []string
	}
	for _, c := range fixture[row](t, "proposals.json") {
		if diff := cmp.Diff(c.Want, Lint(c.Query, c.Proposal)); diff != "" {
			t.Errorf("%q %+v (-want +got):\n%s", c.Query, c.Proposal, diff)
		}
	}
	all := Proposal{Goal: "q ", Context: "先加载skill A", Toolsets: []string{"task_delegation"}, Items: 11, Depth: 2}
	want := []string{"E_CONTEXT_NOT_EMPTY", "E_GOAL_NOT_VERBATIM", "E_TOO_MANY_ITEMS", "E_NESTED_DELEGATION", "E_TOOLSET"}
	if diff := cmp.Diff(want, Lint("q", all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSplitting(t *testing.T) {
	t.Parallel()
	batch := func(index, of, first, count int, item string) *Scope { return &Scope{index, of, item, first, count} }
	for _, c := range []struct {
		name    string
		targets []string
		items   int
		want    []*Scope
	}{
		{"one", nil, 0, []*Scope{nil}},
		{"ten", nil, 10, []*Scope{nil}},
		{"eleven", nil, 11, []*Scope{batch(1, 2, 1, 10, ""), batch(2, 2, 11, 1, "")}},
		{"thirty", nil, 30, []*Scope{batch(1, 3, 1, 10, ""), batch(2, 3, 11, 10, ""), batch(3, 3, 21, 10, "")}},
		{"targets", []string{"a", "b"}, 10, []*Scope{batch(1, 2, 0, 0, "a"), batch(2, 2, 0, 0, "b")}},
		// The spec has either targets or items; with both, no child may get more than ten items either.
		{"both", []string{"a", "b"}, 12, []*Scope{batch(1, 4, 1, 10, "a"), batch(2, 4, 11, 2, "a"), batch(3, 4, 1, 10, "b"), batch(4, 4, 11, 2, "b")}},
	} {
		var got []*Scope
		for _, d := range delegate("q", c.targets, c.items) {
			got = append(got, d.Scope)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
