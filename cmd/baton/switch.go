package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
)

func (a *app) switchCommand() *cobra.Command {
	var c sessions.MakeSwitch
	return a.verb(verb{
		use: "switch --to N --kind K --reason R [--carry KEY]… [--keep-open]", short: "hand over to another skill",
		example: `baton switch --to drawio-skill --kind handoff --reason "the text needs a diagram" --carry research.raw --keep-open`,
		need:    []string{"to", "reason"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&c.To, "to", "", a.say("the skill that takes over"))
			f.StringVar(&c.Kind, "kind", "handoff", "`handoff|fallback|escalate|retry|rollback`")
			f.StringVar(&c.Reason, "reason", "", a.say("why"))
			f.StringArrayVar(&c.Carry, "carry", nil, a.say("context `KEY` that is handed on (repeat)"))
			f.BoolVar(&c.KeepOpen, "keep-open", false, a.say("suspend the current call instead of leaving it"))
		},
		run: func(ctx context.Context, _ []string) error {
			if !slices.Contains(sessions.SwitchKinds(), c.Kind) {
				return sessions.Refuse(sessions.Usage, "bad_kind", "use "+strings.Join(sessions.SwitchKinds(), ", "), "there is no kind of switch %q", c.Kind)
			}
			return tell(ctx, a, c, (*page).switched)
		},
	})
}

func (p *page) switched(s sessions.Switched) {
	from := s.From
	if from == "" {
		from = "–"
	}
	p.line("%s → %s (%s): %s", from, s.To, s.Kind, s.Reason)
	if len(s.Carried) > 0 {
		p.line("  carried   %s", strings.Join(slices.Sorted(maps.Keys(s.Carried)), " "))
	}
	if len(s.Missing) > 0 {
		p.line("  missing   %s", strings.Join(s.Missing, " "))
	}
	if s.Suspended != "" {
		p.line("  suspended %s", s.Suspended)
	}
	if len(s.Left) > 0 {
		p.line("  left      %s", strings.Join(s.Left, " "))
	}
	if len(s.RolledBack) > 0 {
		p.line("  taken back %s", strings.Join(s.RolledBack, " "))
	}
}
