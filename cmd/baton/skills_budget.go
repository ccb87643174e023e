package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
)

// usualWindow is the context of most models that hosts run, in tokens.
const usualWindow = 200_000

// skillsBudget tells what each host's own catalogue has room for: what is hidden there is never
// chosen there, and Baton still finds it.
func (a *app) skillsBudget() *cobra.Command {
	window := usualWindow
	return a.verb(verb{
		use: "budget [--window TOKENS]", short: "say per host how many skills fit its catalogue and which are silently hidden",
		example: `
baton skills budget
baton skills budget --window 1000000 --json`,
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&window, "window", usualWindow, a.say("size of the model's context in `TOKENS`"))
		},
		run: func(ctx context.Context, _ []string) error {
			if window < 1 {
				return sessions.Refuse(sessions.Usage, "bad_window", "use a number of tokens, such as 200000", "--window %d is no window", window)
			}
			return a.linked(ctx, func(l *link) error {
				list, _, err := a.shelf(ctx, l)
				if err != nil {
					return err
				}
				budgets, err := disk.Budgets(skills.Index{Skills: list.Skills}, window)
				if err != nil {
					return err
				}
				return a.answer(budgets, func(p *page) error { p.budgets(budgets); return nil })
			})
		},
	})
}

func (p *page) budgets(list []skills.Budget) {
	var rows [][]string
	for _, b := range list {
		limit, unit := p.app.say("none known"), p.app.say("characters")
		if b.Unit == "tokens" {
			unit = p.app.say("tokens")
		}
		if b.Limit > 0 {
			limit = fmt.Sprintf("%d/%d %s", b.Used, b.Limit, unit)
		}
		rows = append(rows, []string{b.Host, fmt.Sprint(b.Skills), limit, fmt.Sprint(b.Fits), fmt.Sprint(len(b.Hidden))})
	}
	if len(rows) == 0 {
		p.line("no host sees a skill here")
		return
	}
	p.rows([]string{"host", "skills", "budget", "told", "hidden"}, rows)
	for _, b := range list {
		if len(b.Hidden) == 0 {
			continue
		}
		switch b.Cut {
		case skills.CutUse:
			p.line("%s drops the descriptions of the skills used least; by name these would be: %s", b.Host, join(b.Hidden))
		case skills.CutAll:
			p.line("%s drops every description, then skills", b.Host)
		default:
			p.line("%s leaves out the end of the alphabet: %s", b.Host, join(b.Hidden))
		}
	}
}
