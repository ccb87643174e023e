package host

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
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

// RouteAsk asks for a route that is recorded nowhere, or with Explain for the parts of its scores.
type RouteAsk struct {
	sessions.RouteTask
	Workspace string `json:"workspace"`
	Explain   bool   `json:"explain,omitempty"`

	Recorded bool            `json:"recorded,omitempty"` // Lessons are those of a decision; else they are recalled
	Lessons  []events.Lesson `json:"lessons,omitempty"`
}

// routeOnly decides without a session.
func (s *Server) routeOnly(ctx context.Context, _ string, q RouteAsk) (any, error) {
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

// SkillsAsk asks for the skills that a workspace sees; with Task, for those that fit it best.
type SkillsAsk struct {
	Workspace string `json:"workspace"`
	Path      string `json:"path,omitempty"`
	Task      string `json:"task,omitempty"`
	Top       int    `json:"top,omitempty"`
}

// SkillsList is the index of a workspace.
type SkillsList struct {
	Digest  string          `json:"digest"`
	Watched bool            `json:"watched"` // a change is noticed without being asked about
	Skills  []skills.Skill  `json:"skills"`
	Report  json.RawMessage `json:"report"`
}

func (s *Server) listSkills(ctx context.Context, _ string, q SkillsAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	report, err := events.Marshal(shelf.Report)
	return SkillsList{Digest: shelf.Digest, Watched: shelf.Watched, Skills: shelf.Index.Skills, Report: report}, err
}

func (s *Server) searchSkills(ctx context.Context, _ string, q SkillsAsk) (any, error) {
	shelf, err := s.library.Look(ctx, q.Workspace, q.Path)
	if err != nil {
		return nil, err
	}
	return shelf.Router().Searcher().Search(q.Task, q.Top), nil
}
