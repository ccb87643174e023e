package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// permits keeps limits that span sessions. A permit is granted on the limit's own line before the claim
// is committed, and given back after the outcome was: at any place of the log no more calls run under a
// limit than it has permits. What a crash leaves between the two, the reconciler finds.
type permits struct {
	e     *Engine
	sizes map[string]int

	mu      sync.Mutex
	ledgers map[string]*Ledger[*workflows.Permits]
	index   *Projector // where it is known who waits; nil until the reconciler runs
}

func newPermits(e *Engine, sizes map[string]int) *permits {
	return &permits{e: e, sizes: sizes, ledgers: map[string]*Ledger[*workflows.Permits]{}}
}

// follow says where it is known who waits.
func (p *permits) follow(index *Projector) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index = index
}

// limitEntity is the line of a limit: "gpu" stands on limit.gpu, "queue:ocr" on limit.queue.ocr.
func limitEntity(limit string) stream.Entity {
	return stream.Entity("limit." + strings.ReplaceAll(limit, ":", "."))
}

func (p *permits) ledger(limit string) *Ledger[*workflows.Permits] {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.ledgers[limit]
	if l == nil {
		l = OpenLedger(p.e, limitEntity(limit), workflows.NewPermits())
		p.ledgers[limit] = l
	}
	return l
}

// limited are the limits that every call of a queue counts against.
func (p *permits) limited(queue string) []string {
	if name := "queue:" + queue; p.sizes[name] > 0 {
		return []string{name}
	}
	return nil
}

// grant is a permit that was just given.
type grant struct {
	limit string
	n     int
}

// claim asks for the permits that a refused claim lacks, and claims again. Without all of them it keeps
// none: nobody waits while holding.
func (p *permits) claim(ctx context.Context, session string, c workflows.Claim, m Meta, refused error) (any, error) {
	var refusal *sessions.Refusal
	if !errors.As(refused, &refusal) || refusal.Code != sessions.ClaimLimited {
		return nil, refused
	}
	lacks, ok := refusal.Details["lacks"].(sessions.Lacks)
	if !ok {
		return nil, refused
	}
	got, err := p.take(ctx, session, lacks)
	if err != nil {
		return nil, err
	}
	c.Call, c.Permitted = lacks.Call, lacks.Call
	value, err := p.e.ask(ctx, session, &ask{command: c, meta: m})
	if task, ok := value.(workflows.Task); !ok || task.Envelope.CallID != lacks.Call {
		p.unused(context.WithoutCancel(ctx), session, lacks.Call, got)
	}
	return value, err
}

// unused gives permits back that a claim did not need after all, unless somebody else has claimed the
// call meanwhile: then they are the ones that it runs on. What cannot be told is left to the reconciler.
func (p *permits) unused(ctx context.Context, session, call string, grants []grant) {
	running, err := As[bool](p.e.View(ctx, session, func(s *workflows.State, _ sessions.World) (any, error) {
		c := s.Calls[call]
		return c != nil && c.Phase == sessions.Running, nil
	}))
	if err == nil && !running {
		p.give(ctx, session, call, grants)
	}
}

func (p *permits) take(ctx context.Context, session string, lacks sessions.Lacks) ([]grant, error) {
	var got []grant
	for _, limit := range lacks.Limits {
		var given *events.PermitGranted
		_, err := p.ledger(limit).Commit(ctx, Meta{Actor: workflows.Actor}, nil, func(s *workflows.Permits) ([]events.Data, error) {
			given = nil
			facts := s.Grant(limit, p.sizes[limit], session, lacks.Call, lacks.Attempt)
			for _, fact := range facts {
				if d, ok := fact.(events.PermitGranted); ok {
					given = &d
				}
			}
			return facts, nil
		})
		if err == nil && given == nil {
			err = sessions.Refuse(sessions.Conflict, sessions.ClaimLimited, "a permit must be given back", "limit %s is used up", limit)
		}
		if err != nil {
			p.give(context.WithoutCancel(ctx), session, lacks.Call, got)
			return nil, err
		}
		got = append(got, grant{limit, given.Grant})
	}
	return got, nil
}

// give gives back what a claim was not granted with.
func (p *permits) give(ctx context.Context, session, call string, grants []grant) {
	for _, g := range grants {
		p.free(ctx, g.limit, func(s *workflows.Permits) []events.Data {
			return s.Free(session, call, 0, g.n, "the call was not claimed")
		})
	}
}

