package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/task"
)

// children writes a branch for each child, which sees nothing of the others and fails for itself
// alone, and the step that brings them together.
func (w *writer) children() error {
	list := w.Decision.Delegations
	if len(list) > MostChildren {
		return fmt.Errorf("%w: %d children are needed, at most %d are taken", ErrTooMany, len(list), MostChildren)
	}
	if w.Decision.StartAt == len(w.Chain) {
		return ErrDone
	}
	before := slices.Clone(w.from)
	var outputs [][]string
	var ends, begun []string
	for i := range list {
		keys, last := w.branch(&list[i], before)
		outputs, ends = append(outputs, keys), append(ends, last)
		begun = append(begun, arrived(keys[len(before)]))
	}
	if w.Decision.Route != task.Parallel {
		return nil
	}
	join := call{
		atom: w.Join, id: w.Join.Skill + "-join", needs: &ends, from: outputs,
		guard: []string{"(" + strings.Join(begun, " || ") + ")"},
	}
	w.steps = append(w.steps, w.atom(join))
	return nil
}

// branch writes the chain of one child. It gives the keys of its outputs and its last step.
func (w *writer) branch(child *task.Delegation, before []string) (keys []string, last string) {
	keys = slices.Clone(before)
	needs := []string{}
	if len(before) > 0 {
		needs = []string{"given"}
	}
	var guard []string
	for _, a := range w.Chain[w.Decision.StartAt:] {
		id := fmt.Sprintf("%s-%d", a.Skill, child.Scope.Index)
		c := call{atom: a, id: id, child: child, branch: true, guard: slices.Clone(guard), needs: new([]string)}
		*c.needs = needs
		if len(keys) > 0 {
			c.from = [][]string{slices.Clone(keys)}
		}
		w.steps = append(w.steps, w.atom(c))
		guard = append(guard, arrived(w.key(id)))
		if a.Finds {
			guard = append(guard, found(w.key(id)))
		}
		keys, needs, last = append(keys, w.key(id)), []string{id}, id
	}
	return keys, last
}
