package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/routing/task/templates"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/workflows"
)

// taskRunning is the answer of task run: the run, and what it was made from.
type taskRunning struct {
	workflows.View
	Mode       string   `json:"mode"`
	AtomChain  []string `json:"atom_chain"`
	TaskStatus string   `json:"task_status,omitempty"` // as pipeline_trace.json has it, once it is written
	Report     string   `json:"report_file,omitempty"`

	trace taskTrace
}

func (a *app) taskRun() *cobra.Command {
	var known, hint string
	var detach, show bool
	return a.verb(verb{
		use: "run QUERY [--context JSON] [--mode-hint M] [--detach]", short: a.taskSay("route a query and run its chain; outputs/<session>/ holds what came of it"),
		example: `
baton task run "find papers on 3D nystagmus"
baton task run 同时搜索VOR和BPPV两个方向的文献并分析矛盾
baton task run "how to improve the triage" --context '{"target":0.9,"metric":"aggregate_confidence"}' --detach
baton task run "/write-report the comparison"`, args: exactly("QUERY"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&known, "context", "{}", a.taskSay("`JSON` object of what the session knows, as for task route, and for a loop: target, metric, baseline"))
			f.StringVar(&hint, "mode-hint", "auto", a.taskSay("`auto|simple|exploratory|research|parallel`, in place of the words of the query"))
			f.BoolVar(&detach, "detach", false, a.say("do not wait"))
			f.BoolVar(&show, "template", false, a.taskSay("print the template that would be run, and run nothing"))
		},
		run: func(ctx context.Context, args []string) error {
			run, err := operation.NewRun(a.request)
			if err != nil {
				return err
			}
			o, ask, err := a.taskOrder(run, args[0], known, hint)
			if err != nil {
				return a.taskRefusal(err)
			}
			made, err := templates.Make(o)
			if err != nil {
				return taskUnrunnable(err)
			}
			if show {
				return a.write([]byte(made.Text))
			}
			return a.linked(ctx, func(l *link) error { return a.startTask(ctx, l, o, ask, detach) })
		},
	})
}

// taskUnrunnable says why a decision cannot be run.
func taskUnrunnable(err error) error {
	switch {
	case errors.Is(err, templates.ErrDone):
		return sessions.Refuse(sessions.Conflict, "E_CHAIN_DONE", "leave out of executed what is to be done again", "every atom of the chain is done")
	case errors.Is(err, templates.ErrTooMany):
		return sessions.Refuse(sessions.Refused, "E_TOO_MANY_ITEMS", "split the items over several tasks", "%v", err)
	}
	return err
}

// taskOrder routes the query and gathers what its template is made of.
func (a *app) taskOrder(run, query, known, hint string) (templates.Order, sessions.RouteTask, error) {
	data, router, err := a.taskRouter()
	if err != nil {
		return templates.Order{}, sessions.RouteTask{}, err
	}
	req := task.Request{Query: query, ModeHint: hint}
	if req.Context, err = task.ReadContext([]byte(known)); err != nil {
		return templates.Order{}, sessions.RouteTask{}, err
	}
	d, err := router.Route(req)
	if err != nil {
		return templates.Order{}, sessions.RouteTask{}, err
	}
	o := templates.Order{Run: run, Decision: d, Join: router.Joiner(), Query: query}
	if err := o.Known([]byte(known)); err != nil {
		return templates.Order{}, sessions.RouteTask{}, err
	}
	if d.Plan != nil {
		if o.Chain, err = router.Chain(d.AtomChain...); err != nil {
			return templates.Order{}, sessions.RouteTask{}, err
		}
		o.Bootstrap = router.Bootstrap(o.Chain, req.Context)
		for _, child := range d.Delegations {
			if codes := task.Lint(query, child.Proposal()); len(codes) > 0 {
				return templates.Order{}, sessions.RouteTask{}, sessions.Refuse(sessions.Refused, codes[0], "report this as a fault of Baton", "a delegation of its own is not sound: %v", codes)
			}
		}
	}
	input, err := events.Marshal(operation.TaskInput{Query: query, Context: json.RawMessage(known), ModeHint: hint})
	ask := sessions.RouteTask{Router: "task", Task: query, Tables: host.TaskTables(data), Input: events.Value{JSON: input}}
	return o, ask, err
}