// ended gives back the permits of an attempt whose end is committed.
func (p *permits) ended(ctx context.Context, session, call string, limits []string, attempt int) {
	for _, limit := range limits {
		p.free(ctx, limit, func(s *workflows.Permits) []events.Data { return s.Free(session, call, attempt, 0, "") })
	}
}

// free commits what gives permits back, and wakes as many as wait for them.
func (p *permits) free(ctx context.Context, limit string, decide func(*workflows.Permits) []events.Data) {
	entry, err := p.ledger(limit).Commit(ctx, Meta{Actor: workflows.Actor}, nil, func(s *workflows.Permits) ([]events.Data, error) { return decide(s), nil })
	p.e.warn("give a permit back", err)
	if err == nil && len(entry.Facts) > 0 {
		p.wake(ctx, limit, len(entry.Facts))
	}
}

// wake sends batons to the calls that have waited longest for a limit.
func (p *permits) wake(ctx context.Context, limit string, n int) {
	for _, c := range p.waiting(limit) {
		if n == 0 {
			return
		}
		n--
		_, err := p.e.Queue.Publish(ctx, c.Queue, stream.Baton{Session: c.Session, Call: c.Call, After: c.Sequence, Wake: true})
		p.e.warn("wake a call that waits for a limit", err)
	}
}

// waiting lists the calls that wait to be started and count against a limit, the longest waiting first.
func (p *permits) waiting(limit string) []projections.QueuedCall {
	p.mu.Lock()
	index := p.index
	p.mu.Unlock()
	if index == nil {
		return nil
	}
	var rows []projections.QueuedCall
	index.Index(func(x *projections.Index) { rows = x.Queued() })
	return slices.DeleteFunc(rows, func(c projections.QueuedCall) bool { return !slices.Contains(c.Limits, limit) })
}

// explain says behind which limit a call waits, if one is used up.
func (p *permits) explain(ctx context.Context, session string, r workflows.Reason) workflows.Reason {
	for _, limit := range r.Limits {
		var held []workflows.Permit
		if err := p.ledger(limit).View(ctx, func(s *workflows.Permits) { held = s.Held() }); err != nil || len(held) < p.sizes[limit] {
			continue
		}
		position := 1 + slices.IndexFunc(p.waiting(limit), func(c projections.QueuedCall) bool {
			return c.Session == session && c.Call == r.Call()
		})
		holder := ""
		if len(held) > 0 {
			holder = held[0].Call
		}
		return r.Behind(limit, max(position, 1), p.sizes[limit], holder)
	}
	return r
}

// unclaimed is how long a permit may be held before its call has started: a claim is decided long before.
const unclaimed = 3

// sweep frees the permits that nobody runs on: their process ended between two commits.
func (p *permits) sweep(ctx context.Context, held []projections.HeldCall) {
	running := map[permitHolder]bool{}
	for _, c := range held {
		running[permitHolder{c.Session, c.Call}] = true
	}
	for _, limit := range slices.Sorted(maps.Keys(p.sizes)) {
		var stale []workflows.Permit
		err := p.ledger(limit).View(ctx, func(s *workflows.Permits) {
			for _, permit := range s.Held() {
				if !running[permitHolder{permit.Session, permit.Call}] && p.e.Now().Sub(permit.Since) > time.Second {
					stale = append(stale, permit)
				}
			}
		})
		p.e.warn("look at a limit", err)
		for _, permit := range stale {
			p.sweepOne(ctx, limit, permit)
		}
	}
}

type permitHolder struct{ session, call string }

func (p *permits) sweepOne(ctx context.Context, limit string, permit workflows.Permit) {
	over, err := As[bool](p.e.View(ctx, permit.Session, func(s *workflows.State, _ sessions.World) (any, error) {
		call := s.Calls[permit.Call]
		switch {
		case call == nil, call.Phase == sessions.Over:
			return true, nil
		case call.Phase == sessions.Running:
			return false, nil
		}
		return call.Attempt >= permit.Attempt || p.e.Now().Sub(permit.Since) > unclaimed*p.e.Lease, nil
	}))
	if err != nil || !over {
		return
	}
	p.free(ctx, limit, func(s *workflows.Permits) []events.Data {
		return s.Free(permit.Session, permit.Call, 0, permit.Grant, "found by the reconciler: its attempt is over")
	})
}
