package builtin

import (
	"encoding/json"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task/modes"
	"github.com/batonflow/baton/workers"
)

// turn is what the functions of a loop take: its measure, a person's wish to stop, and the context keys
// of the output to be judged and of what was kept before it.
type turn struct {
	Measure modes.Measure `json:"measure"`
	Stop    any           `json:"stop"` // whatever a person wrote: false, null and nothing are no wish
	Result  string        `json:"result"`
	Before  string        `json:"before"`
}

func (t turn) stopped() bool { return t.Stop != nil && t.Stop != false }

// taskCycle ends a cycle of an exploratory loop: it judges the output and says whether another follows.
func taskCycle(in Input) (json.RawMessage, *events.Failure) {
	return judge(in, func(t turn, before modes.Checkpoint, output json.RawMessage) (modes.Checkpoint, error) {
		return before.Next(t.Measure, output, t.stopped())
	})
}

// taskRound ends a round of the inner loop of research.
func taskRound(in Input) (json.RawMessage, *events.Failure) {
	return judge(in, func(t turn, before modes.Notebook, output json.RawMessage) (modes.Notebook, error) {
		return before.Round(t.Measure, output, t.stopped())
	})
}

// taskReview is the outer loop's look at the rounds since its last one.
func taskReview(in Input) (json.RawMessage, *events.Failure) {
	return judge(in, func(t turn, before modes.Notebook, _ json.RawMessage) (modes.Notebook, error) {
		return before.Review(t.Measure, t.stopped())
	})
}

// judge reads the turn and what was kept before, and writes what is kept now.
func judge[P any](in Input, next func(turn, P, json.RawMessage) (P, error)) (json.RawMessage, *events.Failure) {
	var t turn
	if err := json.Unmarshal(in.Inputs, &t); err != nil {
		return refuse("builtin_input", "read the turn of a loop: "+err.Error())
	}
	var before P
	if raw, ok := in.Context[t.Before]; ok {
		if err := json.Unmarshal(raw, &before); err != nil {
			return refuse("builtin_input", "read context key "+t.Before+": "+err.Error())
		}
	}
	after, err := next(t, before, in.Context[t.Result])
	if err != nil {
		code, message, _ := strings.Cut(err.Error(), ": ")
		return nil, workers.Failed(workers.Terminal, code, message).Failure
	}
	value, err := events.Marshal(after)
	if err != nil {
		return refuse("builtin_input", "write what is kept of the loop: "+err.Error())
	}
	return value, nil
}
