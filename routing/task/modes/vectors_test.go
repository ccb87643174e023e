package modes

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/routing/task"
)

func fixture[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(path.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []T
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func atoms(t *testing.T, names ...string) []task.Atom {
	t.Helper()
	r, err := task.New(task.Data{})
	if err != nil {
		t.Fatal(err)
	}
	chain, err := r.Chain(names...)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func code(err error) string {
	var r *task.Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestChains runs chains whose atoms end as the fixture says; an atom that is not named is never
// reached. The fixture has no short circuit, so that field is left out of the comparison.
func TestChains(t *testing.T) {
	t.Parallel()
	type row struct {
		ID       string
		Chain    []string
		Results  map[string]Outcome
		Expected map[string]any
	}
	for _, c := range fixture[row](t, "chains.json") {
		w := Start(atoms(t, c.Chain...), 0)
		for a, _, ok := w.Next(); ok; a, _, ok = w.Next() {
			var err error
			if w, err = w.Report(c.Results[a.Code]); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
		}
		w.Short = nil
		raw, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.Expected, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
}

// loop is a case of the fixture of loops.
type loop struct {
	Mode     string
	Verdicts []Verdict
	Inner    int
	Reviews  []string
	Event    *Event
	Expected struct {
		Cycles, Inner, Outer int
		Exit, Error          string
	}
}

func TestLoops(t *testing.T) {
	t.Parallel()
	for i, c := range fixture[loop](t, "loops.json") {
		switch {
		case c.Mode == task.Exploratory:
			explored(t, i, c)
		case c.Event != nil:
			if _, err := (Research{}).Apply(*c.Event); code(err) != c.Expected.Error {
				t.Errorf("case %d: %v, want %s", i, err, c.Expected.Error)
			}
		default:
			researched(t, i, c)
		}
	}
}

func explored(t *testing.T, i int, c loop) {
	t.Helper()
	var e Exploration
	for _, v := range c.Verdicts {
		var err error
		if e, err = e.Cycle(v); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
	}
	if e.Cycles != c.Expected.Cycles || e.Exit != c.Expected.Exit {
		t.Errorf("case %d: %+v, want %+v", i, e, c.Expected)
	}
}

// researched runs as many inner rounds as there are, with a review whenever one is due or nothing is
// left to run.
func researched(t *testing.T, i int, c loop) {
	t.Helper()
	var r Research
	var err error
	left := c.Inner
	for _, decision := range c.Reviews {
		for ; left > 0 && !r.ReviewDue(); left-- {
			if r, err = r.Apply(Event{Loop: Inner, Kind: RoundEnded}); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
		}
		if r, err = r.Apply(Event{Loop: Outer, Kind: Reviewed, Result: decision}); err != nil {
			break
		}
	}
	if code(err) != c.Expected.Error {
		t.Fatalf("case %d: %v, want %q", i, err, c.Expected.Error)
	}
	if err == nil && (r.Inner != c.Expected.Inner || r.Outer != c.Expected.Outer || r.Exit != c.Expected.Exit) {
		t.Errorf("case %d: %+v, want %+v", i, r, c.Expected)
	}
}
