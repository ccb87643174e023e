package sessions

import (
	"fmt"

	"github.com/batonflow/baton/events"
)

// Open asks for one use of a skill. Without a queue the asker
// does the work, so the call starts at once; with one, somebody must claim it.
type Open struct {
	Skill  string                  `json:"skill"`
	Intent string                  `json:"intent"`
	Inputs map[string]events.Value `json:"inputs,omitempty"`
	Reads  []string                `json:"reads,omitempty"`
	Writes []string                `json:"writes,omitempty"`
	Parent string                  `json:"parent,omitempty"` // "none": at the root; "": the innermost call
	Queue  string                  `json:"queue,omitempty"`
	Path   string                  `json:"path,omitempty"` // more places of skills
}

// Decide numbers the call and records what it reads, at which revision.
func (c Open) Decide(s *State, w World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	parent, err := s.parent(c.Parent)
	if err != nil {
		return nil, err
	}
	opened := events.CallOpened{
		Call: s.NextID(), Skill: c.Skill, Intent: c.Intent, Parent: parent, Queue: c.Queue,
		Inputs: c.Inputs, Reads: s.Reads(c.Reads), Writes: c.Writes,
	}
	lessons, err := s.taken(w, opened)
	if err != nil {
		return nil, err
	}
	if c.Queue == "" {
		return append([]events.Data{opened, events.CallStarted{Call: opened.Call, Attempt: 1}}, lessons...), nil
	}
	opened.Execute, opened.Limits = w.Resolve(c.Skill, c.Path).Execute, w.Limited(c.Queue)
	return append([]events.Data{opened}, lessons...), nil
}

// NextID is the id of the next call that gets a number.
func (s *State) NextID() string { return fmt.Sprintf("c%03d", s.numbered+1) }

func (c Open) check() error {
	if c.Skill == "" {
		return Refuse(Usage, "skill_missing", "name the skill with --skill", "a call needs a skill")
	}
	if c.Intent == "" {
		return Refuse(Usage, "intent_missing", "say what it is for with --intent", "a call needs an intent")
	}
	if c.Queue != "" && !queueName.MatchString(c.Queue) {
		return Refuse(Usage, "bad_queue", "use lower-case letters, digits, hyphen and underscore, at most 64", "%q cannot be a queue", c.Queue)
	}
	for _, key := range append(append([]string{}, c.Reads...), c.Writes...) {
		if err := CheckKey(key); err != nil {
			return err
		}
	}
	if err := checkText("skill", c.Skill); err != nil {
		return err
	}
	return checkText("intent", c.Intent)
}

func (s *State) parent(asked string) (string, error) {
	switch asked {
	case "none", "root":
		return "", nil
	case "":
		if top := len(s.Stack); top > 0 {
			return s.Stack[top-1], nil
		}
		return "", nil
	}
	c, err := s.FindCall(asked)
	if err != nil {
		return "", err
	}
	return c.ID(), nil
}

// Reads looks the keys up: revision 0 says that the key has no value.
func (s *State) Reads(keys []string) []events.Read {
	var out []events.Read
	for _, key := range keys {
		rev := 0
		if _, ok := s.Context[key].Current(); ok {
			rev = s.Context[key].Last()
		}
		out = append(out, events.Read{Key: key, Rev: rev})
	}
	return out
}

// Answer is the call's envelope.
func (c Open) Answer(s *State, ref Ref, w World) (any, error) { return s.Envelope(ref.Call, w) }

// Suspend sets a call aside; Resume brings it back.
type Suspend struct {
	Call   string `json:"call"`
	Reason string `json:"reason,omitempty"`
}

// Decide refuses a call that is not open.
func (c Suspend) Decide(s *State, _ World) ([]events.Data, error) {
	call, err := s.openCall(c.Call)
	if err != nil {
		return nil, err
	}
	if call.Phase == Suspended {
		return nil, Refuse(Conflict, "call_suspended", "resume it with `baton call resume "+call.ID()+"`", "call %s is suspended already", call.ID())
	}
	if !call.ByHand() {
		return nil, Refuse(Conflict, "call_not_by_hand", "cancel its run with `baton workflow cancel`", "call %s is a worker's and cannot be suspended by hand", call.ID())
	}
	if err := checkText("reason", c.Reason); err != nil {
		return nil, err
	}
	return []events.Data{events.CallSuspended{Call: call.ID(), Reason: c.Reason}}, nil
}

// Answer says that it is suspended.
func (c Suspend) Answer(s *State, ref Ref, _ World) (any, error) {
	return struct {
		Suspended string   `json:"suspended"`
		Skill     string   `json:"skill"`
		Stack     []string `json:"stack"`
	}{ref.Call, s.Calls[ref.Call].Skill, s.Stack}, nil
}

// Resume takes a suspended call up again: it becomes the innermost one.
type Resume struct {
	Call string `json:"call"`
}

// Decide refuses a call that is not suspended.
func (c Resume) Decide(s *State, _ World) ([]events.Data, error) {
	call, err := s.openCall(c.Call)
	if err != nil {
		return nil, err
	}
	if call.Phase != Suspended {
		return nil, Refuse(Conflict, "call_not_suspended", "nothing needs to be done", "call %s is %s, not suspended", call.ID(), call.PublicStatus())
	}
	return []events.Data{events.CallResumed{Call: call.ID()}}, nil
}

// Answer gives the stack with the call on top.
func (c Resume) Answer(s *State, ref Ref, _ World) (any, error) {
	return struct {
		Resumed      string   `json:"resumed"`
		Skill        string   `json:"skill"`
		Stack        []string `json:"stack"`
		CurrentSkill string   `json:"current_skill"`
	}{ref.Call, s.Calls[ref.Call].Skill, s.Stack, s.CurrentSkill}, nil
}

// openCall finds a call that is not over, in a session that takes something.
func (s *State) openCall(id string) (*Call, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	call, err := s.FindCall(id)
	if err != nil {
		return nil, err
	}
	if call.Phase == Over {
		return nil, closed(call)
	}
	return call, nil
}

func closed(call *Call) error {
	return Refuse(Conflict, "call_closed", "open a new call", "call %s is closed (%s) and stays so", call.ID(), call.Status)
}