// startTask starts the run in the session, the decision in the same commit, and waits for its end.
func (a *app) startTask(ctx context.Context, l *link, o templates.Order, ask sessions.RouteTask, detach bool) error {
	workspace, err := a.workspace()
	if err != nil {
		return err
	}
	if o.Decision.Route == task.Slash {
		if o.Tools, err = a.activated(ctx, l, workspace, o.Decision.Skill); err != nil {
			return err
		}
	}
	made, err := templates.Make(o)
	if err != nil {
		return taskUnrunnable(err)
	}
	c := workflows.Start{
		Run: o.Run, Name: "task", Text: made.Text, Inputs: made.Inputs, Workspace: workspace, Folder: workspace,
		Env: a.stepEnv(), Goal: o.Query, Mode: "auto", Route: &ask,
	}
	session, fresh, err := a.runSession(ctx, l, c.Run)
	if err != nil {
		return err
	}
	view, _, err := answerOf[workflows.View](ctx, a, l, session, c)
	if err != nil {
		return err
	}
	if fresh {
		if err := a.activate(workspace, session); err != nil {
			return err
		}
	}
	if detach {
		return a.answer(a.taskTold(o, view), func(p *page) error { p.run(view); return nil })
	}
	return a.await(ctx, l, view, func(v workflows.View) any { return a.taskTold(o, v) })
}

// taskTold adds to a run what it was made from, and where its report is.
func (a *app) taskTold(o templates.Order, v workflows.View) taskRunning {
	out := taskRunning{View: v, Mode: o.Decision.Route, AtomChain: []string{}}
	if o.Decision.Plan != nil {
		out.AtomChain = o.Decision.AtomChain
	} else {
		out.AtomChain = []string{o.Decision.Skill}
	}
	out.readEnd()
	return out
}

// taskTrace is what people are told of a trace and a report.
type taskTrace struct {
	Status string `json:"status"`
	Atoms  map[string]struct {
		Status string   `json:"status"`
		File   string   `json:"output_file"`
		Files  []string `json:"output_files"`
		Reason string   `json:"reason"`
		Error  *struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"atoms"`
	Loop *struct {
		Exit   string `json:"exit_reason"`
		Rounds int    `json:"inner_iterations"`
	} `json:"loop_state"`
	Findings []string `json:"findings"`
}

// readEnd reads how a task ended, where its files are written and on this machine.
func (t *taskRunning) readEnd() {
	folder := filepath.Dir(t.TraceFile)
	for _, name := range []string{"report.json", filepath.Base(t.TraceFile)} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if t.TraceFile == "" || err != nil || json.Unmarshal(raw, &t.trace) != nil {
			return
		}
	}
	t.TaskStatus, t.Report = t.trace.Status, filepath.Join(folder, "report.json")
}

// tell is the answer for people: each atom with what became of it, and where to read on.
func (t taskRunning) tell(p *page) {
	if t.TaskStatus == "" {
		p.run(t.View)
		return
	}
	p.line("%s  %s", p.status(t.TaskStatus, 0), t.Mode)
	p.line("session %s, run %s", t.Session, t.Run)
	for i, name := range t.AtomChain {
		atom := t.trace.Atoms[name]
		files := atom.Files
		if len(files) == 0 && atom.File != "" {
			files = []string{atom.File}
		}
		for n := range files {
			files[n] = filepath.Base(files[n])
		}
		slices.Sort(files)
		p.line("%3d. %s  %s  %s", i+1, styled(pad(name, 24)), p.status(atom.Status, 11), strings.Join(files, " "))
		if atom.Error != nil {
			p.line("     %s: %s", atom.Error.Code, cut(atom.Error.Message, 300))
		}
	}
	if t.trace.Loop != nil {
		p.line(p.app.taskSay("%d rounds, ended by %s"), t.trace.Loop.Rounds, t.trace.Loop.Exit)
	}
	for _, file := range t.trace.Findings {
		p.line(p.app.taskSay("read first: %s"), file)
	}
	p.line(p.app.taskSay("report: %s"), t.Report)
}

// activated loads the one skill that a slash name calls, and gives the tools that it may use. A name
// that calls none is refused.
func (a *app) activated(ctx context.Context, l *link, workspace, name string) (*skills.Policy, error) {
	loaded, err := engine.As[operation.Loaded](l.Query(ctx, "skills.load", "", operation.SkillAsk{Workspace: workspace, Path: a.skillsPath(), Name: name}))
	var r *sessions.Refusal
	switch {
	case errors.As(err, &r) && r.Kind == sessions.NotFound, err == nil && !loaded.Usable:
		return nil, sessions.Refuse(sessions.NotFound, "E_SKILL_NOT_ACTIVATED", "see `baton skills scan`, or write the query without the slash",
			"/%s is no skill that is installed and usable here", name)
	case err != nil:
		return nil, err
	}
	if policy := skills.Activated(loaded.Skill); policy.Restricted {
		return &policy, nil
	}
	return nil, nil
}
