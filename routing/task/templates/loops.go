package templates

import (
	"fmt"
	"strings"

	"github.com/batonflow/baton/routing/task"
)

// interrupt is the key that a person writes to end a loop after the cycle that runs.
const interrupt = "interrupt"

// Interrupt is the context key that ends the loop of a run once it holds anything but false.
func Interrupt(run string) string { return run + "." + interrupt }

// goesOn holds as long as a loop has not come to its exit.
func goesOn(key string) string { return fmt.Sprintf("%s?.exit == ''", read(key)) }

// exploration writes the cycles of an exploratory loop, each with the step that judges it.
func (w *writer) exploration() error {
	if err := w.loops(); err != nil {
		return err
	}
	w.bootstrap()
	always := len(w.guard)
	before := ""
	for n := 1; n <= task.MostCycles; n++ {
		w.guard = w.guard[:always:always]
		if before != "" {
			w.guard = append(w.guard, goesOn(before))
		}
		before = w.round(round{atoms: w.Chain, n: n, judge: "task-cycle", id: fmt.Sprintf("cycle-%d", n), before: before})
	}
	return nil
}

// loops refuses what no loop can work on.
func (w *writer) loops() error {
	if n := len(w.Decision.Delegations); n > 1 {
		return fmt.Errorf("%w: a loop hands its work to one child, which can do %d items", ErrTooMany, task.MostItemsPerChild)
	}
	return nil
}

// round is one pass of a loop: its atoms, and the step that judges what they brought.
type round struct {
	atoms  []task.Atom
	n      int
	judge  string
	id     string
	before string // key of what was kept before; empty: nothing
}

// round writes a pass. It gives the key of what is kept of it.
func (w *writer) round(r round) string {
	for _, a := range r.atoms {
		w.next(a, fmt.Sprintf("%s-%d", a.Skill, r.n))
	}
	return w.judge(r, w.from[len(w.from)-1])
}

// judge writes the step that decides how a loop goes on. Result is the key of what it judges.
func (w *writer) judge(r round, result string) string {
	measure := w.Measure
	measure.Metric = plain(measure.Metric)
	turn := map[string]any{
		"measure": measure, "stop": "${" + read(Interrupt(w.Run)) + " ?? false}", "before": r.before, "result": result,
	}
	s := step{
		ID: r.id, Run: map[string]any{"builtin": r.judge}, Inputs: turn, Output: w.key(r.id), When: strings.Join(w.guard, " && "),
	}
	for _, key := range []string{r.before, result} {
		if key != "" {
			s.Input = append(s.Input, key)
		}
	}
	w.steps = append(w.steps, s)
	return w.key(r.id)
}

// research writes the two loops. The outer one plans, which is handing out the atoms that do not
// execute, and reviews after every few rounds; the inner one executes. A plan is made anew only when
// a review turned it round.
func (w *writer) research() error {
	if err := w.loops(); err != nil {
		return err
	}
	var plan, execute []task.Atom
	for _, a := range w.Chain {
		if a.Inner {
			execute = append(execute, a)
		} else {
			plan = append(plan, a)
		}
	}
	always, kept := len(w.guard), ""
	for outer := 1; outer <= task.MostReviews; outer++ {
		for inner := 1; inner <= task.RoundsPerReview; inner++ {
			n := (outer-1)*task.RoundsPerReview + inner
			w.guard = w.guard[:always:always]
			if kept != "" {
				w.guard = append(w.guard, goesOn(kept))
			}
			r := round{n: n, judge: "task-round", id: fmt.Sprintf("round-%d", n), before: kept, atoms: execute}
			if n == 1 {
				r.atoms = w.Chain
				kept = w.round(r)
				always += w.finds()
				continue
			}
			if inner == 1 {
				w.replan(plan, outer, kept)
			}
			kept = w.round(r)
		}
		w.guard = append(w.guard[:always:always], goesOn(kept))
		review := round{judge: "task-review", id: fmt.Sprintf("review-%d", outer), before: kept}
		kept = w.judge(review, "")
	}
	return nil
}

// replan hands the planning out again where the last review turned the plan round.
func (w *writer) replan(plan []task.Atom, outer int, review string) {
	pivot := fmt.Sprintf("%s?.decision == 'pivot'", read(review))
	for _, a := range plan {
		w.nextIf(a, fmt.Sprintf("%s-plan-%d", a.Skill, outer), pivot)
	}
}

// finds counts the conditions that the first pass has added.
func (w *writer) finds() int {
	n := 0
	for _, a := range w.Chain {
		if a.Finds {
			n++
		}
	}
	return n
}
