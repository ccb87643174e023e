package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) workflowApprove() *cobra.Command {
	var yes, no bool
	c := workflows.Approve{}
	return a.verb(verb{
		use: "approve RUN [STEP] --yes|--no [--by NAME] [--note T]", short: "answer what a run asks; the first answer counts",
		example: `
baton workflow approve @last publish --yes --by ada --note "read it twice"
baton workflow approve r-01jq ok-to-publish --no --by ada`, args: between(1, "RUN", "STEP"),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&yes, "yes", false, a.say("it may be done"))
			f.BoolVar(&no, "no", false, a.say("it may not"))
			f.StringVar(&c.By, "by", "", a.say("`NAME` of who answers (default: you)"))
			f.StringVar(&c.Note, "note", "", a.say("why"))
		},
		run: func(ctx context.Context, args []string) error {
			if yes == no {
				return sessions.Refuse(sessions.Usage, "answer_missing", "give one of --yes and --no", "an approval is a yes or a no")
			}
			c.Yes = yes
			if c.By == "" {
				c.By = a.actor()
			}
			if len(args) > 1 {
				c.Step = args[1]
			}
			return a.about(ctx, args[:1], func(l *link, run projections.RunRow) error {
				c.Run = run.ID
				raw, err := l.Do(ctx, run.Session, c, a.meta())
				return reply(a, raw, err, (*page).approval)
			})
		},
	})
}

func (p *page) approval(v workflows.ApprovalView) {
	word := "no"
	if v.Yes {
		word = "yes"
	}
	p.line("step %s of run %s: %s, by %s", v.Step, v.Run, word, v.By)
	p.line("  question %s", v.Question)
	p.line("  action   %.12s", v.Action)
}

func (a *app) workflowSignal() *cobra.Command {
	return a.verb(verb{
		use: "signal RUN NAME [JSON]", short: "send a signal to a run; one that comes early is kept",
		example: `
baton workflow signal @last delivered '{"parcel": 7}'`, args: between(2, "RUN", "NAME", "JSON"),
		run: func(ctx context.Context, args []string) error {
			c := workflows.SendSignal{Name: args[1], By: a.actor()}
			if len(args) > 2 {
				if !json.Valid([]byte(args[2])) {
					return sessions.Refuse(sessions.Usage, "bad_json", "give one JSON value, quote a text twice", "the value of signal %s is not JSON", args[1])
				}
				c.Value = events.Value{JSON: json.RawMessage(args[2])}
			}
			return a.about(ctx, args[:1], func(l *link, run projections.RunRow) error {
				c.Run = run.ID
				raw, err := l.Do(ctx, run.Session, c, a.meta())
				return reply(a, raw, err, func(p *page, s workflows.Signalled) {
					if s.Kept {
						p.line("signal %s is kept until run %s waits for it", s.Signal, s.Run)
						return
					}
					p.line("signal %s reached run %s", s.Signal, s.Run)
				})
			})
		},
	})
}
