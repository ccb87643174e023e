package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

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
				raw, err := operation.Take(ctx, l, operation.ClaimAsk{Queue: queue, Actor: a.actor(), Request: a.request}, wait)
				return reply(a, raw, err, (*page).envelope)
			})
		},
	})
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
			return look(ctx, a, "beat.call", operation.BeatAsk{Call: args[0], Attempt: attempt}, (*page).beat)
		},
	})
}

func (p *page) beat(b operation.BeatAnswer) {
	if b.LeaseUntil == nil {
		p.line("%s", p.status(b.Answer, 0))
		return
	}
	p.line("%s, lease until %s", p.status(b.Answer, 0), *b.LeaseUntil)
}

func (a *app) callStream() *cobra.Command {
	var attempt int
	return a.verb(verb{
		use: "stream C [TEXT] [--attempt N]", short: "say how far a claimed call is, which keeps it alive too",
		example: `
baton call stream c001 --attempt 1 "3 of 12 pages read"
./ocr.sh | baton call stream c001 --attempt 1`,
		args: between(1, "C", "TEXT"),
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&attempt, "attempt", 0, a.say("number of the attempt, as the envelope said it (default: the current one)"))
		},
		run: func(ctx context.Context, args []string) error {
			if attempt < 0 {
				return sessions.Refuse(sessions.Usage, "bad_value", "attempts count from 1", "--attempt %d is no attempt", attempt)
			}
			return a.within(ctx, func(l *link, session string) error {
				say := func(text string) (operation.BeatAnswer, error) {
					ask := operation.SayAsk{Call: args[0], Attempt: attempt, Text: text}
					return engine.As[operation.BeatAnswer](l.Query(ctx, "say.call", session, ask))
				}
				var got operation.BeatAnswer
				var err error
				if len(args) == 2 {
					got, err = say(args[1])
				} else {
					got, err = a.sayLines(say)
				}
				if err != nil {
					return err
				}
				return a.answer(got, func(p *page) error { p.beat(got); return nil })
			})
		},
	})
}

// longestLine bounds what is read of stdin at once.
const longestLine = 64 << 10

// sayLines says every line of stdin, until it ends or the attempt is no longer wanted. Lines that come
// together are said together.
func (a *app) sayLines(say func(string) (operation.BeatAnswer, error)) (operation.BeatAnswer, error) {
	got, err := say("")
	in := bufio.NewReaderSize(a.in, longestLine)
	for err == nil && got.Answer == engine.GoOn {
		text, end := in.ReadSlice('\n')
		words := string(text)
		if more, _ := in.Peek(in.Buffered()); len(more) > 0 {
			words += string(more)
			if _, err := in.Discard(len(more)); err != nil {
				return got, fmt.Errorf("read stdin: %w", err)
			}
		}
		if words != "" {
			got, err = say(strings.ToValidUTF8(words, "\uFFFD"))
		}
		if errors.Is(end, io.EOF) {
			break
		}
		if end != nil && !errors.Is(end, bufio.ErrBufferFull) {
			return got, fmt.Errorf("read stdin: %w", end)
		}
	}
	return got, err
}
