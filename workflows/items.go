package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// Items are the calls of a foreach step: one for each item of a list that is kept once.
type Items struct {
	Value   events.Value // the list
	Phases  []StepPhase  // of each item
	Next    int          // the first item that was never opened
	Again   []int        // items to open again, after a resume
	Open    int
	Done    int
	Failed  int
	Failure *events.Failure // of the item that failed first

	elements []json.RawMessage `freeze:"-"` // of Value, once they were looked up; what they are never changes
}

// element is the item at a place of the list.
func (it *Items) element(n int, w sessions.World) (json.RawMessage, error) {
	if it.elements == nil {
		list, err := w.Items(it.Value)
		if err != nil {
			return nil, err
		}
		it.elements = list
	}
	if n >= len(it.elements) {
		return nil, fmt.Errorf("the list has %d items, not %d", len(it.elements), n+1)
	}
	return it.elements[n], nil
}

// Count is how many items there are.
func (it *Items) Count() int { return len(it.Phases) }

// take is the next item to open: one that is to be tried again, or the first that was never opened.
func (it *Items) take() (int, bool) {
	if len(it.Again) > 0 {
		return it.Again[0], true
	}
	return it.Next, it.Next < it.Count()
}

// listed begins a foreach step.
func (s *State) listed(d events.ItemsListed) {
	r, i, ok := s.step(d.Run, d.Step)
	if !ok || d.Count < 0 || d.Count > template.MaxItems {
		return
	}
	r.unready(i)
	it := &Items{Value: d.Items, Phases: make([]StepPhase, d.Count)}
	for n := range it.Phases {
		it.Phases[n] = StepPending
	}
	r.Steps[i] = Step{Phase: StepOpen, Items: it}
	r.fanning = append(r.fanning, i)
	slices.Sort(r.fanning)
}

// itemOpened notes that an item's call was opened.
func (it *Items) itemOpened(n int) {
	if n >= it.Count() || it.Phases[n] == StepOpen {
		return
	}
	it.Again = slices.DeleteFunc(it.Again, func(again int) bool { return again == n })
	it.Next = max(it.Next, n+1)
	it.Phases[n] = StepOpen
	it.Open++
}

// itemOver notes how an item's call ended.
func (it *Items) itemOver(n int, phase StepPhase, failure *events.Failure) {
	if n >= it.Count() || it.Phases[n] != StepOpen {
		return
	}
	it.Phases[n] = phase
	it.Open--
	switch phase {
	case StepDone:
		it.Done++
	case StepFailed:
		it.Failed++
		if it.Failure == nil {
			it.Failure = failure
		}
	}
}

// again makes every item that has not completed one to be opened anew.
func (it *Items) again() *Items {
	next := &Items{Value: it.Value, Phases: slices.Clone(it.Phases), Next: it.Next, Done: it.Done}
	for n, phase := range next.Phases[:next.Next] {
		if phase != StepDone {
			next.Phases[n] = StepPending
			next.Again = append(next.Again, n)
		}
	}
	return next
}

// joined ends a foreach step well.
func (s *State) joined(d events.StepJoined) {
	if r, i, ok := s.step(d.Run, d.Step); ok && r.Steps[i].Phase == StepOpen {
		r.unfan(i)
		r.settle(i, StepDone)
	}
}

func (r *Run) unfan(i int) {
	r.fanning = slices.DeleteFunc(r.fanning, func(at int) bool { return at == i })
}

// itemOf is the item that a call of a foreach step is for.
func itemOf(call string) (int, bool) {
	open := strings.LastIndexByte(call, '[')
	if open < 0 || !strings.HasSuffix(call, "]") {
		return 0, false
	}
	n, err := strconv.Atoi(call[open+1 : len(call)-1])
	return n, err == nil && n >= 0
}

// ItemCall is the id of the call for an item of a step.
func (r *Run) ItemCall(step string, n int) string { return fmt.Sprintf("%s[%d]", r.CallID(step), n) }
