package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/routing/task"
	browsing "github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
)

// CheckTask asks the sentinel about a task.
func CheckTask(book *skill.Book, env map[string]string, q operation.SentinelCheck) sentinel.Verdict {
	types := intent.Intent{SubTasks: q.SubTasks}.Types()
	if q.SubTasks == nil {
		types = book.Reader().Parse(q.Task).Types()
	}
	return book.Sentinel().Check(sentinel.Request{Text: q.Task, Types: types, Skills: q.Skills, Env: env, Soft: true})
}

func (s *Server) checkTask(_ context.Context, _ string, q operation.SentinelCheck) (any, error) {
	book, err := s.Home.Rules(false)
	if err != nil {
		return nil, err
	}
	return CheckTask(book, s.Env, q), nil
}

func (s *Server) parseIntent(_ context.Context, _ string, q operation.IntentParse) (any, error) {
	book, err := s.Home.Rules(false)
	if err != nil {
		return nil, err
	}
	return book.Reader().Parse(q.Text), nil
}

// recordable is the answer of a router with what has a session record it.
func recordable(answer any, record sessions.RouteTask, input any) (any, error) {
	encoded, err := events.Marshal(answer)
	if err != nil {
		return nil, err
	}
	raw, err := events.Marshal(input)
	record.Input = events.Value{JSON: raw}
	return operation.Planned{Answer: encoded, Record: record}, err
}

func (s *Server) planSource(_ context.Context, _ string, q operation.SourcePlan) (any, error) {
	router, tables, err := s.Home.SourceRouter()
	if err != nil {
		return nil, err
	}
	plan, faults := router.Plan(q.Task)
	if len(faults) > 0 {
		return nil, sourceFaults(faults)
	}
	return recordable(plan, SourceAsk(plan, tables), q.Task)
}

func sourceFaults(faults source.Errors) error {
	return sessions.Refuse(sessions.Usage, "bad_source_input", "see `baton source plan -h`", "%v", faults).With("errors", faults)
}

func (s *Server) planWeb(_ context.Context, _ string, q operation.WebRoute) (any, error) {
	tables, adapters, err := s.Home.WebAdapters()
	if err != nil {
		return nil, WebRefusal(err)
	}
	q.URLs = append(q.URLs, browsing.TypedURLs(q.Query)...)
	host, _, err := s.Home.WebHost(q.Tools, adapters)
	if err != nil {
		return nil, WebRefusal(err)
	}
	o, err := browsing.Open(q.Request, host, adapters)
	if err != nil {
		return nil, WebRefusal(err)
	}
	return recordable(o, sessions.RouteTask{Router: "web", Task: q.Query, Tables: tables}, browsing.Case{Request: q.Request, Host: host})
}

// WebRefusal puts an error of the router of the web into the words of a refusal.
func WebRefusal(err error) error {
	switch {
	case errors.Is(err, browsing.ErrInput):
		return sessions.Refuse(sessions.Usage, browsing.ErrInput.Error(), "mend the field that is named; see `baton web route -h`", "%s", strings.TrimPrefix(err.Error(), browsing.ErrInput.Error()+": "))
	case errors.Is(err, browsing.ErrTables):
		return sessions.Refuse(sessions.Usage, browsing.ErrTables.Error(), "mend the file in the home, or remove it", "%s", strings.TrimPrefix(err.Error(), browsing.ErrTables.Error()+": "))
	}
	return err
}

func (s *Server) planTask(_ context.Context, _ string, q operation.TaskRoute) (any, error) {
	data, router, err := s.Home.TaskRouter()
	if err != nil {
		return nil, err
	}
	if q.ModeHint == "" {
		q.ModeHint = "auto"
	}
	if len(q.Context) == 0 {
		q.Context = json.RawMessage("{}")
	}
	req := task.Request{Query: q.Query, ModeHint: q.ModeHint}
	if req.Context, err = task.ReadContext(q.Context); err != nil {
		return nil, taskRefusal(err)
	}
	d, err := router.Route(req)
	if err != nil {
		return nil, taskRefusal(err)
	}
	return recordable(d, sessions.RouteTask{Router: "task", Task: q.Query, Tables: TaskTables(data)}, q.TaskInput)
}

func taskRefusal(err error) error {
	var r *task.Refusal
	if errors.As(err, &r) {
		return sessions.Refuse(sessions.Usage, r.Code, r.Hint, "%s", r.Message)
	}
	return err
}
