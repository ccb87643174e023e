package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/routing/intent"
)

func (a *app) intentCommand() *cobra.Command {
	return a.group("intent", "what a request asks for", `baton intent parse "research agents, then write an article"`, a.intentParse())
}

func (a *app) intentParse() *cobra.Command {
	return a.verb(verb{
		use: "parse TEXT", short: "read a request: actions, order, domain", example: `baton intent parse "research agents, then write an article"`, args: exactly("TEXT"),
		run: func(_ context.Context, args []string) error {
			book, err := a.rules()
			if err != nil {
				return err
			}
			in := book.Reader().Parse(args[0])
			return a.answer(in, func(p *page) error { p.intent(in); return nil })
		},
	})
}

func (p *page) intent(in intent.Intent) {
	p.line("%s, domain %s", in.Intent, in.Domain)
	for _, s := range in.SubTasks {
		p.line("  %s %s", styled(pad(s.Type, 12)), s.Target)
	}
	for i, group := range in.ParallelGroups {
		p.line("layer %d: %s", i+1, join(group))
	}
	if len(in.SuggestedSkills) > 0 {
		p.line("skills: %s", join(in.SuggestedSkills))
	}
}

func join(list []string) string { return strings.Join(list, ", ") }
