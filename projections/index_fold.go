package projections

import (
	"maps"
	"strings"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/schedules"
)

// Fold takes the next commit of the log. Commits of what is no session are passed over, but for scans
// of skills and feedback.
func (x *Index) Fold(sequence uint64, f events.Frame) {
	if !x.advance(sequence) {
		return
	}
	if !sessionID(f.Session) {
		x.foldOutside(f)
		return
	}
	s := x.session(f.Session)
	s.Sequence, x.commit = sequence, f.N
	for _, ev := range f.Events {
		at := instant(ev.Time)
		if s.StartedAt.IsZero() {
			s.StartedAt = at
		}
		s.UpdatedAt = at
		x.fold(s, at, ev.Data)
	}
	x.sweep(f.Session)
}

func (x *Index) foldOutside(f events.Frame) {
	for _, ev := range f.Events {
		switch d := ev.Data.(type) {
		case events.SkillsScanned:
			x.skills = SkillsRow{d.Index, d.Count, x.sequence}
		case events.FeedbackGiven:
			x.feedback.given(x.sequence, "", instant(ev.Time), d)
		case events.FeedbackCleared:
			x.feedback.clear()
		case events.ScheduleSet, events.ScheduleFired, events.ScheduleSkipped, events.ScheduleQueued,
			events.SchedulePaused, events.ScheduleResumed, events.ScheduleRemoved:
			x.foldSchedule(f.Session, ev.Data)
		case events.Unknown:
			x.skipped++
		}
	}
}

// foldSchedule keeps the rows of schedules that are not removed.
func (x *Index) foldSchedule(entity string, data events.Data) {
	name, ok := strings.CutPrefix(entity, "schedule.")
	if !ok {
		return
	}
	if x.schedules == nil {
		x.schedules = map[string]*schedules.Row{}
	}
	row := x.schedules[name]
	if row == nil {
		row = new(schedules.Row)
		x.schedules[name] = row
	}
	row.Fold(data)
	if row.Status == schedules.Removed {
		delete(x.schedules, name)
	}
}

func (x *Index) fold(s *sessionState, at time.Time, data events.Data) {
	switch d := data.(type) {
	case events.SessionStarted:
		s.Goal, s.Mode, s.Workspace, s.StartedAt = d.Goal, d.Mode, d.Workspace, at
	case events.SessionForked:
		x.forked(s, d)
	case events.SessionEnded:
		s.Status, s.Stack = "ended", nil
		delete(x.open, s.ID)
	case events.SwitchMade:
		s.Skill = d.To
	case events.RouteDecided:
		x.touch(s.ID, d.Run)
	case events.CallOpened:
		x.callOpened(s, at, d)
		x.serves(s.ID, d)
	case events.CallStarted:
		x.on(s.ID, d.Call, func(c *openCall) {
			c.Attempt, c.Worker, c.Baton = d.Attempt, d.Worker, d.Baton
			c.Backoff, c.Asked, c.Sequence, c.Since = false, false, x.sequence, at
		})
	case events.CallSuspended:
		x.on(s.ID, d.Call, func(c *openCall) { c.Suspended = true })
	case events.CallResumed:
		x.callResumed(s, at, d.Call)
	case events.CallClosed:
		x.spent(s.ID, d)
		x.callEnded(s, d.Call)
	case events.CallFailed:
		x.attemptEnded(s, at, d.Call, d.Final)
	case events.CallLost:
		x.attemptEnded(s, at, d.Call, d.Final)
	case events.CallCancelled:
		x.callEnded(s, d.Call)
	case events.ApprovalAsked:
		x.asked(s.ID, at, d)
	case events.ApprovalAnswered:
		x.answered(s.ID, at, d)
	case events.SignalReceived:
		x.touch(s.ID, d.Run)
	case events.TimerSet:
		x.timerSet(s.ID, d)
	case events.TimerFired:
		x.timerEnded(s.ID, d.Timer, at)
	case events.TimerVoided:
		x.timerEnded(s.ID, d.Timer, at)
	case events.FeedbackGiven:
		x.feedback.given(x.sequence, s.ID, at, d)
	case events.ContextSet, events.ContextDeleted, events.ContextRolledBack, events.RouteBlocked, events.SkillsScanned, events.FeedbackCleared,
		events.GoalSet, events.GoalCleared, events.GoalEvaluated, events.PermitGranted, events.PermitFreed:
	case events.Unknown:
		x.skipped++
	default:
		x.foldRun(s.ID, at, data)
	}
}

