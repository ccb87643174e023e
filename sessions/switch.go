package sessions

import (
	"encoding/json"
	"slices"

	"github.com/batonflow/baton/events"
)

// MakeSwitch hands over to another skill.
type MakeSwitch struct {
	To       string   `json:"to"`
	Kind     string   `json:"kind"`
	Reason   string   `json:"reason"`
	Carry    []string `json:"carry,omitempty"`
	KeepOpen bool     `json:"keep_open,omitempty"`
}

// SwitchKinds lists the kinds of switch.
func SwitchKinds() []string { return []string{"handoff", "fallback", "escalate", "retry", "rollback"} }

// Decide names what is carried and what is missing. Keeping open suspends the innermost call; a
// rollback ends it and takes back what it wrote.
func (c MakeSwitch) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	made := events.SwitchMade{From: s.CurrentSkill, To: c.To, Kind: c.Kind, Reason: c.Reason}
	for _, key := range c.Carry {
		if _, ok := s.Context[key].Current(); ok {
			made.Carry = append(made.Carry, events.Read{Key: key, Rev: s.Context[key].Last()})
		} else {
			made.Missing = append(made.Missing, key)
		}
	}
	inner := s.Innermost()
	switch {
	case inner == nil:
		return []events.Data{made}, nil
	case c.KeepOpen:
		made.Suspended = inner.ID()
		return []events.Data{made, events.CallSuspended{Call: inner.ID(), Reason: c.Reason}}, nil
	case c.Kind == "rollback":
		made.Left = []string{inner.ID()}
		out := []events.Data{made, events.CallCancelled{Call: inner.ID(), Attempt: inner.Attempt, Reason: "rollback: " + c.Reason}}
		return append(out, s.undo(inner.Writer(), inner)...), nil
	}
	return []events.Data{made}, nil
}

func (c MakeSwitch) check() error {
	if c.To == "" {
		return Refuse(Usage, "skill_missing", "name the skill with --to", "a switch needs a skill to go to")
	}
	if c.Reason == "" {
		return Refuse(Usage, "reason_missing", "say why with --reason", "a switch needs a reason")
	}
	if !slices.Contains(SwitchKinds(), c.Kind) {
		return Refuse(Usage, "bad_kind", "use handoff, fallback, escalate, retry or rollback", "there is no kind of switch %q", c.Kind)
	}
	for _, key := range c.Carry {
		if err := CheckKey(key); err != nil {
			return err
		}
	}
	if err := checkText("skill", c.To); err != nil {
		return err
	}
	return checkText("reason", c.Reason)
}

// Switched is the answer to MakeSwitch.
type Switched struct {
	From        string                     `json:"from"`
	To          string                     `json:"to"`
	Kind        string                     `json:"kind"`
	Reason      string                     `json:"reason"`
	Carried     map[string]json.RawMessage `json:"carried"`
	Missing     []string                   `json:"missing_carry"`
	Suspended   string                     `json:"suspended_call"`
	SwitchCount int                        `json:"switch_count"`
	Left        []string                   `json:"left_calls,omitempty"`
	RolledBack  []string                   `json:"rolled_back,omitempty"`
}

// Answer gives the switch with the values carried.
func (c MakeSwitch) Answer(s *State, ref Ref, w World) (any, error) {
	d := s.Switches[ref.Switch-1]
	out := Switched{
		From: d.From, To: d.To, Kind: d.Kind, Reason: d.Reason, Carried: map[string]json.RawMessage{},
		Missing: append([]string{}, d.Missing...), Suspended: d.Suspended, SwitchCount: ref.Switch, Left: d.Left,
	}
	for _, read := range d.Carry {
		rev, _ := s.Context[read.Key].At(read.Rev)
		value, err := w.Value(rev.Value)
		if err != nil {
			return nil, err
		}
		out.Carried[read.Key] = value
	}
	if len(d.Left) > 0 {
		for _, key := range sortedKeys(s.Context) {
			revs := s.Context[key].Revs
			if last := revs[len(revs)-1]; last.Time.Equal(d.Time) && (last.From > 0 || last.Deleted) {
				out.RolledBack = append(out.RolledBack, key)
			}
		}
	}
	return out, nil
}
