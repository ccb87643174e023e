package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) sessionFork() *cobra.Command {
	var at string
	var set, edits []string
	return a.verb(verb{
		use: "fork [ID] --at CALL [--set K=V]… [--edit STEP.FIELD=V]…", short: "begin a session with the past of another, up to a call",
		example: `
baton session fork --at summary --set notes="only the last year"
baton session fork 0198c0de --at r-01jq/summary --edit summary.retry='{attempts: 3}'`, args: between(0, "ID"), need: []string{"at"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&at, "at", "", a.say("`CALL` before which the sessions part; it is opened anew"))
			f.StringArrayVar(&set, "set", nil, a.say("`K=V` of the context; V is JSON where it parses (repeat)"))
			f.StringArrayVar(&edits, "edit", nil, a.say("`STEP.FIELD=V` of the run's template; V is YAML, nothing removes the field (repeat)"))
		},
		run: func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				a.session = args[0]
			}
			return a.linked(ctx, func(l *link) error {
				c, err := a.forkCommand(ctx, l, at)
				if err != nil {
					return err
				}
				if c.Set, err = valuePairs("set", set); err != nil {
					return err
				}
				if c.Edits, err = readEdits(edits); err != nil {
					return err
				}
				return a.fork(ctx, l, c)
			})
		},
	})
}

// forkCommand finds where the log opened the call.
func (a *app) forkCommand(ctx context.Context, l *link, at string) (workflows.Fork, error) {
	from, err := a.current(ctx, l)
	if err != nil {
		return workflows.Fork{}, err
	}
	c, err := operation.ForkOf(ctx, l, from, at)
	c.By = a.actor()
	return c, err
}

func (a *app) fork(ctx context.Context, l *link, c workflows.Fork) error {
	id, err := operation.NewSession(a.request)
	if err != nil {
		return err
	}
	got, raw, err := answerOf[workflows.Forked](ctx, a, l, id, c)
	if err != nil {
		return err
	}
	if err := a.activate(got.Workspace, id); err != nil {
		return err
	}
	return reply(a, raw, nil, func(p *page, f workflows.Forked) {
		p.line("session %s begun with the past of %s, up to %s", f.Session, f.From, f.At)
		for _, run := range f.Runs {
			p.line("run %s goes on in it", run)
		}
	})
}

func readEdits(texts []string) ([]workflows.Edit, error) {
	var out []workflows.Edit
	for _, text := range texts {
		place, value, ok := strings.Cut(text, "=")
		step, field, dotted := strings.Cut(place, ".")
		if !ok || !dotted || step == "" || field == "" {
			return nil, sessions.Refuse(sessions.Usage, "bad_edit", "write --edit STEP.FIELD=VALUE", "--edit %q changes nothing", text)
		}
		out = append(out, workflows.Edit{Step: step, Field: field, Value: value})
	}
	return out, nil
}