func (x *Index) foldRun(session string, at time.Time, data events.Data) {
	switch d := data.(type) {
	case events.RunStarted:
		x.runStarted(session, at, d)
	case events.RunCompleted:
		x.runEnded(session, d.Run, "completed", at)
	case events.RunFailed:
		x.runEnded(session, d.Run, "failed", at)
	case events.RunCancelled:
		x.runEnded(session, d.Run, "cancelled", at)
	case events.RunResumed:
		x.runEnded(session, d.Run, "running", time.Time{})
		x.carried(x.runs[runKey{session, d.Run}], d.Caller)
	case events.StepResolved:
		x.touch(session, d.Run)
		if d.Action != events.Fail {
			x.runEnded(session, d.Run, "running", time.Time{})
			x.carried(x.runs[runKey{session, d.Run}], events.Caller{})
		}
	case events.StepJudged, events.SearchDowngraded, events.WebAdvanced:
		x.touch(session, runOf(data))
	case events.StepSkipped:
		x.touch(session, d.Run)
	case events.StepFailed:
		x.touch(session, d.Run)
	case events.ItemsListed:
		x.touch(session, d.Run)
	case events.StepJoined:
		x.touch(session, d.Run)
	}
}

// session finds the row of a session, or makes it at its first commit.
func (x *Index) session(id string) *sessionState {
	if x.sessions == nil {
		x.sessions, x.runs, x.open = map[string]*sessionState{}, map[runKey]*RunRow{}, map[string]*openWork{}
	}
	s := x.sessions[id]
	if s == nil {
		s = &sessionState{SessionRow: SessionRow{ID: id, Status: "active", First: x.sequence}}
		x.sessions[id] = s
	}
	return s
}

// work is the open work of a session.
func (x *Index) work(session string) *openWork {
	w := x.open[session]
	if w == nil {
		w = &openWork{calls: map[string]*openCall{}, timers: map[string]TimerRow{}, approvals: map[string]ApprovalRow{}}
		x.open[session] = w
	}
	return w
}

// sweep forgets a session that has no open work.
func (x *Index) sweep(session string) {
	if w := x.open[session]; w != nil && len(w.calls)+len(w.timers)+len(w.approvals) == 0 {
		delete(x.open, session)
	}
}

// touch notes that this commit is about a run.
func (x *Index) touch(session, run string) *RunRow {
	r := x.runs[runKey{session, run}]
	if r != nil {
		r.Sequence = x.sequence
	}
	return r
}

// on changes an open call; one that is not known here was opened by hand, or has ended.
func (x *Index) on(session, call string, change func(*openCall)) {
	w := x.open[session]
	if w == nil || w.calls[call] == nil {
		return
	}
	c := w.calls[call]
	x.touch(session, c.Run)
	change(c)
}

// callOpened counts a call once: an opening with a cause is a repeated one.
func (x *Index) callOpened(s *sessionState, at time.Time, d events.CallOpened) {
	if d.Cause == "" {
		s.Calls++
	}
	if d.Queue == "" && d.Run == "" {
		s.Stack.push(d.Call, d.Skill)
		if d.Skill != "" {
			s.Skill = d.Skill
		}
		return
	}
	x.touch(s.ID, d.Run)
	c := &openCall{Session: s.ID, Call: d.Call, Run: d.Run, Queue: d.Queue, Child: d.Child, Limits: d.Limits, Waits: doerOf(d.Queue, d.Execute).outside, Sequence: x.sequence, Since: at}
	if d.Purpose == events.Probe {
		c.Probes = d.Parent
		x.on(s.ID, d.Parent, func(of *openCall) { of.Asked = true })
	}
	x.work(s.ID).calls[d.Call] = c
}

func (x *Index) callResumed(s *sessionState, at time.Time, call string) {
	s.Stack.raise(call)
	if top := s.Stack.top(); top.Call == call && top.Skill != "" {
		s.Skill = top.Skill
	}
	x.on(s.ID, call, func(c *openCall) { c.Suspended, c.Sequence, c.Since = false, x.sequence, at })
}

