package host

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/routing/way"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
)

// judge is somebody outside who is asked for a second opinion on decisions that a person would have to
// confirm. Whatever it answers, or if it does not, the router's decision holds but for what
// [skill.Router] lets its word change.
type judge struct {
	library   *Library
	way       way.Way
	folder    string // where relative paths of its program start
	env       map[string]string
	executors map[string]workers.Executor
}

// What is taken of a judge's words, and how long they are waited for.
const (
	judgePatience = 20 * time.Second
	maxVerdict    = 64 << 10
)

// openJudge gives nil where none is configured.
func openJudge(o Options, l *Library) *judge {
	if len(o.Judge.Exec)+len(o.Judge.HTTP)+len(o.Judge.MCP) == 0 {
		return nil
	}
	environ := make([]string, 0, len(o.Env))
	for name, value := range o.Env {
		environ = append(environ, name+"="+value)
	}
	return &judge{
		library: l, way: o.Judge.From(o.Home.Dir), folder: o.Home.Dir, env: exec.AllowedEnv(environ),
		executors: executors(o, engine.Client{}), // a judge does no effects of Baton's own
	}
}

// consult is an [engine.Consult]. A task that cannot be routed, or is decided, is asked nobody about.
func (j *judge) consult(ctx context.Context, workspace string, task sessions.RouteTask) events.Judged {
	shelf, err := j.library.Look(ctx, workspace, task.Path)
	if err != nil {
		return events.Judged{}
	}
	lessons, err := j.library.lessons.recall(ctx, task.Task)
	if err != nil {
		return events.Judged{}
	}
	req := j.library.request(task, lessons)
	router := shelf.Router()
	q, open := router.Ask(req, router.Decide(req))
	if !open {
		return events.Judged{}
	}
	said := events.Judged{By: j.name()}
	value, err := j.ask(ctx, workspace, q)
	if err == nil {
		said.Chosen, said.Why, err = q.Read(value)
	}
	if err != nil {
		said.Error = skill.Brief(err.Error())
	}
	return said
}

// name is what decisions call the judge.
func (j *judge) name() string {
	switch {
	case len(j.way.Exec) > 0:
		return filepath.Base(fmt.Sprint(j.way.Exec[0]))
	case len(j.way.HTTP) > 0:
		if u, err := url.Parse(fmt.Sprint(j.way.HTTP["url"])); err == nil {
			return u.Host
		}
	}
	return fmt.Sprint(j.way.MCP["tool"])
}

// ask puts the question once.
func (j *judge) ask(ctx context.Context, workspace string, q skill.Question) (json.RawMessage, error) {
	question, err := events.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("write the question: %w", err)
	}
	settings, err := withQuestion(j.way, question).Execute(map[string]string{"task": q.Task, "question": string(question)})
	if err != nil {
		return nil, err
	}
	kind, own, err := workers.ExecutorOf(settings)
	if err != nil {
		return nil, err
	}
	patience := judgePatience
	if j.way.Timeout != "" {
		patience = j.way.Within("")
	}
	ctx, stop := context.WithTimeoutCause(ctx, patience, workers.ErrDeadline)
	defer stop()
	out := j.executors[kind].Execute(ctx, workers.Task{
		Attempt: 1, Execute: own, Input: question, Folder: j.folder, Workspace: workspace, Env: maps.Clone(j.env),
		Timeout: patience, MaxOutput: maxVerdict,
	}, nil)
	if f := out.Failure; f != nil {
		return nil, fmt.Errorf("%s: %s", f.Code, f.Message)
	}
	return out.Value, nil
}

// withQuestion sends the question where the way says nothing of what is sent.
func withQuestion(w way.Way, question json.RawMessage) way.Way {
	fill := func(settings map[string]any, otherwise map[string]any) map[string]any {
		if len(settings) == 0 {
			return settings
		}
		maps.Copy(otherwise, settings)
		return otherwise
	}
	w.HTTP = fill(w.HTTP, map[string]any{"method": "POST", "body": question})
	w.MCP = fill(w.MCP, map[string]any{"arguments": question})
	return w
}
