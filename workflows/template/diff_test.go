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
