package template

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sketch is a random template: its steps are s0, s1 …, its keys k0, k1 …
type sketch struct {
	dataflow bool
	steps    []sketchStep
	handler  int // the step that runs only after a failure; -1: none
}

type sketchStep struct {
	given  bool
	needs  []int
	reads  []int
	writes int // -1: nothing
	undoes int // key that its compensation reads; below 0: none
}

func drawSketch(t *rapid.T) sketch {
	n := rapid.IntRange(1, 9).Draw(t, "steps")
	acyclic := rapid.Bool().Draw(t, "acyclic")
	s := sketch{dataflow: rapid.Bool().Draw(t, "dataflow"), steps: make([]sketchStep, n)}
	key := rapid.IntRange(0, 4)
	for i := range s.steps {
		st := &s.steps[i]
		st.given = rapid.Bool().Draw(t, "given")
		most := n - 1
		if acyclic {
			most = i - 1
		}
		if st.given && most >= 0 {
			st.needs = rapid.SliceOfN(rapid.IntRange(0, most), 0, 3).Draw(t, "needs")
		}
		st.reads = rapid.SliceOfNDistinct(key, 0, 2, rapid.ID).Draw(t, "reads")
		st.writes = rapid.IntRange(-1, 4).Draw(t, "writes")
		st.undoes = rapid.IntRange(-3, 4).Draw(t, "undoes")
	}
	s.handler = -1
	if n > 1 {
		s.handler = rapid.IntRange(-1, n-1).Draw(t, "handler")
	}
	if s.handler >= 0 {
		s.steps[s.handler].given, s.steps[s.handler].needs = false, nil
		for i := range s.steps {
			s.steps[i].needs = slices.DeleteFunc(s.steps[i].needs, func(need int) bool { return need == s.handler })
		}
	}
	return s
}

func (s sketch) text() string {
	var b strings.Builder
	if s.dataflow {
		b.WriteString("order: dataflow\n")
	}
	b.WriteString("steps:\n")
	for i, st := range s.steps {
		fmt.Fprintf(&b, "  - id: s%d\n    skill: a\n", i)
		if st.given {
			fmt.Fprintf(&b, "    needs: [%s]\n", names("s", st.needs))
		}
		// the first key is read by input, the second by an expression
		if len(st.reads) > 0 {
			fmt.Fprintf(&b, "    input: k%d\n", st.reads[0])
		}
		if len(st.reads) > 1 {
			fmt.Fprintf(&b, "    intent: \"${ctx['k%d']}\"\n", st.reads[1])
		}
		if st.writes >= 0 {
			fmt.Fprintf(&b, "    output: k%d\n", st.writes)
		}
		if st.undoes >= 0 {
			fmt.Fprintf(&b, "    compensate: {exec: [a, \"${ctx['k%d']}\"]}\n", st.undoes)
		}
	}
	if s.handler >= 0 {
		fmt.Fprintf(&b, "on_failure: s%d\n", s.handler)
	}
	return b.String()
}

func names(letter string, list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = fmt.Sprintf("%s%d", letter, n)
	}
	return strings.Join(out, ", ")
}

// twin is the dumb way to what wire does: everything to the power of three.
type twin struct {
	needs [][]bool // by step: direct
	after [][]bool // by step: direct or not
}

func closure(needs [][]bool) [][]bool {
	n := len(needs)
	after := make([][]bool, n)
	for i := range after {
		after[i] = slices.Clone(needs[i])
	}
	for k := range n {
		for i := range n {
			for j := range n {
				after[i][j] = after[i][j] || after[i][k] && after[k][j]
			}
		}
	}
	return after
}

func (s sketch) twin() twin {
	n := len(s.steps)
	needs := make([][]bool, n)
	last := -1
	for i, st := range s.steps {
		needs[i] = make([]bool, n)
		if i == s.handler {
			continue
		}
		for _, need := range st.needs {
			needs[i][need] = true
		}
		if !s.dataflow && !st.given && last >= 0 {
			needs[i][last] = true
		}
		last = i
	}
	if s.dataflow {
		explicit := closure(needs)
		for i, st := range s.steps {
			if i == s.handler {
				continue
			}
			for _, key := range st.reads {
				writers := s.writers(key)
				for _, w := range writers {
					if w != i && !(len(writers) > 1 && explicit[w][i]) {
						needs[i][w] = true
					}
				}
			}
		}
	}
	return twin{needs, closure(needs)}
}

