package template

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds every text to this: a template or faults, never both or neither; positions within
// the text; the same again; and a template that can be walked and filled in.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/full.yaml", "testdata/executors.yaml", "testdata/flow.yaml", "testdata/research-publish.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, c := range slices.Concat(faultCases, executorFaults, flowFaults, sandboxFaults) {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Add([]byte(typedInputs))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, faults := parse(text, Known{}, nil)
		if (got == nil) == (len(faults) == 0) {
			t.Fatalf("template %v with faults %v", got, faults)
		}
		lines := 1
		for _, c := range string(text) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", c) { // all of them break a line in YAML
				lines++
			}
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > lines || fault.Column < 1 || fault.Code == "" || fault.Message == "" {
				t.Errorf("%+v in %q", fault, text)
			}
		}
		again, faultsAgain := parse(text, Known{}, nil)
		if diff := cmp.Diff(faults, faultsAgain); diff != "" {
			t.Errorf("faults differ (-first +second)\n%s", diff)
		}
		if got == nil {
			return
		}
		if d := Diff(got, again); !d.None() {
			t.Errorf("differs from itself: %s", d)
		}
		walk(t, got)
	})
}

// walk runs all there is in a template, in an order that its needs allow.
func walk(t *testing.T, got *Template) {
	done, left := map[int]bool{}, len(got.Steps)
	for left > 0 {
		before := left
		for i := range got.Steps {
			s := &got.Steps[i]
			if done[i] || slices.ContainsFunc(s.Needs, func(need int) bool { return !done[need] }) {
				continue
			}
			done[i] = true
			left--
			fillIn(s)
		}
		if left == before {
			t.Fatalf("%d steps can never start", left)
		}
	}
}

// fillIn may fail on what is not there, and must not panic.
func fillIn(s *Step) {
	_, _ = s.Holds(Env{})
	_, _ = s.Items(Env{})
	_, _ = s.Goal(Env{})
	_, _ = s.Values(Env{})
	_, _ = s.Execute(Env{})
	_, _ = s.Question(Env{})
	_, _ = s.Until(Env{})
	_, _ = s.Environment(Env{})
	for _, action := range []*Action{s.Probe, s.Compensate} {
		if action != nil {
			_, _ = action.Execute(Env{})
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, text := range []string{"Bearer ${env:A}", "$${env:A}", "${file:/a'b}x${env:}", "${", "${inputs.a}", "$"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Resolve(text, func(kind, name string) (string, error) { return "${" + kind + ":" + name + "}", nil })
		if err == nil && !strings.Contains(text, "$${") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, text := range []string{"${inputs.n}", "x${ctx['a'].b ?? 1}$${", "${len(ctx.a) > 0}", "${reduce(1..9, #acc + #acc, 'x')}",
		"${ {'a': 1} }", "${sortBy(ctx.list, .x)}", "${uniq(ctx.list) | join(',')}", "${nil}", "${let x = 1; x}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		env := Env{Inputs: map[string]any{"n": 3}, Ctx: map[string]any{"a": "b", "list": []any{1, "x", nil, map[string]any{"x": 1}}}}
		got, err := expand(text, nil, env)
		again, errAgain := expand(text, nil, env)
		if (err == nil) != (errAgain == nil) {
			t.Errorf("%q: %v, then %v", text, err, errAgain)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Errorf("%q differs (-first +second)\n%s", text, diff)
		}
		if err == nil {
			if _, err := compact(got); err != nil {
				t.Errorf("%q: %v is no JSON: %v", text, got, err)
			}
		}
	})
}
