package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/workflows"
)

func (a *app) whyCommand() *cobra.Command {
	return a.verb(verb{
		use: "why [RUN]", short: "say why a run is not finished, and what would unblock it", example: `baton why @last`, args: between(0, "RUN"),
		run: func(ctx context.Context, args []string) error {
			return a.about(ctx, args, func(l *link, run projections.RunRow) error {
				raw, err := l.Query(ctx, "run.why", run.Session, engine.RunAsk{Run: run.ID})
				return reply(a, raw, err, (*page).why)
			})
		},
	})
}

func (p *page) why(w workflows.Why) {
	p.line("run %s is %s", w.Run, p.status(string(w.State), 0))
	for _, r := range w.Reasons {
		p.line("- %s", r.Reason)
		if r.Since != nil {
			p.line("  since %s", *r.Since)
		}
		if r.Until != nil {
			p.line("  until %s", *r.Until)
		}
		p.line("  %s", r.Unblock)
	}
}

// about finds the run that a command is about: the one named, or the last one.
func (a *app) about(ctx context.Context, args []string, f func(l *link, run projections.RunRow) error) error {
	return a.linked(ctx, func(l *link) error {
		run, err := a.findRun(ctx, l, args)
		if err != nil {
			return err
		}
		return f(l, run)
	})
}

// findRun looks a run up. Without a name it is the newest one of the session that is chosen, or of
// all sessions when none is or it has no run.
func (a *app) findRun(ctx context.Context, l *link, args []string) (projections.RunRow, error) {
	session, err := a.chosen(ctx, l)
	if err != nil {
		return projections.RunRow{}, err
	}
	if len(args) > 0 && args[0] != "@last" {
		return engine.As[projections.RunRow](l.Query(ctx, "run.find", session, engine.FindAsk{ID: args[0], Only: a.session != ""}))
	}
	if session != "" {
		rows, err := engine.As[[]projections.RunRow](l.Query(ctx, "run.list", session, engine.ListAsk{}))
		if err != nil || len(rows) > 0 {
			return first(rows), err
		}
	}
	return engine.As[projections.RunRow](l.Query(ctx, "run.find", "", engine.FindAsk{ID: "@last"}))
}

func first[T any](list []T) (t T) {
	if len(list) > 0 {
		return list[0]
	}
	return t
}
