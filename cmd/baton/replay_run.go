package main

import (
	"context"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// repeated is the answer of replay --run: the new call, and the one that it repeats.
type repeated struct {
	sessions.Row
	Of string `json:"of"`
}

// lookEvery is how often a call is looked at that is waited for.
const lookEvery = 20 * time.Millisecond

// repeat does a call again as a new one. What Baton's workers do is waited for; what somebody outside
// must take is only opened.
func (a *app) repeat(ctx context.Context, call string) error {
	return a.within(ctx, func(l *link, session string) error {
		old, err := engine.As[sessions.Row](l.Query(ctx, "call.show", session, engine.CallAsk{Call: call}))
		if err != nil {
			return err
		}
		opened, _, err := answerOf[sessions.Envelope](ctx, a, l, session, workflows.Repeat{Call: old.CallID})
		if err != nil {
			return err
		}
		for {
			row, err := engine.As[sessions.Row](l.Query(ctx, "call.show", session, engine.CallAsk{Call: opened.CallID}))
			if err != nil {
				return err
			}
			over := row.ClosedAt != nil
			if over || opened.Queue == "" || row.Queue == workflows.SkillsQueue {
				return a.repetition(repeated{row, old.CallID}, over)
			}
			if !stream.Pause(ctx, lookEvery) {
				return ctx.Err()
			}
		}
	})
}

// repetition prints how it ended; one that failed is an answer with an exit status of its own.
func (a *app) repetition(r repeated, over bool) error {
	err := a.answer(r, func(p *page) error {
		p.line("call %s repeats %s: %s", r.CallID, r.Of, p.status(r.Status, 0))
		if len(r.Value) > 0 {
			p.line("  value %s", cut(shown(r.Value), 400))
		}
		if r.Error != nil {
			p.line("  %s: %s", r.Error.Code, r.Error.Message)
		}
		return nil
	})
	if err == nil && over && r.Status != "ok" {
		return answered(exitFailed)
	}
	return err
}
