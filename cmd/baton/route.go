package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
)

func (a *app) routeCommand() *cobra.Command {
	var task sessions.RouteTask
	var explain bool
	return a.verb(verb{
		use: "route TASK", short: "decide which skill serves a task, and say why",
		example: `
baton route "latest news on agents, as bullet points"
baton route "publish the article" --mode manual --explain`, args: exactly("TASK"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&task.Mode, "mode", "", a.say("`auto|always|manual` (default: the session's)"))
			f.Float64Var(&task.Threshold, "threshold", skill.DefaultThreshold, a.say("least `SCORE` for auto"))
			f.Float64Var(&task.Margin, "margin", skill.DefaultMargin, a.say("least lead over the second for auto"))
			f.IntVar(&task.Top, "top", skill.DefaultTop, a.say("how many candidates are shown"))
			f.StringArrayVar(&task.Exclude, "exclude", nil, a.say("`NAME` of a skill that is out of the question (repeat)"))
			f.BoolVar(&task.Parallel, "parallel", false, a.say("plan all sub-tasks side by side"))
			f.BoolVar(&task.Guard, "guard", false, a.say("also look for missing capabilities and keys"))
			f.BoolVar(&explain, "explain", false, a.say("give the parts of each score"))
		},
		run: func(ctx context.Context, args []string) error {
			task.Task, task.Path = args[0], a.skillsPath()
			if err := task.Check(); err != nil {
				return err
			}
			return a.route(ctx, task, explain)
		},
	})
}

func (a *app) route(ctx context.Context, task sessions.RouteTask, explain bool) error {
	return a.within(ctx, func(l *link, session string) error {
		if err := a.askTrust(ctx, l); err != nil {
			return err
		}
		out, err := operation.Caller{Backend: l, Meta: a.meta()}.Decide(ctx, session, task, explain)
		if err != nil {
			return err
		}
		if err := a.answer(out, func(p *page) error { p.routed(out); return nil }); err != nil {
			return err
		}
		if out.Decision == skill.Blocked {
			return answered(exitRefused)
		}
		return nil
	})
}

func (p *page) routed(r operation.Routed) {
	p.line("%s  %s", p.status(r.Decision, 0), r.Reason)
	if r.Chosen != nil {
		p.line("chosen  %s", r.Chosen.Name)
	}
	switch j := r.Judge; {
	case j.Error != "":
		p.line("the judge %s gives no choice: %s", j.By, cut(j.Error, 200))
	case j.By != "":
		p.line("the judge %s chooses %s: %s", j.By, j.Chosen, cut(j.Why, 400))
	}
	for i, c := range r.Candidates {
		p.line("%3d. %s  %.2f  %s  %s", i+1, styled(pad(c.Name, 24)), c.Score, styled(pad(c.Tier, 8)), cut(c.Description, 80))
		for _, why := range c.Why {
			p.line("     - %s", why)
		}
	}
	for _, c := range r.Explained {
		p.explained(c)
	}
	for i, group := range r.ParallelGroups {
		if r.MultiIntent {
			p.line("layer %d: %s", i+1, join(group))
		}
	}
	for _, m := range r.Missing {
		p.line("missing for auto: %s", m)
	}
	for _, w := range r.Warnings {
		p.line("warning: %s", w)
	}
	if r.Hint != "" {
		p.line("%s", r.Hint)
	}
}

func (p *page) explained(c skill.Candidate) {
	b := c.Breakdown
	if b == nil {
		return
	}
	p.line("%s = %.2f: points %.2f (best clause %.2f, best sentence %.2f) over length %.2f, tier %.2f, explains %.0f%%", c.Name, b.Final, b.Sum, b.Clause, b.Sentence, b.Length, b.Tier, 100*b.Explained)
	p.line("     the task has %.0f%% of its name and %.0f%% of its text; feedback %+.2f, past requests %+.2f", 100*b.NameCover, 100*b.OwnCover, b.Feedback, b.Examples)
	for _, part := range b.Parts {
		p.line("     %+.2f  %s ~ %s in %s", part.Points, part.Text, part.Match, join(part.Fields))
	}
}
