package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/workflows"
)

// takesUp says whether an acquisition can be taken up or given up.
func takesUp(r projections.RunRow) bool {
	return r.Status != string(workflows.Completed) && r.Status != string(workflows.Cancelled)
}

func (a *app) acquireResume() *cobra.Command {
	return a.verb(verb{
		use: "resume [RUN]", short: "go on from the first step that is not done", args: between(0, "RUN"),
		example: `
baton acquire resume`,
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				row, err := a.findAcquisition(ctx, l, args, takesUp)
				if err != nil {
					return err
				}
				if row.Status == string(workflows.Cancelled) {
					return overRefusal(row, "begin another one with `baton acquire run`")
				}
				if row.Status == string(workflows.Failed) {
					if _, err := l.Do(ctx, row.Session, workflows.ResumeRun{Run: row.ID, By: a.resumer()}, a.meta()); err != nil {
						return err
					}
				}
				v, err := showRun(ctx, l, row.Session, row.ID)
				if err != nil {
					return err
				}
				return a.acquisition(ctx, l, v)
			})
		},
	})
}

func overRefusal(row projections.RunRow, hint string) error {
	return sessions.Refuse(sessions.Conflict, "acquisition_over", hint, "acquisition %s is %s", row.ID, row.Status)
}

func (a *app) acquireReset() *cobra.Command {
	return a.verb(verb{
		use: "reset [RUN]", short: "give an acquisition up and remove what it made, and only that", args: between(0, "RUN"),
		example: `
baton acquire reset`,
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				row, err := a.findAcquisition(ctx, l, args, takesUp)
				if err != nil {
					return err
				}
				if row.Status == string(workflows.Completed) {
					return overRefusal(row, "take the skill away with `baton acquire remove`")
				}
				return a.giveUp(ctx, l, row)
			})
		},
	})
}

// giveUp cancels the run, so that nothing of it starts any more, and then has its work removed.
func (a *app) giveUp(ctx context.Context, l *link, row projections.RunRow) error {
	before, err := showRun(ctx, l, row.Session, row.ID)
	if err != nil {
		return err
	}
	view, err := a.viewOf(ctx, l, before)
	if err != nil {
		return err
	}
	if _, err := l.Do(ctx, row.Session, workflows.Cancel{Run: row.ID, By: a.actor(), Reason: "given up"}, engine.Meta{Actor: "cli"}); err != nil {
		return err
	}
	inputs, err := engine.As[map[string]any](l.Query(ctx, "run.inputs", row.Session, engine.RunAsk{Run: row.ID}))
	if err != nil {
		return err
	}
	a.session = row.Session
	v, err := a.startBuiltin(ctx, l, acquire.TemplateReset, map[string]any{"run": row.ID, "slug": view.Slug, "to": inputs["to"]})
	if err != nil {
		return err
	}
	return outcome(ctx, a, l, v, "reset", func(p *page, r acquire.Reset) {
		p.line("acquisition %s is given up", r.Run)
		for _, path := range r.Removed {
			p.line("  removed %s", path)
		}
	})
}

func (a *app) acquireStatus() *cobra.Command {
	var all bool
	return a.verb(verb{
		use: "status [RUN] [--all]", short: "show where an acquisition stands", args: between(0, "RUN"),
		example: `
baton acquire status
baton acquire status --all --json`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&all, "all", false, a.say("list all of them, the newest first")) },
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				if all {
					raw, err := l.Query(ctx, "run.list", "", engine.ListAsk{Name: acquire.TemplateAcquire})
					return reply(a, raw, err, (*page).runs)
				}
				row, err := a.findAcquisition(ctx, l, args, func(projections.RunRow) bool { return true })
				if err != nil {
					return err
				}
				v, err := showRun(ctx, l, row.Session, row.ID)
				return a.shownAcquisition(ctx, l, v, err)
			})
		},
	})
}

func (a *app) acquireRemove() *cobra.Command {
	var to string
	var force bool
	return a.verb(verb{
		use: "remove S [--to HOST] [--force]", short: "take an installed skill away", args: exactly("S"),
		example: `
baton acquire remove tavily`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&to, "to", "", a.say("from the skills of this `HOST`, or from this folder"))
			f.BoolVar(&force, "force", false, a.say("also when it was changed since it was installed"))
		},
		run: func(ctx context.Context, args []string) error {
			if err := acquire.CheckSlug(args[0]); err != nil {
				return err
			}
			dir, err := a.skillsFolder(to)
			if err != nil {
				return err
			}
			return a.linked(ctx, func(l *link) error {
				v, err := a.startBuiltin(ctx, l, acquire.TemplateRemove, map[string]any{"slug": args[0], "to": dir, "force": force})
				if err != nil {
					return err
				}
				return outcome(ctx, a, l, v, "remove", func(p *page, r acquire.Removed) { p.line("removed %s %s from %s", r.Slug, r.Version, r.Path) })
			})
		},
	})
}

// outcome waits for a run of one step and prints what the step gave, or refuses as it did.
func outcome[T any](ctx context.Context, a *app, l *link, v workflows.View, step string, text func(*page, T)) error {
	over := func(w engine.Watched) bool { return w.Over }
	return a.follow(ctx, l, v, over, func(_ *link, w engine.Watched) error {
		if _, failed := host.StandsAt(w.View); failed != nil {
			return sessions.Refuse(acquire.KindOf(failed.Code), failed.Code, failed.Hint, "%s", failed.Message).With("run", v.Run)
		}
		return reply(a, w.View.Outputs[acquire.Key(v.Run)+"."+step], nil, text)
	})
}
