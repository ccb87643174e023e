package sessions

import (
	"encoding/json"
	"slices"

	"github.com/batonflow/baton/events"
)

// Close ends a call with a result, by whoever did the work by hand or claimed it from outside.
type Close struct {
	Call      string                  `json:"call,omitempty"` // "": the innermost open one
	Attempt   int                     `json:"attempt,omitempty"`
	Status    string                  `json:"status"`
	Outputs   map[string]events.Value `json:"outputs,omitempty"`
	Artifacts []string                `json:"artifacts,omitempty"`
	Note      string                  `json:"note,omitempty"`
	Usage     json.RawMessage         `json:"usage,omitempty"`
}

// Decide refuses a call that is over, one that nobody holds, and an attempt that is not the current one.
func (c Close) Decide(s *State, w World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	call, err := s.toClose(c.Call)
	if err != nil {
		return nil, err
	}
	if err := c.check(call); err != nil {
		return nil, err
	}
	lessons, err := s.served(w, call, c.Status)
	if err != nil {
		return nil, err
	}
	return append(s.Result(call, events.CallClosed{
		Call: call.ID(), Attempt: call.Attempt, Status: c.Status, Outputs: c.Outputs,
		Artifacts: c.Artifacts, Note: c.Note, Usage: c.Usage,
	}), lessons...), nil
}

func (s *State) toClose(id string) (*Call, error) {
	if id == "" {
		if call := s.Innermost(); call != nil {
			return call, nil
		}
		return nil, Refuse(NotFound, "no_open_call", "name the call with --id; see `baton call list`", "session %s has no open call", s.ID)
	}
	return s.FindCall(id)
}

func (c Close) check(call *Call) error {
	switch {
	case !slices.Contains([]string{"ok", "partial", "failed", "skipped"}, c.Status):
		return Refuse(Usage, "bad_status", "use ok, partial, failed or skipped", "a call cannot be closed as %q", c.Status)
	case c.Attempt < 0:
		return Refuse(Usage, "bad_attempt", "attempts count from 1", "there is no attempt %d", c.Attempt)
	case call.Phase == Over:
		return closed(call)
	case (call.Phase == Queued || call.Phase == Backoff) && c.Attempt > 0 && c.Attempt <= call.Attempt:
		return Refuse(Conflict, StaleResult, "drop the result: another attempt will be made",
			"attempt %d of call %s is over, it waits on queue %s for the next", c.Attempt, call.ID(), call.Queue)
	case call.Phase == Queued || call.Phase == Backoff:
		return Refuse(Conflict, "call_not_started", "claim it first with `baton call claim`", "call %s waits on queue %s, nobody has started it", call.ID(), call.Queue)
	case c.Attempt == 0 && !call.ByHand():
		return Refuse(Usage, "attempt_missing", "give --attempt, as the claim's envelope said it", "call %s is claimed work: its attempt must be named", call.ID())
	case c.Attempt != call.Attempt && c.Attempt != 0:
		return Stale(call, c.Attempt)
	}
	for key := range c.Outputs {
		if err := CheckKey(key); err != nil {
			return err
		}
	}
	return checkText("note", c.Note)
}

// StaleResult is the code of what an attempt brings too late.
const StaleResult = "stale"

// Stale refuses what an attempt brings that is no longer the current one.
func Stale(call *Call, attempt int) error {
	if call.Phase == Over {
		return Refuse(Conflict, StaleResult, "drop the result: the recorded one counts",
			"attempt %d of call %s is over, the call has ended (%s)", attempt, call.ID(), call.Status)
	}
	return Refuse(Conflict, StaleResult, "drop the result: the current attempt counts",
		"attempt %d of call %s is over, attempt %d is current", attempt, call.ID(), call.Attempt)
}

// Result is a good end: the call's closing, and the context that it writes. A call's outputs become
// keys of their own name; the value of a step becomes its one promised key.
func (s *State) Result(call *Call, end events.CallClosed) []events.Data {
	out := []events.Data{end}
	written := map[string]bool{}
	write := func(key string, value events.Value) {
		written[key] = true
		out = append(out, events.ContextSet{Key: key, Value: value, Rev: s.Context[key].Last() + 1, By: call.Writer(), Call: call.ID()})
	}
	if end.Status == "failed" {
		return out
	}
	for _, key := range sortedKeys(end.Outputs) {
		write(key, end.Outputs[key])
	}
	if !end.Value.IsZero() && len(call.Writes) == 1 && !written[call.Writes[0]] {
		write(call.Writes[0], end.Value)
	}
	end.Missing = s.missing(call, written)
	out[0] = end
	return out
}

// missing lists the keys the call promised and never wrote.
func (s *State) missing(call *Call, written map[string]bool) []string {
	var out []string
	for _, key := range call.Writes {
		if written[key] || s.Context[key] != nil && slices.ContainsFunc(s.Context[key].Revs, func(r Rev) bool { return r.Call == call.ID() }) {
			continue
		}
		out = append(out, key)
	}
	return out
}

// CloseAnswer says what is left open.
type CloseAnswer struct {
	CallID        string   `json:"call_id"`
	Status        string   `json:"status"`
	Stack         []string `json:"stack"`
	CurrentSkill  string   `json:"current_skill"`
	MissingWrites []string `json:"missing_writes"`
}

// Answer gives the stack without the call, and the promised writes that never came.
func (c Close) Answer(s *State, ref Ref, _ World) (any, error) {
	call := s.Calls[ref.Call]
	return CloseAnswer{ref.Call, call.PublicStatus(), append([]string{}, s.Stack...), s.CurrentSkill, append([]string{}, call.Closed.Missing...)}, nil
}
