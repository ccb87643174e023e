package host

import (
	"context"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/schedules"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// maxScheduled bounds template and inputs of a schedule, which stand in one commit.
const maxScheduled = 200 << 10

// schedule asks for a change of a schedule and gives its row.
func schedule[C schedules.Command](s *Server, name func(C) string) engine.Query {
	return engine.Plain(func(ctx context.Context, _ string, c C) (any, error) {
		row, err := s.scheduler.Do(ctx, name(c), c, engine.Meta{Actor: "cli"})
		if err != nil {
			return nil, err
		}
		return row, s.projector.Current(ctx) // whoever asked sees it in the list
	})
}

func (s *Server) scheduling(q engine.Queries) {
	q["schedule.set"] = engine.Plain(s.setSchedule)
	q["schedule.pause"] = schedule(s, func(c schedules.Pause) string { return c.Schedule })
	q["schedule.resume"] = schedule(s, func(c schedules.Resume) string { return c.Schedule })
	q["schedule.remove"] = schedule(s, func(c schedules.Remove) string { return c.Schedule })
	q["schedule.list"] = engine.Plain(s.listSchedules)
}

// setSchedule checks template and inputs as the start of a run would, so that what is set can be run.
func (s *Server) setSchedule(ctx context.Context, _ string, c schedules.Set) (any, error) {
	size := len(c.Text)
	for _, value := range c.Inputs {
		size += len(value.JSON)
	}
	for _, source := range c.Templates {
		size += len(source.Text)
	}
	if size > maxScheduled {
		return nil, sessions.Refuse(sessions.Usage, "too_large", "keep what is large in files, and name them", "template and inputs have %d bytes, at most %d are kept", size, maxScheduled)
	}
	t, err := workflows.ParseTemplate(c.Name, c.Text)
	if err != nil {
		return nil, err
	}
	if _, err := t.CheckInputs(engine.StartOf(c.ScheduleSet, "").Inputs); err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_input", "see the inputs that `baton workflow validate` lists", "%v", err)
	}
	row, err := s.scheduler.Do(ctx, c.Schedule, c, engine.Meta{Actor: "cli"})
	if err != nil {
		return nil, err
	}
	return row, s.projector.Current(ctx)
}

func (s *Server) listSchedules(ctx context.Context, _ string, _ engine.None) (any, error) {
	if err := s.projector.Current(ctx); err != nil {
		return nil, err
	}
	var rows []schedules.Row
	s.projector.Index(func(x *projections.Index) { rows = x.Schedules() })
	return rows, nil
}
