package engine

import (
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// heard remembers when each running attempt was last heard of, on this process's own monotonic
// clock. An attempt that it never heard of counts from the moment it was first looked at.
type heard struct {
	now   func() time.Time
	lease time.Duration

	mu   sync.Mutex
	last map[attemptKey]time.Time
}

type attemptKey struct {
	session, call string
	attempt       int
}

func newHeard(now func() time.Time, lease time.Duration) *heard {
	return &heard{now: now, lease: lease, last: map[attemptKey]time.Time{}}
}

func (h *heard) beat(b stream.Beat) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last[attemptKey{b.Session, b.Call, b.Attempt}] = h.now()
}

// silent says whether the attempt has not been heard of for a lease.
func (h *heard) silent(session, call string, attempt int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := attemptKey{session, call, attempt}
	at, known := h.last[key]
	if !known {
		h.last[key] = h.now()
		return false
	}
	return h.now().Sub(at) >= h.lease
}

// forget drops every attempt that keep does not name, so that memory stays bounded.
func (h *heard) forget(keep map[attemptKey]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key := range h.last {
		if !keep[key] && h.now().Sub(h.last[key]) > 2*h.lease {
			delete(h.last, key)
		}
	}
}

// knowing adds to a claim what only this process can know of the call's present holder.
func (e *Engine) knowing(s *workflows.State, c workflows.Claim) workflows.Claim {
	call := c.Wanted(s.State)
	if call == nil || call.Phase != sessions.Running {
		return c
	}
	c.Dead = e.gone(call.Worker)
	c.Silent = e.heard.silent(s.ID, call.ID(), call.Attempt)
	return c
}

func (e *Engine) gone(worker string) bool {
	process, _, _ := strings.Cut(worker, ".")
	return e.Gone != nil && worker != "" && e.Gone(process)
}

// Beat takes a worker's sign of life and tells it whether to go on: GoOn, Cancelled or Stale.
// What other processes must hear is told to them.
func (e *Engine) standing(s *workflows.State, b stream.Beat) string {
	answer := s.Standing(b.Call, b.Attempt, b.Worker)
	if answer == GoOn {
		e.heard.beat(b)
	}
	return answer
}

// The answers to a heartbeat.
const (
	GoOn      = sessions.GoOn
	Cancelled = sessions.Cancelled
	Stale     = sessions.StaleResult
)