func (s sketch) writers(key int) (list []int) {
	for i, st := range s.steps {
		if st.writes == key && i != s.handler {
			list = append(list, i)
		}
	}
	return list
}

// want gives the faults by code and step. Of two_writers only the keys are told.
func (s sketch) want(tw twin) (faults []string) {
	cyclic := false
	for i := range s.steps {
		for j := range s.steps {
			if tw.after[i][j] && tw.after[j][i] {
				if i == j {
					faults = append(faults, fmt.Sprintf("cycle s%d", i))
					cyclic = true
				}
				break
			}
		}
	}
	for i, st := range s.steps {
		for _, key := range st.reads {
			faults = append(faults, s.wantOfRead(tw, i, key, cyclic)...)
		}
		if st.undoes >= 0 && st.undoes != st.writes { // what it writes is there when it is undone
			faults = append(faults, s.wantOfRead(tw, i, st.undoes, cyclic)...)
		}
	}
	for key := range 5 {
		clash := false
		for _, a := range s.writers(key) {
			for _, b := range s.writers(key) {
				clash = clash || a != b && !tw.after[a][b] && !tw.after[b][a]
			}
		}
		if clash && !cyclic {
			faults = append(faults, fmt.Sprintf("two_writers k%d", key))
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

func (s sketch) wantOfRead(tw twin, reader, key int, cyclic bool) []string {
	writers := s.writers(key)
	early := !slices.ContainsFunc(writers, func(w int) bool { return tw.after[reader][w] })
	late := s.handler >= 0 && s.steps[s.handler].writes == key // by the handler, on which nobody can count
	switch {
	case len(writers) == 0 && late && reader != s.handler, len(writers) > 0 && early && reader != s.handler && !cyclic:
		return []string{fmt.Sprintf("writer_not_before s%d k%d", reader, key)}
	case len(writers) == 0:
		return []string{fmt.Sprintf("no_writer s%d k%d", reader, key)}
	}
	return nil
}

// told writes the faults that were found as the twin does.
func (s sketch) told(faults Faults) (list []string) {
	for _, f := range faults {
		var step int
		if _, err := fmt.Sscanf(f.Path, "steps[%d]", &step); err != nil {
			list = append(list, f.String())
			continue
		}
		quoted := strings.SplitN(f.Message, `"`, 3)
		switch f.Code {
		case CodeCycle:
			list = append(list, fmt.Sprintf("cycle s%d", step))
		case CodeTwoWriters:
			list = append(list, "two_writers "+quoted[1])
		default:
			list = append(list, fmt.Sprintf("%s s%d %s", f.Code, step, quoted[1]))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestWiringAgreesWithItsTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSketch(t)
		tw := s.twin()
		got, faults := parse([]byte(s.text()), Known{}, nil)
		if diff := cmp.Diff(s.want(tw), s.told(faults)); diff != "" {
			t.Fatalf("%s\nfaults (-want +got)\n%s\n%v", s.text(), diff, faults)
		}
		if got == nil {
			for _, f := range faults {
				if f.Code == CodeCycle {
					s.checkCycle(t, tw, f)
				}
			}
			return
		}
		for i, step := range got.Steps {
			var want []int
			for j, need := range tw.needs[i] {
				if need {
					want = append(want, j)
				}
			}
			if !slices.Equal(want, step.Needs) {
				t.Fatalf("%s\nneeds of s%d: got %v, want %v", s.text(), i, step.Needs, want)
			}
		}
	})
}

// checkCycle walks the cycle that a message names.
func (s sketch) checkCycle(t *rapid.T, tw twin, f Fault) {
	_, path, _ := strings.Cut(f.Message, ": ")
	steps := strings.Split(path, " → ")
	if len(steps) < 2 || steps[0] != steps[len(steps)-1] {
		t.Fatalf("no round trip: %s", f)
	}
	for i := 1; i < len(steps); i++ {
		var from, to int
		if _, err := fmt.Sscanf(steps[i-1]+" "+steps[i], "s%d s%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		if !tw.needs[from][to] {
			t.Fatalf("s%d does not need s%d in %s\n%s", from, to, f, s.text())
		}
	}
}
