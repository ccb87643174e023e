package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
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
			if err == nil {
				err = a.stopped(ctx)
			}
			return reply(a, raw, err, func(p *page, s host.Stopping) { p.line("server %d has stopped", s.PID) })
		},
	})
}

// stopWithin is how long a server may take to let its workers finish and to close its store.
const stopWithin = 30 * time.Second

// stopped waits until the server no longer answers for the home.
func (a *app) stopped(ctx context.Context) error {
	set, err := a.settings(nil)
	if err != nil || set.NATS.URL != "" {
		return err
	}
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	for {
		if _, err := home.Endpoint(); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !stream.Pause(ctx, 5*time.Millisecond) {
			return sessions.Refuse(sessions.Unreachable, "server_stays", "see "+home.LogFile(), "the server has not stopped within %s", stopWithin)
		}
	}
}
