package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// plan is a random template together with what its steps will do, and the dumb twin of the engine:
// it says which steps end how, and knows nothing of events, commits or workers.
type plan struct {
	sequential bool
	carryOn    bool // on_failure: continue
	parallel   int
	slots      int
	byBaton    bool
	steps      []planStep
	endings    []ending // of the processes that come one after another
}

type planStep struct {
	given    bool // needs is written
	needs    []int
	when     string
	holds    bool
	attempts int
	backoff  time.Duration
	fails    int // recorded failures before it succeeds
	terminal bool
	takes    time.Duration
}

func drawPlan(t *rapid.T) plan {
	p := plan{
		sequential: rapid.Bool().Draw(t, "sequential"),
		carryOn:    rapid.Bool().Draw(t, "carry on"),
		parallel:   rapid.IntRange(0, 4).Draw(t, "parallel"),
		slots:      rapid.IntRange(1, 4).Draw(t, "slots"),
		byBaton:    rapid.Bool().Draw(t, "by baton"),
	}
	for i := range rapid.IntRange(1, 14).Draw(t, "steps") {
		p.steps = append(p.steps, drawStep(t, p, i))
	}
	for range rapid.IntRange(0, 4).Draw(t, "endings") {
		p.endings = append(p.endings, ending{
			at:  rapid.IntRange(1, 12).Draw(t, "at"),
			how: rapid.SampledFrom([]string{endRefused, endStored, endHanging}).Draw(t, "how"),
		})
	}
	return p
}

func drawStep(t *rapid.T, p plan, i int) planStep {
	s := planStep{
		given: rapid.Bool().Draw(t, "given"), holds: true, attempts: rapid.IntRange(1, 3).Draw(t, "attempts"),
		backoff: rapid.SampledFrom([]time.Duration{0, 20 * time.Millisecond, 3 * time.Second}).Draw(t, "backoff"),
		takes:   rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond, 2 * time.Second}).Draw(t, "takes"),
	}
	if s.given && i > 0 {
		s.needs = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, min(i, 4), rapid.ID).Draw(t, "needs")
	} else if !s.given && p.sequential && i > 0 {
		s.needs = []int{i - 1}
	}
	switch rapid.IntRange(0, 6).Draw(t, "when") {
	case 0:
		s.when, s.holds = "1 > 2", false
	case 1:
		s.when = "2 > 1"
	case 2: // a condition on what an earlier step wrote, if that one is sure to write before
		at := slices.IndexFunc(s.needs, func(j int) bool { return p.steps[j].holds })
		if at >= 0 {
			s.when = fmt.Sprintf("ctx['o.%s'].n > %d", stepID(s.needs[at]), i/2)
			s.holds = s.needs[at] > i/2
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "troubled") == 0 {
		s.fails, s.terminal = rapid.IntRange(1, 3).Draw(t, "fails"), rapid.Bool().Draw(t, "terminal")
	}
	return s
}

func stepID(i int) string { return fmt.Sprintf("s%02d", i) }

// text is the template.
func (p plan) text() string {
	var b strings.Builder
	b.WriteString("name: law\n")
	if !p.sequential {
		b.WriteString("order: dataflow\n")
	}
	if p.parallel > 0 {
		fmt.Fprintf(&b, "limits: {parallel: %d}\n", p.parallel)
	}
	if p.carryOn {
		b.WriteString("on_failure: continue\n")
	}
	b.WriteString("steps:\n")
	for i, s := range p.steps {
		fmt.Fprintf(&b, "  - {id: %s, run: {builtin: noop}, output: o.%s, retry: {attempts: %d, backoff: %s}", stepID(i), stepID(i), s.attempts, s.backoff)
		if s.given {
			needs := make([]string, len(s.needs))
			for k, j := range s.needs {
				needs[k] = stepID(j)
			}
			fmt.Fprintf(&b, ", needs: [%s]", strings.Join(needs, ", "))
		}
		if s.when != "" {
			fmt.Fprintf(&b, ", when: %q", s.when)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// fate is how the twin says that a step ends.
type fate map[string]string

// fates says how every step ends in a run that goes on as far as it can; mended says that nothing
// fails any more. Steps that cannot start are missing.
func (p plan) fates(mended bool) fate {
	out := fate{}
	for i, s := range p.steps {
		met := !slices.ContainsFunc(s.needs, func(j int) bool { f := out[stepID(j)]; return f != "completed" && f != "skipped" })
		switch {
		case !met:
		case !s.holds:
			out[stepID(i)] = "skipped"
		case !mended && (s.terminal || s.fails >= s.attempts) && s.fails > 0:
			out[stepID(i)] = "failed"
		default:
			out[stepID(i)] = "completed"
		}
	}
	return out
}

// startable lists the steps that have not ended well and whose needs have.
func (p plan) startable(ended fate) []string {
	var out []string
	well := func(id string) bool { return ended[id] == "completed" || ended[id] == "skipped" }
	for i, s := range p.steps {
		if !well(stepID(i)) && !slices.ContainsFunc(s.needs, func(j int) bool { return !well(stepID(j)) }) {
			out = append(out, stepID(i))
		}
	}
	return out
}

func (f fate) with(how string) []string {
	var out []string
	for id, end := range f {
		if end == how {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
