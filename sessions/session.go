package sessions

import (
	"maps"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
)

// Begin opens a session.
type Begin struct {
	Goal      string `json:"goal"`
	Mode      string `json:"mode"`
	Workspace string `json:"workspace"`
}

// Decide refuses a session that is there already, and bad words.
func (c Begin) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Readable(); err != nil {
		return nil, err
	}
	if s.Status != "" {
		return nil, Refuse(Conflict, "session_exists", "use it with `baton session use "+s.ID+"`", "session %s exists already", s.ID)
	}
	if c.Goal == "" {
		return nil, Refuse(Usage, "goal_missing", "say what the session is for: --goal \"…\"", "a session needs a goal")
	}
	if err := CheckMode(c.Mode); err != nil {
		return nil, err
	}
	if err := checkText("goal", c.Goal); err != nil {
		return nil, err
	}
	return []events.Data{events.SessionStarted{Goal: c.Goal, Mode: c.Mode, Workspace: c.Workspace}}, nil
}

// Begun is the answer to Begin.
type Begun struct {
	Session   string `json:"session"`
	Mode      string `json:"mode"`
	Goal      string `json:"goal"`
	Workspace string `json:"workspace"`
}

// Answer gives the session as it began.
func (c Begin) Answer(s *State, _ Ref, _ World) (any, error) {
	return Begun{s.ID, s.Mode, s.Goal, s.Workspace}, nil
}

// CheckMode refuses a mode that there is not.
func CheckMode(mode string) error {
	if slices.Contains([]string{"auto", "always", "manual"}, mode) {
		return nil
	}
	return Refuse(Usage, "bad_mode", "use auto, always or manual", "there is no mode %q", mode)
}

// End closes the session for good.
type End struct {
	Summary string `json:"summary"`
}

// Decide refuses while a worker still holds a call: what it brings would have nowhere to go.
func (c End) Decide(s *State, _ World) ([]events.Data, error) {
	if err := s.Open(); err != nil {
		return nil, err
	}
	for _, id := range s.Order {
		if call := s.Calls[id]; call.Phase != Over && !call.ByHand() {
			return nil, Refuse(Conflict, "session_busy", "wait for the run, or cancel it with `baton workflow cancel`",
				"session %s still has work: call %s is %s", s.ID, id, call.PublicStatus())
		}
	}
	if err := checkText("summary", c.Summary); err != nil {
		return nil, err
	}
	return []events.Data{events.SessionEnded{Summary: c.Summary}}, nil
}

// Answer says that the session has ended.
func (c End) Answer(s *State, _ Ref, _ World) (any, error) {
	return struct {
		Session string `json:"session"`
		Status  string `json:"status"`
		Summary string `json:"summary"`
	}{s.ID, s.Status, s.Summary}, nil
}

// Overview is what `status` and `session show` say of a session.
type Overview struct {
	Session      string     `json:"session"`
	Goal         string     `json:"goal"`
	Mode         string     `json:"mode"`
	Status       string     `json:"status"`
	CurrentSkill string     `json:"current_skill"`
	Switches     int        `json:"switches"`
	CallsTotal   int        `json:"calls_total"`
	OpenCalls    []OpenCall `json:"open_calls"`
	ContextKeys  []string   `json:"context_keys"`
	Workspace    string     `json:"workspace"`
	StartedAt    time.Time  `json:"started_at,omitzero"`
	UpdatedAt    time.Time  `json:"updated_at,omitzero"`
	Summary      string     `json:"summary,omitempty"`
}

// OpenCall is a call that is not over.
type OpenCall struct {
	CallID string `json:"call_id"`
	Skill  string `json:"skill"`
	Status string `json:"status"`
	Intent string `json:"intent"`
}

// Overview sums the session up.
func (s *State) Overview() (Overview, error) {
	if s.Status == "" {
		return Overview{}, s.Open()
	}
	o := Overview{
		Session: s.ID, Goal: s.Goal, Mode: s.Mode, Status: s.Status, CurrentSkill: s.CurrentSkill,
		Switches: len(s.Switches), CallsTotal: len(s.Calls), OpenCalls: []OpenCall{}, ContextKeys: s.Keys(""),
		Workspace: s.Workspace, StartedAt: s.StartedAt, UpdatedAt: s.UpdatedAt, Summary: s.Summary,
	}
	for _, id := range s.Order {
		if c := s.Calls[id]; c.Phase != Over {
			o.OpenCalls = append(o.OpenCalls, OpenCall{id, c.Skill, c.PublicStatus(), c.Intent})
		}
	}
	return o, nil
}

// Keys lists the context keys that have a value, sorted. A prefix that ends in a dot lists a branch;
// any other prefix covers itself only; "" lists all.
func (s *State) Keys(prefix string) []string {
	keys := []string{}
	for _, key := range slices.Sorted(maps.Keys(s.Context)) {
		if _, ok := s.Context[key].Current(); ok && covers(prefix, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
