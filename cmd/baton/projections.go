package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/engine"
)

func (a *app) projectionsCommand() *cobra.Command {
	return a.group("projections", "what is folded from the log and can be deleted", `baton projections rebuild`, a.projectionsRebuild())
}

func (a *app) projectionsRebuild() *cobra.Command {
	return a.verb(verb{
		use: "rebuild", short: "throw projections away and fold the log again; --session narrows it to one", example: `baton projections rebuild`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				session := ""
				if a.session != "" {
					var err error
					if session, err = a.find(ctx, l, a.session); err != nil {
						return err
					}
					if _, err := l.Query(ctx, "session.show", session, engine.None{}); err != nil {
						return err
					}
				}
				raw, err := l.Query(ctx, "rebuild", session, engine.None{})
				return reply(a, raw, err, func(p *page, r engine.RebuildAnswer) { p.line("%d files written", r.Files) })
			})
		},
	})
}
