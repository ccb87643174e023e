package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
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

func (p *page) call(r sessions.Row) {
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

// claimed is what a caller outside gets of a claim: the envelope.
type claimed struct {
	Task struct {
		Envelope json.RawMessage `json:"envelope"`
	} `json:"task"`
}

// oneWait is how long one question waits for work; after it the question is asked again.
const oneWait = 5 * time.Second

func (a *app) callClaim() *cobra.Command {
	var queue string
	var wait time.Duration
	return a.verb(verb{
		use: "claim --queue Q [--wait D]", short: "take the call that waits longest on a queue",
		example: `baton call claim --queue skills --wait 30s --json`, need: []string{"queue"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&queue, "queue", "", a.say("the queue to take work from"))
			f.DurationVar(&wait, "wait", 0, a.say("how long to wait for work"))
		},
		run: func(ctx context.Context, _ []string) error {
			if wait < 0 {
				return sessions.Refuse(sessions.Usage, "bad_value", "use a duration like 30s", "--wait %s is before now", wait)
			}
			return a.linked(ctx, func(l *link) error {
				raw, err := a.claim(ctx, l, queue, wait)
				return reply(a, raw, err, (*page).envelope)
			})
		},
	})
}

// claim asks until there is work or the wait is over.
func (a *app) claim(ctx context.Context, l *link, queue string, wait time.Duration) (json.RawMessage, error) {
	until := a.now().Add(wait)
	for {
		left := max(0, until.Sub(a.now()))
		got, err := engine.As[claimed](l.Query(ctx, "claim.next", "", host.ClaimAsk{Queue: queue, Wait: min(left, oneWait).Seconds(), Actor: a.actor(), Request: a.request}))
		var r *sessions.Refusal
		if errors.As(err, &r) && r.Code == "queue_empty" && left > oneWait {
			continue
		}
		return got.Task.Envelope, err
	}
}

// actor names who uses the command, for what is claimed by hand.
func (a *app) actor() string {
	if user := a.Env("USER"); user != "" {
		return user
	}
	return "cli"
}

func (a *app) callBeat() *cobra.Command {
	var attempt int
	return a.verb(verb{
		use: "beat C --attempt N", short: "keep a claimed call alive", example: `baton call beat c001 --attempt 1`, args: exactly("C"), need: []string{"attempt"},
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&attempt, "attempt", 0, a.say("number of the attempt, as the envelope said it"))
		},
		run: func(ctx context.Context, args []string) error {
			if attempt < 1 {
				return sessions.Refuse(sessions.Usage, "bad_value", "attempts count from 1", "--attempt %d is no attempt", attempt)
			}
			return look(ctx, a, "beat.call", host.BeatAsk{Call: args[0], Attempt: attempt}, func(p *page, b host.BeatAnswer) {
				if b.LeaseUntil == nil {
					p.line("%s", p.status(b.Answer, 0))
					return
				}
				p.line("%s, lease until %s", p.status(b.Answer, 0), *b.LeaseUntil)
			})
		},
	})
}
