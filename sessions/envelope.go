package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
)

// Envelope is everything a call is given, as it was when the call opened.
type Envelope struct {
	CallID     string                     `json:"call_id"`
	Session    string                     `json:"session"`
	Skill      string                     `json:"skill"`
	Intent     string                     `json:"intent"`
	Parent     string                     `json:"parent"`
	Inputs     map[string]json.RawMessage `json:"inputs"`
	ContextIn  map[string]json.RawMessage `json:"context_in"`
	Missing    []string                   `json:"missing_context"`
	MustWrite  []string                   `json:"must_write"`
	Attempt    int                        `json:"attempt"`
	EffectKey  string                     `json:"effect_key"`
	Run        string                     `json:"run,omitempty"`
	Step       string                     `json:"step,omitempty"`
	Queue      string                     `json:"queue,omitempty"`
	LeaseUntil *time.Time                 `json:"lease_until,omitempty"`
	Status     string                     `json:"status"`
}

// Envelope builds the envelope of a call. Values come from the revisions it read, not from today's.
func (s *State) Envelope(id string, w World) (Envelope, error) {
	call, err := s.FindCall(id)
	if err != nil {
		return Envelope{}, err
	}
	e := Envelope{
		CallID: call.ID(), Session: s.ID, Skill: call.Skill, Intent: call.Intent, Parent: call.Parent,
		Inputs: map[string]json.RawMessage{}, ContextIn: map[string]json.RawMessage{}, Missing: []string{},
		MustWrite: append([]string{}, call.Writes...), Attempt: max(call.Attempt, 1), EffectKey: EffectKey(s.ID, call.ID()),
		Run: call.Run, Step: call.Step, Queue: call.Queue, Status: call.PublicStatus(),
	}
	for _, key := range sortedKeys(call.Inputs) {
		if e.Inputs[key], err = w.Value(call.Inputs[key]); err != nil {
			return Envelope{}, err
		}
	}
	for _, read := range call.Reads {
		rev, ok := s.Context[read.Key].At(read.Rev)
		if !ok {
			e.Missing = append(e.Missing, read.Key)
			continue
		}
		if e.ContextIn[read.Key], err = w.Value(rev.Value); err != nil {
			return Envelope{}, err
		}
	}
	return e, nil
}

// EffectKey is stable over a call's attempts, so that a tool can be made idempotent with it.
func EffectKey(session, call string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + call))
	return hex.EncodeToString(sum[:16])
}

// Row is a call as `call list` and `call show` give it.
type Row struct {
	CallID    string                     `json:"call_id"`
	Skill     string                     `json:"skill"`
	Intent    string                     `json:"intent"`
	Parent    string                     `json:"parent"`
	Status    string                     `json:"status"`
	Attempt   int                        `json:"attempt"`
	Queue     string                     `json:"queue,omitempty"`
	Worker    string                     `json:"worker,omitempty"`
	Run       string                     `json:"run,omitempty"`
	Step      string                     `json:"step,omitempty"`
	Inputs    map[string]json.RawMessage `json:"inputs"`
	Reads     []events.Read              `json:"reads"`
	Writes    []string                   `json:"writes"`
	OpenedAt  time.Time                  `json:"opened_at"`
	StartedAt *time.Time                 `json:"started_at"`
	ClosedAt  *time.Time                 `json:"closed_at"`
	Outputs   map[string]json.RawMessage `json:"outputs"`
	Value     json.RawMessage            `json:"value,omitempty"`
	Artifacts []string                   `json:"artifacts"`
	Note      string                     `json:"note"`
	Usage     json.RawMessage            `json:"usage,omitempty"`
	Error     *events.Failure            `json:"error,omitempty"`
	EffectKey string                     `json:"effect_key"`
}

// Row shows a call.
func (s *State) Row(call *Call, w World) (Row, error) {
	r := Row{
		CallID: call.ID(), Skill: call.Skill, Intent: call.Intent, Parent: call.Parent, Status: call.PublicStatus(),
		Attempt: call.Attempt, Queue: call.Queue, Worker: call.Worker, Run: call.Run, Step: call.Step,
		Reads: append([]events.Read{}, call.Reads...), Writes: append([]string{}, call.Writes...),
		OpenedAt: call.OpenedAt, StartedAt: Moment(call.StartedAt), ClosedAt: Moment(call.ClosedAt),
		Artifacts: append([]string{}, call.Closed.Artifacts...), Note: call.Closed.Note, Usage: call.Closed.Usage,
		Error: call.Failure, EffectKey: EffectKey(s.ID, call.ID()),
	}
	var err error
	if r.Inputs, err = values(call.Inputs, w); err != nil {
		return Row{}, err
	}
	if r.Outputs, err = values(call.Closed.Outputs, w); err != nil {
		return Row{}, err
	}
	if !call.Closed.Value.IsZero() {
		r.Value, err = w.Value(call.Closed.Value)
	}
	return r, err
}

func values(in map[string]events.Value, w World) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, key := range sortedKeys(in) {
		value, err := w.Value(in[key])
		if err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}

// Moment is a time that may not have come: nil then.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
