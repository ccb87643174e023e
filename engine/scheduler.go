package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/schedules"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// Scheduler starts the runs of schedules when their time has come. Every serving process has one; of
// those that do it at once, one commit counts, and the run is the same. It is woken by alarms and looks
// by itself as well, since alarms may be lost.
type Scheduler struct {
	e         *Engine
	projector *Projector
	next      schedules.Next
	identify  func(request string) (session, run string) // the same ids for the same request

	mu    sync.Mutex
	lines map[string]*Ledger[*schedules.State]
}

const schedulePrefix = "schedule."

// NewScheduler makes a scheduler; Run starts it.
func NewScheduler(e *Engine, p *Projector, next schedules.Next, identify func(request string) (session, run string)) *Scheduler {
	return &Scheduler{e: e, projector: p, next: next, identify: identify, lines: map[string]*Ledger[*schedules.State]{}}
}

// line is the ledger of a schedule.
func (s *Scheduler) line(name string) *Ledger[*schedules.State] {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[name]
	if l == nil {
		l = OpenLedger(s.e, stream.Entity(schedulePrefix+name), new(schedules.State))
		s.lines[name] = l
	}
	return l
}

// Do changes a schedule and gives its row.
func (s *Scheduler) Do(ctx context.Context, name string, c schedules.Command, m Meta) (row schedules.Row, err error) {
	if err := schedules.CheckName(name); err != nil {
		return row, err
	}
	l := s.line(name)
	_, err = l.Commit(ctx, m, c, func(st *schedules.State) ([]events.Data, error) { return c.Decide(st, s.e.Now(), s.next) })
	if err != nil {
		return row, err
	}
	err = l.View(ctx, func(st *schedules.State) { row = st.Row })
	s.arm(ctx, row)
	return row, err
}

// arm sets the alarm for the next time, or takes it off. It only helps: what rings not is looked for.
func (s *Scheduler) arm(ctx context.Context, r schedules.Row) {
	timer := schedulePrefix + r.Name
	if r.Name == "" {
		return
	}
	if r.Next.IsZero() {
		s.e.warn("disarm a schedule", s.e.Timers.Disarm(ctx, "", timer))
		return
	}
	s.e.warn("arm a schedule", s.e.Timers.Arm(ctx, stream.Alarm{Timer: timer, At: r.Next}))
}

// Rung takes an alarm. It says whether the alarm is dealt with.
func (s *Scheduler) Rung(ctx context.Context, timer string) bool {
	name, ok := strings.CutPrefix(timer, schedulePrefix)
	if !ok || schedules.CheckName(name) != nil {
		return true // nobody's
	}
	err := s.fire(ctx, name)
	s.e.warn("fire a schedule", err)
	return err == nil
}

// Run looks at all schedules until ctx is done.
func (s *Scheduler) Run(ctx context.Context) {
	for {
		var rows []schedules.Row
		s.projector.Index(func(x *projections.Index) { rows = x.Schedules() })
		for _, r := range rows {
			if _, due := r.Due(s.e.Now(), len(r.Waiting) > 0 && s.busy(ctx, r)); due {
				s.e.warn("fire a schedule", s.fire(ctx, r.Name))
			}
		}
		if !stream.Pause(ctx, reconcileEvery) {
			return
		}
	}
}

// busy says whether the run that the schedule started last has not ended.
func (s *Scheduler) busy(ctx context.Context, r schedules.Row) bool {
	if r.LastRun == "" {
		return false
	}
	got, err := s.e.View(ctx, r.Session, func(st *workflows.State, _ sessions.World) (any, error) {
		run := st.Runs[r.LastRun]
		return run != nil && run.EndedAt.IsZero(), nil
	})
	running, ok := got.(bool)
	return err != nil || ok && running // what cannot be seen is not taken to be over
}

// fire deals with every time that has come.
func (s *Scheduler) fire(ctx context.Context, name string) error {
	l := s.line(name)
	for {
		done, err := l.Commit(ctx, Meta{Actor: "schedule"}, nil, func(st *schedules.State) ([]events.Data, error) {
			busy := s.busy(ctx, st.Row)
			at, due := st.Due(s.e.Now(), busy)
			if !due {
				return nil, nil
			}
			fact, err := s.settle(ctx, st, at, busy)
			return []events.Data{fact}, err
		})
		if err != nil || len(done.Facts) == 0 {
			return err
		}
		if err := l.View(ctx, func(st *schedules.State) { s.arm(ctx, st.Row) }); err != nil {
			return err
		}
	}
}

// settle starts the run for a time, or says what becomes of it. Should this process end before that is
// in the log, whoever comes next starts the same run again, which is there already.
func (s *Scheduler) settle(ctx context.Context, st *schedules.State, at time.Time, busy bool) (events.Data, error) {
	after := at
	if now := s.e.Now(); now.After(after) {
		after = now // what a long sleep has missed is one run, and not many
	}
	next, err := s.next(st.Cron, st.Zone, after)
	if err != nil {
		return nil, err
	}
	if !st.Starts(busy) {
		return st.GiveWay(at, next), nil
	}
	request := "schedule " + st.Name + " " + schedules.Stamp(at)
	session, run := s.identify(request)
	_, err = s.e.Do(ctx, session, StartOf(st.Set, run), Meta{Actor: "schedule:" + st.Name, Request: request})
	var r *sessions.Refusal
	switch {
	case err == nil, errors.As(err, &r) && (r.Code == "request_id_taken" || r.Code == "run_exists"):
		return st.Fire(at, run, session, next), nil // it was started before, perhaps by an older setting
	case r == nil || r.Kind == sessions.Unreachable || r.Kind == sessions.Damaged:
		return nil, err
	}
	return st.Refused(at, next, r.Code, r.Message), nil
}

// StartOf is the command that starts what is scheduled.
func StartOf(set events.ScheduleSet, run string) workflows.Start {
	c := workflows.Start{
		Run: run, Name: set.Name, Text: set.Text, Workspace: set.Workspace, Folder: set.Folder, Path: set.Path,
		Env: set.Env, Templates: set.Templates, Goal: "scheduled: " + set.Schedule, Mode: "auto",
	}
	for name, value := range set.Inputs {
		if c.Inputs == nil {
			c.Inputs = map[string]json.RawMessage{}
		}
		c.Inputs[name] = value.JSON
	}
	return c
}
