package host

import (
	"context"
	"fmt"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
)

// decide routes a task and puts the decision into the words of the log.
func (l *Library) decide(shelf Shelf, task sessions.RouteTask, lessons []skill.Recalled) (events.Data, error) {
	d := shelf.Router().Decide(l.request(task, lessons))
	if d.Decision == skill.Blocked {
		return events.RouteBlocked{Task: task.Task, Mode: task.Mode, Reason: d.Reason, Matched: d.Sentinel.Matched, Suggestion: d.Hint}, nil
	}
	out, err := decided(d, shelf.Digest, task)
	out.Rules = shelf.Rules.Digest()
	out.Lessons = kept(lessons)
	if d.Judged {
		out.Judge = task.Judge
	}
	return out, err
}

func (l *Library) request(task sessions.RouteTask, lessons []skill.Recalled) skill.Request {
	return skill.Request{
		Task: task.Task, Mode: task.Mode, Threshold: task.Threshold, Margin: task.Margin, Top: task.Top,
		Exclude: task.Exclude, Parallel: task.Parallel, Guard: task.Guard, Env: l.Env, Lessons: lessons,
		Verdict: skill.Verdict{By: task.Judge.By, Chosen: task.Judge.Chosen},
	}
}

func decided(d skill.Decision, index string, task sessions.RouteTask) (events.RouteDecided, error) {
	in, err := events.Marshal(d.Intent)
	if err != nil {
		return events.RouteDecided{}, fmt.Errorf("encode the intent: %w", err)
	}
	out := events.RouteDecided{
		Task: task.Task, Mode: task.Mode, Threshold: task.Threshold, Margin: task.Margin, Top: task.Top, Exclude: task.Exclude,
		Parallel: task.Parallel, Guard: task.Guard, Decision: d.Decision, Reason: d.Reason, Intent: in, Groups: d.ParallelGroups,
		Hint: d.Hint, Lacking: d.Missing, Warnings: d.Warnings, HighRisk: d.HighRisk, Index: index,
	}
	if d.Chosen != nil {
		out.Chosen = d.Chosen.Name
	}
	for _, c := range d.Candidates {
		out.Candidates = append(out.Candidates, events.Candidate{Name: c.Name, Tier: c.Tier, Score: c.Score, Path: c.Path, Description: c.Description, Why: c.Why})
	}
	if d.SubTaskPlan != nil {
		out.Plan, err = events.Marshal(d.SubTaskPlan)
	}
	return out, err
}

// routeOnly decides without a session.
func (s *Server) routeOnly(ctx context.Context, _ string, q operation.RouteAsk) (any, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	lessons := recalled(q.Lessons)
	if !q.Recorded {
		if lessons, err = s.library.lessons.recall(ctx, q.Task); err != nil {
			return nil, err
		}
	}
	return shelf.Router().Decide(skill.Request{
		Lessons: lessons,
		Task:    q.Task, Mode: q.Mode, Threshold: q.Threshold, Margin: q.Margin, Top: q.Top, Exclude: q.Exclude,
		Parallel: q.Parallel, Guard: q.Guard, Explain: q.Explain, Env: s.Env,
	}), nil
}

func (s *Server) listSkills(ctx context.Context, _ string, q operation.SkillsAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	report, err := events.Marshal(shelf.Report)
	return operation.SkillsList{Digest: shelf.Digest, Watched: shelf.Watched, Skills: shelf.Index.Skills, Report: report}, err
}

func (s *Server) searchSkills(ctx context.Context, _ string, q operation.SkillsAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	return shelf.Router().Searcher().Search(q.Task, q.Top), nil
}
