package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const before = `
name: x
steps:
  - {id: a, skill: a, output: r}
  - {id: b, run: {exec: [./b.sh, "${ctx.r}"]}, inputs: {n: 1, m: {k: [1, 2]}}}
  - {id: c, skill: c, input: r, retry: {attempts: 2}}
`

const engineBefore = `
steps:
  - {id: a, skill: a, foreach: "1..3", concurrency: 2, join: any, output: r, limit: [x, y], env: {A: b, B: c}}
  - {id: b, run: {http: {url: https://a, method: get}}, effects: at-most-once, unknown: {probe: {exec: [p]}}}
  - {id: c, skill: c, confirm: {expires: 1d}, compensate: {exec: [u]}}
  - {id: d, run: {wait: {until: 2026-12-24T09:00:00+01:00}}}
on_failure: d
`

func TestDiffOfWhatTheEngineDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new string
		want     Difference
	}{
		{"limit: [x, y], env: {A: b, B: c}", "env: {B: c, A: b}, limit: [y, x, y]", Difference{}},
		{"foreach: \"1..3\"", "foreach: '${1..3}'", Difference{}},
		{"url: https://a, method: get", "method: GET, url: https://a", Difference{}},
		{"expires: 1d", "expires: 24h", Difference{}},
		{"2026-12-24T09:00:00+01:00", "'2026-12-24T08:00:00Z'", Difference{}},
		{"{until: 2026-12-24T09:00:00+01:00}", "{for: 1h}", Difference{Changed: []string{"d"}}},
		{"1..3", "1..4", Difference{Changed: []string{"a"}}},
		{"concurrency: 2", "concurrency: 3", Difference{Changed: []string{"a"}}},
		{"join: any", "join: 'quorum: 0.5'", Difference{Changed: []string{"a"}}},
		{"limit: [x, y]", "limit: x", Difference{Changed: []string{"a"}}},
		{"A: b", "A: bb", Difference{Changed: []string{"a"}}},
		{"https://a", "https://b", Difference{Changed: []string{"b"}}},
		{"effects: at-most-once, unknown: {probe: {exec: [p]}}", "timeout: 0", Difference{Changed: []string{"b"}}},
		{"unknown: {probe: {exec: [p]}}", "unknown: retry", Difference{Changed: []string{"b"}}},
		{"exec: [p]", "exec: [q]", Difference{Changed: []string{"b"}}},
		{"expires: 1d", "question: sure", Difference{Changed: []string{"c"}}},
		{"confirm: {expires: 1d}, ", "", Difference{Changed: []string{"c"}}},
		{"exec: [u]", "exec: [v]", Difference{Changed: []string{"c"}}},
		{", compensate: {exec: [u]}", "", Difference{Changed: []string{"c"}}},
		{"on_failure: d", "on_failure: stop", Difference{Header: []string{"on_failure"}}},
		{"on_failure: d", "on_failure: d\nlimits: {budget: {usd: 1}}", Difference{Header: []string{"limits"}}},
		{"on_failure: d", "on_failure: d\nenv: {B: c}", Difference{Changed: []string{"b", "c"}}},
	} {
		after := strings.Replace(engineBefore, c.old, c.new, 1)
		if after == engineBefore {
			t.Fatalf("%q is not in the text", c.old)
		}
		if diff := cmp.Diff(c.want, Diff(parsed(t, engineBefore), parsed(t, after))); diff != "" {
			t.Errorf("%s → %s (-want +got)\n%s", c.old, c.new, diff)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, after string
		want        Difference
	}{
		{"nothing", before, Difference{}},
		{"layout, comments, order of fields", `
# a comment
steps:
  - skill: a   # another
    output: "r"
    id: a
  - id: b
    inputs: {m: {"k": [1, 2]}, n: 1}
    run:
      exec:
        - ./b.sh
        - "${ctx.r}"
  - {id: c, retry: {attempts: 2, backoff: 1s}, skill: c, input: [r]}
name: x
`, Difference{}},
		{"added and removed", strings.Replace(before, "{id: b,", "{id: b2,", 1), Difference{Added: []string{"b2"}, Removed: []string{"b"}}},
		{"changed", strings.NewReplacer("b.sh", "bb.sh", "attempts: 2", "attempts: 3").Replace(before), Difference{Changed: []string{"b", "c"}}},
		{"value deep inside", strings.Replace(before, "[1, 2]", "[1, 3]", 1), Difference{Changed: []string{"b"}}},
		{"a default reaches the steps", before + "defaults: {timeout: 1m}\n", Difference{Changed: []string{"a", "b", "c"}}},
		{"needs written", strings.Replace(before, "id: c,", "id: c, needs: [b],", 1), Difference{Changed: []string{"c"}}},
		{"header", strings.Replace(before, "name: x", "name: y\nlimits: {parallel: 2}\non_failure: continue\ninputs: {t: {type: string}}", 1),
			Difference{Header: []string{"name", "inputs", "limits", "on_failure"}}},
		{"moved", `
name: x
steps:
  - {id: a, skill: a, output: r}
  - {id: c, skill: c, input: r, retry: {attempts: 2}}
  - {id: b, run: {exec: [./b.sh, "${ctx.r}"]}, inputs: {n: 1, m: {k: [1, 2]}}}
`, Difference{Header: []string{"sequence of steps"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Diff(parsed(t, before), parsed(t, c.after))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got.None() != (got.String() == "no difference") {
				t.Errorf("none is %v, text is %q", got.None(), got)
			}
		})
	}
	d := Difference{Added: []string{"x", "y"}, Removed: []string{"z"}, Changed: []string{"c"}, Header: []string{"order"}}
	if want := "steps added: x, y\nsteps removed: z\nsteps changed: c\nalso changed: order"; d.String() != want {
		t.Errorf("got %q, want %q", d, want)
	}
}
