package sessions

import (
	"encoding/json"
	"time"

	"github.com/batonflow/baton/events"
)

// SetContext writes a value. Call, when given, is the call it is written in; otherwise the innermost
// open one is taken.
type SetContext struct {
	Key   string       `json:"key"`
	Value events.Value `json:"value"`
	By    string       `json:"by,omitempty"`
	Call  string       `json:"call,omitempty"`
}

// Decide checks the key and gives the next revision.
func (c SetContext) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := CheckKey(c.Key); err != nil {
		return nil, err
	}
	by, call, err := s.writer(c.By, c.Call)
	if err != nil {
		return nil, err
	}
	return []events.Data{events.ContextSet{Key: c.Key, Value: c.Value, Rev: s.Context[c.Key].Last() + 1, By: by, Call: call}}, nil
}

// writer names who writes: a person by hand, or the skill of the call it is done in.
func (s *State) writer(by, call string) (string, string, error) {
	c := s.Innermost()
	if call != "" {
		found, err := s.FindCall(call)
		if err != nil {
			return "", "", err
		}
		if found.Phase == Over {
			return "", "", Refuse(Conflict, "call_closed", "write without a call, or open a new one", "call %s is closed and writes nothing more", call)
		}
		c = found
	}
	if c == nil {
		return by, "", nil
	}
	if by == "" {
		by = c.Writer()
	}
	return by, c.ID(), nil
}

// Writer is the name under which the call writes: its skill, or its step.
func (c *Call) Writer() string {
	if c.Skill != "" {
		return c.Skill
	}
	return c.Step
}

// Written is a revision of a context key as people and programs see it.
type Written struct {
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	Rev       int             `json:"rev"`
	WrittenBy string          `json:"written_by"`
	CallID    string          `json:"call_id"`
	Time      time.Time       `json:"time"`
	Deleted   bool            `json:"deleted,omitempty"`
	From      int             `json:"rolled_back_to,omitempty"`
	Current   bool            `json:"is_current,omitempty"`
}

// Answer gives the revision that was written.
func (c SetContext) Answer(s *State, ref Ref, w World) (any, error) {
	return s.written(ref.Key, ref.Rev, w)
}

func (s *State) written(key string, rev int, w World) (Written, error) {
	slot := s.Context[key]
	if slot == nil || rev < 1 || rev > len(slot.Revs) {
		return Written{}, s.noKey(key)
	}
	r := slot.Revs[rev-1]
	out := Written{Key: key, Rev: rev, WrittenBy: r.By, CallID: r.Call, Time: r.Time, Deleted: r.Deleted, From: r.From, Value: json.RawMessage("null")}
	if r.Deleted {
		return out, nil
	}
	value, err := w.Value(r.Value)
	out.Value = value
	return out, err
}

func (s *State) noKey(key string) error {
	return Refuse(NotFound, "key_not_found", "list the keys with `baton ctx list`", "there is no context key %q in session %s", key, s.ID)
}

// Get gives the current revision of a key.
func (s *State) Get(key string, w World) (Written, error) {
	if _, ok := s.Context[key].Current(); !ok {
		return Written{}, s.noKey(key)
	}
	return s.written(key, s.Context[key].Last(), w)
}

// History gives every revision of a key, oldest first.
func (s *State) History(key string, w World) ([]Written, error) {
	slot := s.Context[key]
	if slot == nil {
		return nil, s.noKey(key)
	}
	out := make([]Written, 0, len(slot.Revs))
	for rev := 1; rev <= len(slot.Revs); rev++ {
		item, err := s.written(key, rev, w)
		if err != nil {
			return nil, err
		}
		item.Current = rev == len(slot.Revs) && !item.Deleted
		out = append(out, item)
	}
	return out, nil
}

// DeleteContext removes a key; its history stays.
type DeleteContext struct {
	Key string `json:"key"`
	By  string `json:"by,omitempty"`
}

// Decide refuses a key without a value.
func (c DeleteContext) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	slot := s.Context[c.Key]
	if _, ok := slot.Current(); !ok {
		return nil, s.noKey(c.Key)
	}
	by, call, err := s.writer(c.By, "")
	if err != nil {
		return nil, err
	}
	return []events.Data{events.ContextDeleted{Key: c.Key, Rev: slot.Last() + 1, By: by, Call: call}}, nil
}

// Answer gives the revision that says it is gone.
func (c DeleteContext) Answer(s *State, ref Ref, w World) (any, error) {
	return s.written(ref.Key, ref.Rev, w)
}

// RollBackContext makes an earlier value current again, as a new revision.
type RollBackContext struct {
	Key string `json:"key"`
	To  int    `json:"to"`
	By  string `json:"by,omitempty"`
}

// Decide refuses a revision that has no value.
func (c RollBackContext) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	slot := s.Context[c.Key]
	if slot == nil {
		return nil, s.noKey(c.Key)
	}
	if _, ok := slot.At(c.To); !ok {
		return nil, Refuse(NotFound, "revision_not_found", "see `baton ctx history "+c.Key+"`",
			"key %s has no value at revision %d, it has %d revisions", c.Key, c.To, slot.Last())
	}
	by, call, err := s.writer(c.By, "")
	if err != nil {
		return nil, err
	}
	return []events.Data{events.ContextRolledBack{Key: c.Key, To: c.To, Rev: slot.Last() + 1, By: by, Call: call}}, nil
}

// Answer gives the new revision.
func (c RollBackContext) Answer(s *State, ref Ref, w World) (any, error) {
	return s.written(ref.Key, ref.Rev, w)
}

// undo rolls back every key whose current value one of the calls wrote, to the last value that none
// of them did.
func (s *State) undo(by string, calls ...*Call) []events.Data {
	left := map[string]bool{}
	for _, c := range calls {
		left[c.ID()] = true
	}
	var out []events.Data
	for _, key := range sortedKeys(s.Context) {
		slot := s.Context[key]
		to := slot.Last()
		for to > 0 && left[slot.Revs[to-1].Call] {
			to--
		}
		if to < slot.Last() {
			out = append(out, events.ContextRolledBack{Key: key, To: to, Rev: slot.Last() + 1, By: by})
		}
	}
	return out
}
