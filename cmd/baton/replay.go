package main

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

func (a *app) replayCommand() *cobra.Command {
	var at string
	var verify, again bool
	return a.verb(verb{
		use: "replay [CALL [--run]] [--at SEQ|TIME] [--verify]", short: "give a call's envelope as it was, or fold the session again up to a place",
		example: `
baton replay c002
baton replay summary --run
baton replay --session @last --at 2026-01-31T12:00:00Z
baton replay --session @last --verify`, args: between(0, "CALL"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&at, "at", "", a.say("sequence or time (RFC 3339) to fold up to"))
			f.BoolVar(&again, "run", false, a.say("do the call again, as a new one"))
			f.BoolVar(&verify, "verify", false, a.say("decide everything again and compare"))
		},
		run: func(ctx context.Context, args []string) error {
			switch {
			case len(args) > 0 && (at != "" || verify), at != "" && verify:
				return sessions.Refuse(sessions.Usage, "bad_value", "give CALL, or --at, or --verify", "a replay is of a call, of a place, or a verification")
			case again && len(args) == 0:
				return sessions.Refuse(sessions.Usage, "argument_missing", "name the call", "--run does a call again")
			case again:
				return a.repeat(ctx, args[0])
			case len(args) > 0:
				return look(ctx, a, "call.envelope", engine.CallAsk{Call: args[0]}, (*page).envelope)
			case verify:
				return a.verify(ctx)
			}
			q, err := replayAt(at)
			if err != nil {
				return err
			}
			return look(ctx, a, "replay", q, (*page).replayed)
		},
	})
}

// replayAt reads a place: a sequence, or a time.
func replayAt(at string) (engine.ReplayAsk, error) {
	if at == "" {
		return engine.ReplayAsk{}, nil
	}
	if n, err := strconv.ParseUint(at, 10, 64); err == nil && n > 0 {
		return engine.ReplayAsk{Sequence: n}, nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return engine.ReplayAsk{}, sessions.Refuse(sessions.Usage, "bad_value", "give a sequence from 1, or a time like 2026-01-31T12:00:00Z", "--at %q is no place in the log", at)
	}
	return engine.ReplayAsk{Time: t}, nil
}

// verify decides the session again; a difference is an answer with an exit status of its own.
func (a *app) verify(ctx context.Context) error {
	equal := true
	err := a.within(ctx, func(l *link, session string) error {
		raw, err := l.Query(ctx, "verify", session, engine.None{})
		v, err := engine.As[engine.Verified](raw, err)
		if err != nil {
			return err
		}
		equal = v.Equal
		return reply(a, raw, nil, (*page).verified)
	})
	if err == nil && !equal {
		return answered(exitUnverified)
	}
	return err
}

func (p *page) verified(v engine.Verified) {
	p.line("session %s: %d commits, %d events, %d decisions made again", v.Session, v.Commits, v.Events, v.Decisions)
	if v.Older > 0 {
		p.line("%d decisions were made by another version of the router; they stand as recorded", v.Older)
	}
	if v.Erased > 0 {
		p.line("input erased: %d decisions used feedback whose text was deleted; they were made again from what is left of it", v.Erased)
	}
	if v.Difference == nil {
		p.line("all is equal")
		return
	}
	d := v.Difference
	p.line("first difference: sequence %d, commit %d, event %s", d.Sequence, d.N, d.Event)
	p.line("  stored %s", d.Stored)
	p.line("  again  %s", d.Again)
}

func (p *page) replayed(r engine.Replayed) {
	p.line("%d commits, %d events, hash %s", r.Commits, r.Events, r.Hash)
	p.overview(r.State)
	for _, c := range r.Calls {
		p.line("call      %s  %s  %s  %s", c.CallID, p.status(c.Status, 0), c.Skill, c.Intent)
	}
	for _, w := range r.Context {
		p.line("value     %s = %s (revision %d)", w.Key, cut(shown(w.Value), 120), w.Rev)
	}
	for _, run := range r.Runs {
		p.line("run       %s  %s  %s", run.Run, p.status(string(run.Status), 0), run.Name)
	}
}
