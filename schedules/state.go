// Package schedules holds the rules of schedules: which run is due, and what becomes of it when the one
// before has not ended.
//
// A schedule is an entity of its own, "schedule.<name>". It is a fold of its events and refuses what
// does not fit them. What it cannot know comes in as a value: the time, the time after the next by the
// cron line, and whether the run before has ended. So a schedule that is asked twice, or by two
// processes at once, starts the same run: its ids follow from name and time, and the commit that says
// so stands once.
package schedules

import (
	"slices"
	"time"

	"github.com/batonflow/baton/events"
)

// What becomes of a run whose forerunner has not ended.
const (
	Skip  = "skip"  // it does not take place
	Queue = "queue" // it waits for the end
	Allow = "allow" // it starts beside it
)

// MaxWaiting is how many runs of a schedule may wait; what would be one more is skipped.
const MaxWaiting = 100

// Row is a schedule as it stands, without what it runs.
type Row struct {
	Name     string      `json:"schedule"`
	Template string      `json:"name"`
	Path     string      `json:"path,omitempty"`
	SHA256   string      `json:"template_sha256"`
	Cron     string      `json:"cron"`
	Zone     string      `json:"tz"`
	Overlap  string      `json:"overlap"`
	Status   string      `json:"status"` // active, paused; removed and "" have no row anywhere
	Next     time.Time   `json:"next,omitzero"`
	Waiting  []time.Time `json:"waiting,omitempty"` // times whose runs wait, the oldest first
	Fired    int         `json:"fired"`
	Skipped  int         `json:"skipped"`
	LastAt   time.Time   `json:"last_at,omitzero"` // the time that the last run was for
	LastRun  string      `json:"last_run,omitempty"`
	Session  string      `json:"last_session,omitempty"`
	LastSkip string      `json:"last_skip,omitempty"` // why the last one that was skipped did not start
}

// The states of a schedule.
const (
	Active  = "active"
	Paused  = "paused"
	Removed = "removed"
)

// State is a schedule with what it runs.
type State struct {
	Row
	Set events.ScheduleSet
}

// Fold takes the next event.
func (s *State) Fold(e events.Event) {
	if d, ok := e.Data.(events.ScheduleSet); ok {
		s.Set = d
	}
	s.Row.Fold(e.Data)
}

// Fold takes the next fact; what is about no schedule changes nothing.
func (r *Row) Fold(data events.Data) {
	switch d := data.(type) {
	case events.ScheduleSet:
		r.Name, r.Template, r.Path, r.SHA256 = d.Schedule, d.Name, d.Path, d.SHA256
		r.Cron, r.Zone, r.Overlap, r.Status, r.Next, r.Waiting = d.Cron, d.Zone, d.Overlap, Active, instant(d.Next), nil
	case events.ScheduleFired:
		at := instant(d.At)
		r.Fired++
		r.LastAt, r.LastRun, r.Session = at, d.Run, d.Session
		r.past(at, d.Next)
	case events.ScheduleSkipped:
		r.Skipped++
		r.LastSkip = d.Code + ": " + d.Reason
		r.past(instant(d.At), d.Next)
	case events.ScheduleQueued:
		r.Waiting = append(slices.Clone(r.Waiting), instant(d.At))
		r.Next = instant(d.Next)
	case events.SchedulePaused:
		r.Status, r.Next, r.Waiting = Paused, time.Time{}, nil
	case events.ScheduleResumed:
		r.Status, r.Next = Active, instant(d.Next)
	case events.ScheduleRemoved:
		r.Status, r.Next, r.Waiting = Removed, time.Time{}, nil
	}
}

// past takes a time off those that wait.
func (r *Row) past(at time.Time, next string) {
	r.Waiting = slices.DeleteFunc(slices.Clone(r.Waiting), func(w time.Time) bool { return w.Equal(at) })
	if len(r.Waiting) == 0 {
		r.Waiting = nil
	}
	r.Next = instant(next)
}

// instant reads a time of an event; one that cannot be read is zero.
func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// Stamp writes a time as events have it.
func Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
