package workflows

import (
	"encoding/json"
	"fmt"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows/template"
)

// list begins a foreach step: its list is evaluated once and kept.
func (s *State) list(r *Run, step *template.Step, env template.Env, w sessions.World) []events.Data {
	items, err := step.Items(env)
	if err != nil {
		return giveUp(r, step, "foreach_failed", err)
	}
	raw, err := events.Marshal(items)
	if err != nil {
		return giveUp(r, step, "foreach_failed", err)
	}
	kept, err := w.Keep(raw)
	if err != nil {
		return giveUp(r, step, "foreach_failed", err)
	}
	return []events.Data{events.ItemsListed{Run: r.Run, Step: step.ID, Items: kept, Count: len(items)}}
}

// fan goes on with the foreach steps of a run: one joins, fails, or opens its next item.
func (s *State) fan(r *Run, w sessions.World) []events.Data {
	for _, i := range r.fanning {
		step, it := &r.Template.Steps[i], r.Steps[i].Items
		switch {
		case step.Foreach == nil:
			continue // an accepted template made it a plain step; resume plans it anew
		case enough(step.Foreach, it) && it.Open > 0:
			return s.dropOpen(r, i)
		case enough(step.Foreach, it):
			return s.join(r, i, w)
		case hopeless(step.Foreach, it):
			if it.Open == 0 {
				return []events.Data{events.StepFailed{Run: r.Run, Step: step.ID, Failure: failureOf(it)}}
			}
			continue
		}
		n, more := it.take()
		room := step.Foreach.Concurrency == 0 || it.Open < step.Foreach.Concurrency
		if more && room && !r.full() && r.may(i) && !s.budgetAsked(r) {
			return s.openItem(r, i, n, w)
		}
	}
	return nil
}

func enough(f *template.Foreach, it *Items) bool {
	if f.Join == template.JoinBestEffort {
		_, more := it.take()
		return !more && it.Open == 0
	}
	return it.Done >= f.Needed(it.Count())
}

func hopeless(f *template.Foreach, it *Items) bool {
	return f.Join != template.JoinBestEffort && it.Count()-it.Failed < f.Needed(it.Count())
}

func failureOf(it *Items) events.Failure {
	f := events.Failure{Class: "terminal", Code: "items_failed"}
	if it.Failure != nil {
		f = *it.Failure
	}
	f.Message = fmt.Sprintf("%d of %d items failed; the first: %s", it.Failed, it.Count(), f.Message)
	return f
}

// maxDrop is how many open items are cancelled at once.
const maxDrop = 64

// dropOpen ends the items that a join no longer waits for.
func (s *State) dropOpen(r *Run, i int) []events.Data {
	var out []events.Data
	for n, phase := range r.Steps[i].Items.Phases {
		if phase != StepOpen || len(out) >= maxDrop {
			continue
		}
		call := s.Calls[r.ItemCall(r.Template.Steps[i].ID, n)]
		out = append(out, events.CallCancelled{Call: call.ID(), Attempt: call.Live(), Reason: "enough items have completed"})
	}
	return out
}

// itemResult is an item in a join that takes more than values.
type itemResult struct {
	Status string          `json:"status"`
	Value  json.RawMessage `json:"value,omitempty"`
	Error  *events.Failure `json:"error,omitempty"`
}

// join makes the step's value of its items, in the order of the list.
func (s *State) join(r *Run, i int, w sessions.World) []events.Data {
	step, it := &r.Template.Steps[i], r.Steps[i].Items
	if size := s.joinedSize(r, i); size > maxJoined {
		return giveUp(r, step, "join_too_large", fmt.Errorf("the results of its %d items take %d bytes together, a value takes %d; let each write a file and give its path",
			it.Count(), size, maxJoined))
	}
	results := make([]any, it.Count())
	for n := range results {
		result, err := s.itemResult(r, step, n, w)
		if err != nil {
			return giveUp(r, step, "join_failed", err)
		}
		if results[n] = result; step.Foreach.Join == template.JoinAll {
			results[n] = result.Value
		}
	}
	raw, err := events.Marshal(results)
	if err != nil {
		return giveUp(r, step, "join_failed", err)
	}
	value, err := w.Keep(raw)
	if err != nil {
		return giveUp(r, step, "join_failed", err)
	}
	out := []events.Data{events.StepJoined{Run: r.Run, Step: step.ID, Done: it.Done, Failed: it.Failed, Value: value}}
	if step.Output != "" {
		out = append(out, events.ContextSet{Key: r.key(step.Output), Value: value, Rev: s.Context[r.key(step.Output)].Last() + 1, By: step.ID})
	}
	return out
}

// maxJoined is how many bytes the results of all items may take together: less than a value's limit by
// what stands around them.
const maxJoined = 60 << 20

// joinedSize is how many bytes the results of a step's items take together.
func (s *State) joinedSize(r *Run, i int) (size int64) {
	for n, phase := range r.Steps[i].Items.Phases {
		if call := s.Calls[r.ItemCall(r.Template.Steps[i].ID, n)]; phase == StepDone && call != nil {
			size += max(call.Closed.Value.Size, int64(len(call.Closed.Value.JSON)))
		}
	}
	return size
}

func (s *State) itemResult(r *Run, step *template.Step, n int, w sessions.World) (itemResult, error) {
	call := s.Calls[r.ItemCall(step.ID, n)]
	switch r.Steps[step.Index].Items.Phases[n] {
	case StepDone:
		value, err := w.Value(call.Closed.Value)
		return itemResult{Status: "ok", Value: value}, err
	case StepFailed:
		return itemResult{Status: "failed", Error: call.Failure}, nil
	case StepPending:
		return itemResult{Status: "pending"}, nil
	}
	return itemResult{Status: "cancelled"}, nil
}

// openItem opens the call of one item.
func (s *State) openItem(r *Run, i, n int, w sessions.World) []events.Data {
	step := &r.Template.Steps[i]
	env, err := s.env(r, step.ItemReads, w)
	if err != nil {
		return giveUp(r, step, "value_missing", err)
	}
	item, err := r.Steps[i].Items.element(n, w)
	if err == nil {
		env.Item, err = template.Value(item)
	}
	if err != nil {
		return giveUp(r, step, "item_missing", err)
	}
	env.Index = n
	return s.openStep(r, step, opening{r.ItemCall(step.ID, n), step.ItemReads}, env, w)
}
