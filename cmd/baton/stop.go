package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/sessions"
)

func (a *app) stopCommand() *cobra.Command {
	var force bool
	return a.verb(verb{
		use: "stop [--force]", short: "stop the background server when no run needs it", example: `baton stop`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&force, "force", false, a.say("stop it all the same; runs go on when a server runs again"))
		},
		run: func(ctx context.Context, _ []string) error {
			l, err := a.connectRunning(ctx)
			var r *sessions.Refusal
			if errors.As(err, &r) && r.Code == "no_server" {
				return a.answer(host.Stopping{}, func(p *page) error { p.line("no server runs"); return nil })
			}
			if err != nil {
				return err
			}
			defer l.Close()
			raw, err := l.Query(ctx, "server.stop", "", host.StopAsk{Force: force})
			return reply(a, raw, err, func(p *page, s host.Stopping) { p.line("server %d stops", s.PID) })
		},
	})
}
