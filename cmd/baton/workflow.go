package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) workflowCommand() *cobra.Command {
	return a.group("workflow", "run templates: steps over skills, in order or side by side", `
baton workflow run research-publish --input topic="AI agents"
baton workflow validate workflows/research-publish.yaml
baton workflow resume`,
		a.workflowRun(), a.workflowFromText(), a.workflowBuild(), a.workflowResume(), a.workflowCancel(), a.workflowApprove(), a.workflowApprovals(), a.workflowSignal(), a.workflowShow(), a.workflowList(), a.workflowValidate(), a.workflowDeadLetters(), a.workflowSchedule())
}

func (a *app) workflowCancel() *cobra.Command {
	var reason string
	return a.verb(verb{
		use: "cancel [RUN] [--reason R]", short: "stop a run; cancelling twice is no fault", example: `baton workflow cancel @last --reason "wrong topic"`, args: between(0, "RUN"),
		flags: func(f *pflag.FlagSet) { f.StringVar(&reason, "reason", "", a.say("why")) },
		run: func(ctx context.Context, args []string) error {
			return a.about(ctx, args, func(l *link, run projections.RunRow) error {
				if _, err := l.Do(ctx, run.Session, workflows.Cancel{Run: run.ID, By: a.actor(), Reason: reason}, a.meta()); err != nil {
					return err
				}
				raw, err := l.Query(ctx, "run.show", run.Session, engine.RunAsk{Run: run.ID})
				return reply(a, raw, err, (*page).run)
			})
		},
	})
}

func (a *app) workflowShow() *cobra.Command {
	return a.verb(verb{
		use: "show [RUN]", short: "show a run and its steps", example: `baton workflow show @last --json`, args: between(0, "RUN"),
		run: func(ctx context.Context, args []string) error {
			return a.about(ctx, args, func(l *link, run projections.RunRow) error {
				raw, err := l.Query(ctx, "run.show", run.Session, engine.RunAsk{Run: run.ID})
				return reply(a, raw, err, (*page).run)
			})
		},
	})
}

func (p *page) run(v workflows.View) {
	p.line("run %s  %s  %s", v.Run, p.status(string(v.Status), 0), v.Name)
	p.line("session %s, started %s", v.Session, v.StartedAt)
	if v.Reason != "" {
		p.line("reason: %s", v.Reason)
	}
	widest := 0
	for _, s := range v.Steps {
		widest = max(widest, width(s.ID))
	}
	for _, s := range v.Steps {
		p.step(s, widest)
	}
	p.values("output", v.Outputs)
	if v.TraceFile != "" {
		p.line("trace file: %s", v.TraceFile)
	}
}

func (p *page) step(s workflows.StepView, widest int) {
	more := ""
	if s.Seconds > 0 {
		more = fmt.Sprintf("%.1fs", s.Seconds)
	}
	if s.Attempts > 1 {
		more += fmt.Sprintf(p.app.say("  attempt %d"), s.Attempts)
	}
	if s.Error != nil && s.Status != "completed" {
		more += "  " + s.Error.Code + ": " + cut(s.Error.Message, 120)
	}
	if s.Note != "" {
		more += "  " + s.Note
	}
	p.line("  %s  %s  %s", styled(pad(s.ID, widest)), p.status(s.Status, 9), more)
}

func (a *app) workflowList() *cobra.Command {
	var q engine.ListAsk
	var since string
	return a.verb(verb{
		use: "list [--status S] [--name N] [--since T]", short: "list runs, the newest first", example: `baton workflow list --status failed --since 24h`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&q.Status, "status", "", "`running|waiting|completed|failed|cancelled`")
			f.StringVar(&q.Name, "name", "", a.say("only runs of this template"))
			f.StringVar(&since, "since", "", a.say("only those started after a `TIME`, or within a duration like 24h"))
		},
		run: func(ctx context.Context, _ []string) (err error) {
			if q.Since, err = a.since(since); err != nil {
				return err
			}
			if err := operation.CheckRunStatus(q.Status); err != nil {
				return err
			}
			return a.linked(ctx, func(l *link) error {
				session := ""
				if a.session != "" {
					if session, err = a.find(ctx, l, a.session); err != nil {
						return err
					}
				}
				raw, err := l.Query(ctx, "run.list", session, q)
				return reply(a, raw, err, (*page).runs)
			})
		},
	})
}

// since reads a moment, or how long ago it was.
func (a *app) since(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return a.now().Add(-d).UTC(), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, sessions.Refuse(sessions.Usage, "bad_value", "give a time like 2026-01-31T12:00:00Z, or a duration like 24h", "--since %q is no time", text)
}

func (p *page) runs(list []projections.RunRow) {
	var rows [][]string
	for _, r := range list {
		rows = append(rows, []string{r.ID, r.Status, clock(r.StartedAt), clock(r.EndedAt), r.Name})
	}
	if len(rows) == 0 {
		p.line("there is no such run")
		return
	}
	p.rows([]string{"run", "status", "started", "ended", "name"}, rows)
}

func (a *app) workflowValidate() *cobra.Command {
	return a.verb(verb{
		use: "validate FILE", short: "check a template; every fault is told with line and column", example: `baton workflow validate workflows/research-publish.yaml`, args: exactly("FILE"),
		run: func(_ context.Context, args []string) error {
			templates, s, err := a.template(args[0])
			if err != nil {
				return err
			}
			v := templates.Check(s)
			if err := a.answer(v, func(p *page) error { p.validity(args[0], v); return nil }); err != nil || v.Valid {
				return err
			}
			return answered(exitUsage)
		},
	})
}

func (p *page) validity(file string, v operation.Validity) {
	for _, f := range v.Faults {
		place := f.Message
		if f.Path != "" {
			place = f.Path + ": " + f.Message
		}
		if f.Hint != "" {
			place += "; " + f.Hint
		}
		p.line("%s:%d:%d: %s: %s", file, f.Line, f.Column, f.Code, place)
	}
	if v.Valid {
		p.line("%s is valid: %d steps", file, v.Steps)
	}
}
