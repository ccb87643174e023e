package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/workflows"
)

func (a *app) workflowApprovals() *cobra.Command {
	return a.verb(verb{
		use: "approvals [RUN]", short: "list what waits for a person's yes or no", example: `baton workflow approvals --json`, args: between(0, "RUN"),
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				session, q := "", engine.RunAsk{}
				if len(args) > 0 {
					run, err := a.findRun(ctx, l, args)
					if err != nil {
						return err
					}
					session, q.Run = run.Session, run.ID
				}
				raw, err := l.Query(ctx, "approvals", session, q)
				return reply(a, raw, err, (*page).approvals)
			})
		},
	})
}

func (p *page) approvals(list []workflows.ApprovalView) {
	if len(list) == 0 {
		p.line("nothing waits for an answer")
	}
	for _, v := range list {
		p.line("%s %s: %s", v.Run, v.Step, v.Question)
		p.line("  asked    %s", v.AskedAt)
		if v.Expires != nil {
			p.line("  until    %s", *v.Expires)
		}
		p.line("  action   %.12s", v.Action)
	}
}
