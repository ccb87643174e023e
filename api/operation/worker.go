package operation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/batonflow/baton/sessions"
)

// Claim takes the call that waits longest on a queue.
type Claim struct {
	Queue string  `json:"queue" jsonschema:"the queue to take work from"`
	Wait  float64 `json:"wait,omitempty" jsonschema:"how many seconds to wait for work, up to 60"`
	Actor string  `json:"actor,omitempty" jsonschema:"who takes it, for people"`
}

const (
	// oneWait is how long one question waits for work; after it the question is asked again.
	oneWait = 5 * time.Second
	// mostWait bounds how long an operation waits.
	mostWait = time.Minute
)

func claim(ctx context.Context, c Caller, in Claim) (json.RawMessage, error) {
	if in.Actor == "" {
		in.Actor = c.Meta.Actor
	}
	wait, err := waiting(in.Wait)
	if err != nil {
		return nil, err
	}
	return Take(ctx, c, ClaimAsk{Queue: in.Queue, Actor: in.Actor, Request: c.Meta.Request}, wait)
}

// waiting reads how many seconds are waited.
func waiting(seconds float64) (time.Duration, error) {
	if seconds < 0 || seconds > mostWait.Seconds() {
		return 0, sessions.Refuse(sessions.Usage, "bad_wait", "use seconds from 0 to 60, and ask again", "%v seconds cannot be waited", seconds)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// Take asks for work until there is some or the wait is over, and gives the envelope.
func Take(ctx context.Context, b Backend, q ClaimAsk, wait time.Duration) (json.RawMessage, error) {
	until := time.Now().Add(wait)
	for {
		left := max(0, time.Until(until))
		q.Wait = min(left, oneWait).Seconds()
		got, err := ask[struct {
			Task struct {
				Envelope json.RawMessage `json:"envelope"`
			} `json:"task"`
		}](ctx, Caller{Backend: b}, "claim.next", "", q)
		var r *sessions.Refusal
		if errors.As(err, &r) && r.Code == "queue_empty" && left > oneWait && ctx.Err() == nil {
			continue
		}
		return got.Task.Envelope, err
	}
}

// Beat keeps a claimed call alive.
type Beat struct {
	AboutCall
	Attempt int `json:"attempt" jsonschema:"number of the attempt, as the envelope said it"`
}

// Say tells how far a claimed call is, which keeps it alive too.
type Say struct {
	Beat
	Text string          `json:"text,omitempty" jsonschema:"what a person reads"`
	Data json.RawMessage `json:"data,omitempty" jsonschema:"what a program reads"`
}

// attempted refuses to speak for no attempt: the number is the fence.
func attempted(attempt int) error {
	if attempt < 1 {
		return sessions.Refuse(sessions.Usage, "bad_value", "attempts count from 1, as the envelope says", "%d is no attempt", attempt)
	}
	return nil
}

func beat(ctx context.Context, c Caller, in Beat) (json.RawMessage, error) {
	if err := attempted(in.Attempt); err != nil {
		return nil, err
	}
	session, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "beat.call", session, BeatAsk{Call: in.Call, Attempt: in.Attempt})
}

func say(ctx context.Context, c Caller, in Say) (json.RawMessage, error) {
	if err := attempted(in.Attempt); err != nil {
		return nil, err
	}
	session, err := FindSession(ctx, c, in.Session)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "say.call", session, SayAsk{Call: in.Call, Attempt: in.Attempt, Text: in.Text, Data: in.Data})
}
