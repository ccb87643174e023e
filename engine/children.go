package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// kin is a call whose child run has a session of its own.
type kin struct{ session, call string }

// callerActor is the actor of what a call and its child run say to each other.
const callerActor = "caller"

// settleKin is how often in a row something may be due between a call and its child run; what is due after
// that the reconciler finds.
const settleKin = 8

// tendAtOnce is how many are tended beside each other.
const tendAtOnce = 16

// tend looks at a call and its child run and does what is due, until nothing is. It can be done at any
// time, by anybody, and any number of times.
func (e *Engine) tend(ctx context.Context, k kin) error {
	for range settleKin {
		session, due, err := e.due(ctx, k)
		if err != nil || due == nil {
			return err
		}
		if _, err = e.Do(ctx, session, due, Meta{Actor: callerActor}); err == nil {
			continue
		}
		call, calls := due.(workflows.CallChild)
		var r *sessions.Refusal
		if !calls || !errors.As(err, &r) || r.Kind == sessions.Unreachable || r.Kind == sessions.Damaged {
			return err
		}
		over := workflows.ChildOver{Call: k.call, Attempt: call.Caller.Attempt, Failure: &events.Failure{Class: "terminal", Code: "child_not_started", Message: r.Message}}
		if _, err := e.Do(ctx, k.session, over, Meta{Actor: callerActor}); err != nil {
			return err
		}
	}
	return nil
}

// due says what is due between the two as they stand.
func (e *Engine) due(ctx context.Context, k kin) (session string, due workflows.Command, err error) {
	of, err := As[workflows.CallerSide](e.View(ctx, k.session, func(s *workflows.State, _ sessions.World) (any, error) {
		return s.CallerSide(k.call)
	}))
	if err != nil || of.Child == "" {
		return "", nil, err
	}
	child, err := As[workflows.ChildSide](e.View(ctx, of.Child, func(s *workflows.State, w sessions.World) (any, error) {
		return s.ChildSide(k.call, w)
	}))
	if err != nil {
		return "", nil, err
	}
	session, due = workflows.Between(of, child)
	return session, due, nil
}

// tendAll tends the calls, each beside the others, but only so many at once.
func (e *Engine) tendAll(all []kin) {
	for _, k := range all {
		e.group.Go(func() {
			select {
			case e.tending <- struct{}{}:
				defer func() { <-e.tending }()
				e.warn("tend a child run", e.tend(e.ctx, k))
			case <-e.ctx.Done():
			}
		})
	}
}

// stopChildren returns once the child runs of a run that was cancelled have been cancelled, too. Those that
// cannot be reached the reconciler finds.
func (e *Engine) stopChildren(ctx context.Context, session, run string, refused error) {
	if refused != nil {
		return
	}
	calls, err := As[[]string](e.View(ctx, session, func(s *workflows.State, _ sessions.World) (any, error) {
		var out []string
		for _, id := range s.Order {
			if c := s.Calls[id]; c.Child != "" && c.Status == sessions.Cancelled && strings.HasPrefix(id, run+"/") {
				out = append(out, id)
			}
		}
		return out, nil
	}))
	e.warn("cancel child runs", err)
	for _, call := range calls {
		e.warn("cancel a child run", e.tend(ctx, kin{session, call}))
	}
}