// callEnded lets go of a call, of its timers and of what was asked about it.
func (x *Index) callEnded(s *sessionState, call string) {
	if s.Stack.find(call) >= 0 {
		s.Stack.drop(call)
		if top := s.Stack.top(); top.Skill != "" {
			s.Skill = top.Skill
		}
	}
	probes := ""
	x.on(s.ID, call, func(c *openCall) { probes = c.Probes })
	x.on(s.ID, probes, func(of *openCall) { of.Asked, of.Sequence = false, x.sequence })
	w := x.open[s.ID]
	if w == nil {
		return
	}
	delete(w.calls, call)
	w.drop(func(_, of string) bool { return of == call })
}

// drop lets go of the timers and approvals of a run or a call.
func (w *openWork) drop(of func(run, call string) bool) {
	maps.DeleteFunc(w.timers, func(_ string, t TimerRow) bool { return of(t.Run, t.Call) })
	maps.DeleteFunc(w.approvals, func(_ string, a ApprovalRow) bool { return of(a.Run, a.Call) })
}

// attemptEnded makes the call one that waits to be started again, unless that was the last attempt.
func (x *Index) attemptEnded(s *sessionState, at time.Time, call string, final bool) {
	if final {
		x.callEnded(s, call)
		return
	}
	x.on(s.ID, call, func(c *openCall) {
		c.Attempt, c.Worker, c.Baton = 0, "", 0
		c.Sequence, c.Since = x.sequence, at
	})
}

func (x *Index) runStarted(session string, at time.Time, d events.RunStarted) {
	if s := x.sessions[session]; s != nil && s.Calls == 0 && s.Caller == "" {
		s.Caller = d.Caller.Session
	}
	r := &RunRow{
		ID: d.Run, Session: session, Name: d.Name, Status: "running", StartedAt: at, Parent: d.Parent, Caller: d.Caller, First: x.sequence, Sequence: x.sequence, Commit: x.commit,
	}
	x.runs[runKey{session, d.Run}] = r
	x.carried(r, d.Caller)
}

// runEnded sets the state of a run. One that is over for good takes what has not started with it;
// one that failed keeps it for a resume, and an attempt that runs still has to end by itself.
func (x *Index) runEnded(session, run, status string, at time.Time) {
	r := x.touch(session, run)
	if r == nil {
		return
	}
	r.Status, r.EndedAt = status, at
	x.carried(r, r.Caller)
	w := x.open[session]
	if w == nil || status == "failed" || status == "running" {
		return
	}
	for id, c := range w.calls {
		if c.Run == run && c.Attempt == 0 {
			delete(w.calls, id)
		}
	}
	w.drop(func(of, _ string) bool { return of == run })
}

// forked gives a session what the list shows of the one it was forked from. Runs that are not over
// there have ended here until they are resumed.
func (x *Index) forked(s *sessionState, d events.SessionForked) {
	from := x.sessions[d.From]
	if from == nil {
		return
	}
	s.Goal, s.Mode, s.Workspace = from.Goal, from.Mode, from.Workspace
	for key, row := range x.runs {
		if key.session != d.From || row.Commit > d.N {
			continue // of another session, or begun after the two had parted
		}
		copied := *row
		copied.Session, copied.First, copied.Sequence, copied.Commit = s.ID, x.sequence, x.sequence, 0
		copied.Caller = events.Caller{}
		if copied.Status == "running" {
			copied.Status = "failed"
		}
		x.runs[runKey{s.ID, row.ID}] = &copied
	}
}

func (x *Index) timerSet(session string, d events.TimerSet) {
	at, err := time.Parse(time.RFC3339Nano, d.At)
	if err != nil {
		at = time.Time{}
	}
	x.touch(session, d.Run)
	x.work(session).timers[d.Timer] = TimerRow{session, d.Timer, d.Kind, at.UTC(), d.Run, d.Call, x.sequence}
	if d.Kind == "backoff" {
		x.on(session, d.Call, func(c *openCall) { c.Backoff = c.Attempt == 0 })
	}
}

func (x *Index) timerEnded(session, id string, at time.Time) {
	w := x.open[session]
	if w == nil {
		return
	}
	timer, ok := w.timers[id]
	if !ok {
		return
	}
	delete(w.timers, id)
	x.touch(session, timer.Run)
	x.on(session, timer.Call, func(c *openCall) {
		if c.Backoff && timer.Kind == "backoff" {
			c.Backoff, c.Sequence, c.Since = false, x.sequence, at
		}
	})
}

// sessionID says whether an entity is a session: those have UUIDs.
func sessionID(entity string) bool {
	if len(entity) != 36 {
		return false
	}
	for i, r := range entity {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if r != '-' {
				return false
			}
		case r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
		default:
			return false
		}
	}
	return true
}
