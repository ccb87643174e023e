package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

func (a *app) callShow() *cobra.Command {
	return a.verb(verb{
		use: "show C", short: "show a call", example: `baton call show c001`, args: exactly("C"),
		run: func(ctx context.Context, args []string) error {
			return look(ctx, a, "call.show", engine.CallAsk{Call: args[0]}, (*page).call)
		},
	})
}

func (p *page) call(r operation.CallShown) {
	p.line("call %s  %s  %s", r.CallID, p.status(r.Status, 0), r.Skill)
	p.line("  intent  %s", r.Intent)
	if r.Parent != "" {
		p.line("  parent  %s", r.Parent)
	}
	if r.Queue != "" {
		p.line("  queue   %s, worker %s, attempt %d", r.Queue, r.Worker, r.Attempt)
	}
	p.values("input", r.Inputs)
	for _, read := range r.Reads {
		p.line("  read    %s, revision %d", read.Key, read.Rev)
	}
	if len(r.Writes) > 0 {
		p.line("  writes  %s", strings.Join(r.Writes, " "))
	}
	p.values("output", r.Outputs)
	if r.Value != nil {
		p.line("  value   %s", cut(shown(r.Value), 200))
	}
	for _, path := range r.Artifacts {
		p.line("  file    %s", path)
	}
	if r.Note != "" {
		p.line("  note    %s", r.Note)
	}
	if r.Error != nil {
		p.line("  error   %s: %s", r.Error.Code, r.Error.Message)
	}
	for _, said := range r.Progress {
		p.line("  said    %s  %s", clock(said.Time), cut(saidOf(said), 200))
	}
	p.line("  opened  %s", r.OpenedAt)
	if r.ClosedAt != nil {
		p.line("  closed  %s", *r.ClosedAt)
	}
}

func (a *app) callSuspend() *cobra.Command {
	var reason string
	type suspended struct {
		Suspended, Skill string
		Stack            []string
	}
	return a.verb(verb{
		use: "suspend C [--reason R]", short: "set an open call aside", example: `baton call suspend c001 --reason "a picture first"`, args: exactly("C"),
		flags: func(f *pflag.FlagSet) { f.StringVar(&reason, "reason", "", a.say("why")) },
		run: func(ctx context.Context, args []string) error {
			return tell(ctx, a, sessions.Suspend{Call: args[0], Reason: reason}, func(p *page, s suspended) {
				p.line("call %s (%s) is suspended; take it up again with `baton call resume %s`", s.Suspended, s.Skill, s.Suspended)
				p.stack(s.Stack)
			})
		},
	})
}

func (a *app) callResume() *cobra.Command {
	type resumed struct {
		Resumed, Skill string
		Stack          []string
	}
	return a.verb(verb{
		use: "resume C", short: "take a suspended call up again", example: `baton call resume c001`, args: exactly("C"),
		run: func(ctx context.Context, args []string) error {
			return tell(ctx, a, sessions.Resume{Call: args[0]}, func(p *page, r resumed) {
				p.line("call %s (%s) goes on", r.Resumed, r.Skill)
				p.stack(r.Stack)
			})
		},
	})
}

// saidOf is in one line what an attempt said.
func saidOf(p operation.Progress) string {
	return strings.Join(strings.Fields(p.Text+" "+string(p.Data)), " ")
}
