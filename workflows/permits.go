package workflows

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
)

// Permits are who may run at once under one limit, whatever their sessions: folded from the limit's own
// line. A call holds one permit however often it is granted; the newest grant counts, so that an old one
// cannot give back what a later attempt runs on.
type Permits struct {
	held   map[permitKey]Permit
	grants int
}

type permitKey struct{ session, call string }

// Permit is one that is held.
type Permit struct {
	events.PermitGranted
	Since time.Time
}

// NewPermits is the state before a limit's first event.
func NewPermits() *Permits { return &Permits{held: map[permitKey]Permit{}} }

// Fold takes the next event of the limit.
func (p *Permits) Fold(e events.Event) {
	switch d := e.Data.(type) {
	case events.PermitGranted:
		p.held[permitKey{d.Session, d.Call}] = Permit{d, e.Time}
		p.grants = max(p.grants, d.Grant)
	case events.PermitFreed:
		key := permitKey{d.Session, d.Call}
		if p.held[key].Grant == d.Grant {
			delete(p.held, key)
		}
	}
}

// Count is how many permits are held.
func (p *Permits) Count() int { return len(p.held) }

// Held lists the permits that are held, the oldest grant first.
func (p *Permits) Held() []Permit {
	return slices.SortedFunc(maps.Values(p.held), func(a, b Permit) int { return cmp.Compare(a.Grant, b.Grant) })
}

// Grant gives a call a permit, or nothing when all are held by others.
func (p *Permits) Grant(limit string, size int, session, call string, attempt int) []events.Data {
	if _, has := p.held[permitKey{session, call}]; !has && len(p.held) >= size {
		return nil
	}
	return []events.Data{events.PermitGranted{Limit: limit, Grant: p.grants + 1, Session: session, Call: call, Attempt: attempt, Size: size}}
}

// Free gives back a call's permit if it was granted for this attempt or an earlier one, or is this grant.
func (p *Permits) Free(session, call string, attempt, grant int, reason string) []events.Data {
	held, has := p.held[permitKey{session, call}]
	if !has || held.Grant != grant && (attempt == 0 || held.Attempt > attempt) {
		return nil
	}
	return []events.Data{events.PermitFreed{Limit: held.Limit, Grant: held.Grant, Session: session, Call: call, Reason: reason}}
}
