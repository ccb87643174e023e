package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/workflows"
)

func (a *app) workflowDeadLetters() *cobra.Command {
	return a.group("dlq", "dead letters: steps that failed for good and wait for somebody to say what becomes of them", `
baton workflow dlq list
baton workflow dlq retry @last summary
baton workflow dlq skip @last summary --note "not needed any more"`,
		a.deadLetterList(),
		a.resolveCommand(events.Retry, "open the step again; what has completed stays"),
		a.resolveCommand(events.Skip, "go on without the step"),
		a.resolveCommand(events.Fail, "leave the step failed, and list it no longer"))
}

func (a *app) deadLetterList() *cobra.Command {
	return a.verb(verb{
		use: "list [RUN]", short: "list dead letters with the causes of their last attempts", example: `baton workflow dlq list --json`, args: between(0, "RUN"),
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				q := engine.RunAsk{}
				if len(args) > 0 {
					run, err := a.findRun(ctx, l, args)
					if err != nil {
						return err
					}
					q.Run = run.ID
				}
				raw, err := l.Query(ctx, "run.dead", "", q)
				return reply(a, raw, err, (*page).deadLetters)
			})
		},
	})
}

func (p *page) deadLetters(rows []workflows.DeadLetter) {
	if len(rows) == 0 {
		p.line("there are no dead letters")
	}
	for _, d := range rows {
		p.line("%s %s  %s  %s", p.status(d.Status, 6), d.Run, d.Step, d.Name)
		for _, c := range d.Causes {
			p.line("  attempt %d, %s: %s: %s", c.Attempt, c.Time, c.Failure.Code, cut(c.Failure.Message, 160))
		}
	}
}

func (a *app) resolveCommand(action, short string) *cobra.Command {
	c := workflows.Resolve{Action: action}
	return a.verb(verb{
		use: action + " RUN STEP [--note T]", short: short, example: "baton workflow dlq " + action + " @last summary", args: exactly("RUN", "STEP"),
		flags: func(f *pflag.FlagSet) { f.StringVar(&c.Note, "note", "", a.say("why")) },
		run: func(ctx context.Context, args []string) error {
			return a.about(ctx, args[:1], func(l *link, run projections.RunRow) error {
				c.Run, c.Step, c.By = run.ID, args[1], a.actor()
				raw, err := l.Do(ctx, run.Session, c, a.meta())
				return reply(a, raw, err, (*page).run)
			})
		},
	})
}
