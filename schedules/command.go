package schedules

import (
	"bytes"
	"regexp"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
)

// Command changes a schedule. next gives the first time by a cron line after now.
type Command interface {
	Decide(s *State, now time.Time, next Next) ([]events.Data, error)
}

// Next gives the first time after another that a cron line names in a time zone, or says what is wrong
// with them.
type Next func(cron, zone string, after time.Time) (time.Time, error)

var names = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CheckName refuses what no schedule can be called.
func CheckName(name string) error {
	if names.MatchString(name) {
		return nil
	}
	return sessions.Refuse(sessions.Usage, "bad_name", "use lower-case letters, digits, - and _, at most 64; see --name", "%q is no name of a schedule", name)
}

// Set makes or replaces a schedule. Next is not given: it follows.
type Set struct{ events.ScheduleSet }

// Decide refuses words and times that there are not; a schedule that is the same already stays.
func (c Set) Decide(s *State, now time.Time, next Next) ([]events.Data, error) {
	if !slices.Contains([]string{Skip, Queue, Allow}, c.Overlap) {
		return nil, sessions.Refuse(sessions.Usage, "bad_overlap", "use skip, queue or allow", "there is no overlap %q", c.Overlap)
	}
	at, err := next(c.Cron, c.Zone, now)
	if err != nil {
		return nil, err
	}
	fact := c.ScheduleSet
	fact.Next = Stamp(at)
	if s.Status == Active && same(s.Set, fact) {
		return nil, nil
	}
	return []events.Data{fact}, nil
}

// same says whether two settings differ in nothing but when and by whom they were made.
func same(a, b events.ScheduleSet) bool {
	a.Next, a.By, b.Next, b.By = "", "", "", ""
	one, err := events.Marshal(a)
	two, err2 := events.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, two)
}

// Pause stops a schedule from starting anything.
type Pause struct {
	Schedule string `json:"schedule"`
	By       string `json:"by,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Decide does nothing to a schedule that is paused already.
func (c Pause) Decide(s *State, _ time.Time, _ Next) ([]events.Data, error) {
	if err := s.there(c.Schedule); err != nil || s.Status == Paused {
		return nil, err
	}
	return []events.Data{events.SchedulePaused{Schedule: s.Name, By: c.By, Reason: c.Reason}}, nil
}

// Resume lets a paused schedule go on, from now.
type Resume struct {
	Schedule string `json:"schedule"`
	By       string `json:"by,omitempty"`
}

// Decide does nothing to a schedule that is active.
func (c Resume) Decide(s *State, now time.Time, next Next) ([]events.Data, error) {
	if err := s.there(c.Schedule); err != nil || s.Status == Active {
		return nil, err
	}
	at, err := next(s.Cron, s.Zone, now)
	if err != nil {
		return nil, err
	}
	return []events.Data{events.ScheduleResumed{Schedule: s.Name, By: c.By, Next: Stamp(at)}}, nil
}

// Remove ends a schedule.
type Remove struct {
	Schedule string `json:"schedule"`
	By       string `json:"by,omitempty"`
}

// Decide does nothing to a schedule that is removed already.
func (c Remove) Decide(s *State, _ time.Time, _ Next) ([]events.Data, error) {
	if s.Status == Removed {
		return nil, nil
	}
	if err := s.there(c.Schedule); err != nil {
		return nil, err
	}
	return []events.Data{events.ScheduleRemoved{Schedule: s.Name, By: c.By}}, nil
}

func (s *State) there(name string) error {
	if s.Status == "" || s.Status == Removed {
		return sessions.Refuse(sessions.NotFound, "schedule_not_found", "see `baton workflow schedule list`", "there is no schedule %q", name)
	}
	return nil
}
