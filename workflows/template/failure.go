package template

import (
	"fmt"
	"slices"
)

// onFailure reads what a run does when a step has failed for good.
func (r *reader) onFailure(t *Template, p place, places []stepPlaces) {
	s, ok := r.line(p, mostName)
	if !ok {
		return
	}
	step, isStep := t.byID[s]
	switch {
	case s == Stop || s == Continue:
		t.OnFailure = s
	case s == Compensate:
		if r.takes(p, "on_failure: "+s) {
			t.OnFailure = s
			r.undoes(t, p)
		}
	case isStep:
		if r.takes(p, "on_failure: STEP") {
			t.OnFailure = s
			r.afterFailure(t, p, step, places)
		}
	default:
		r.fail(p, CodeBadValue, short(s)+" is nothing that can be done on failure", "write stop, continue, compensate or the id of a step")
	}
}

// undoes reports a template that compensates where nothing says how.
func (r *reader) undoes(t *Template, p place) {
	if len(r.faults) == 0 && !slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Compensate != nil || s.Workflow != nil }) {
		r.fail(p, CodeContradiction, "no step says how it is undone", "write compensate: {exec: [...]} in a step")
	}
}

// afterFailure takes a step out of the normal flow.
func (r *reader) afterFailure(t *Template, p place, i int, places []stepPlaces) {
	s := &t.Steps[i]
	s.AfterFailure = true
	if len(t.Steps) == 1 {
		r.fail(p, CodeContradiction, fmt.Sprintf("the only step %s would run only after a failure", short(s.ID)), "write another step")
	}
	if s.given {
		r.fail(places[i].needs, CodeContradiction, "the step runs only after a failure, it needs no other", "leave needs out")
		s.explicit = nil
	}
}

// late says whether nothing more is to be checked about a read, because its reader runs only after a
// failure and must cope with what is there, or because its writer does and no reader can count on it.
func (w *wiring) late(s *Step, read reading) bool {
	if s.AfterFailure {
		return len(w.writers[read.key]) > 0 || read.optional
	}
	if w.afterFailure == nil || w.afterFailure.Output != read.key || len(w.writers[read.key]) > 0 || read.optional {
		return false
	}
	w.fail(read.at, CodeWriterNotBefore,
		fmt.Sprintf("%s is read here, but only step %s writes it, which runs only after a failure", short(read.key), w.afterFailure.ID),
		"let another step write it")
	return true
}
