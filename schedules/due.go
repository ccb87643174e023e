package schedules

import (
	"fmt"
	"time"

	"github.com/batonflow/baton/events"
)

// Due says for which time a run is to be dealt with: the oldest that waits, once the run before it has
// ended, else the next one when its time has come. ok is false when there is nothing to do.
func (r Row) Due(now time.Time, busy bool) (at time.Time, ok bool) {
	switch {
	case r.Status != Active:
		return time.Time{}, false
	case len(r.Waiting) > 0 && !busy:
		return r.Waiting[0], true
	case !r.Next.IsZero() && !now.Before(r.Next):
		return r.Next, true
	}
	return time.Time{}, false
}

// Starts says whether the run that is due starts now, or must give way to the one before.
func (r Row) Starts(busy bool) bool { return !busy || r.Overlap == Allow }

// Fire records that the run for a time was started; next is the time after it.
func (s *State) Fire(at time.Time, run, session string, next time.Time) events.Data {
	return events.ScheduleFired{Schedule: s.Name, At: Stamp(at), Run: run, Session: session, Next: Stamp(s.after(at, next))}
}

// GiveWay records what becomes of a time whose forerunner has not ended.
func (s *State) GiveWay(at, next time.Time) events.Data {
	switch {
	case s.Overlap == Queue && len(s.Waiting) < MaxWaiting:
		return events.ScheduleQueued{Schedule: s.Name, At: Stamp(at), Next: Stamp(next)}
	case s.Overlap == Queue:
		return events.ScheduleSkipped{Schedule: s.Name, At: Stamp(at), Code: "queue_full", Reason: fmt.Sprintf("%d runs wait already", MaxWaiting), Next: Stamp(next)}
	}
	return events.ScheduleSkipped{Schedule: s.Name, At: Stamp(at), Code: "overlap", Reason: "run " + s.LastRun + " has not ended", Next: Stamp(next)}
}

// Refused records that the run for a time could not be started, which no repetition would mend.
func (s *State) Refused(at, next time.Time, code, reason string) events.Data {
	return events.ScheduleSkipped{Schedule: s.Name, At: Stamp(at), Code: code, Reason: reason, Next: Stamp(s.after(at, next))}
}

// after is the next time: the one that stands when the run is for a time that waited.
func (s *State) after(at, next time.Time) time.Time {
	if !at.Equal(s.Next) {
		return s.Next
	}
	return next
}
