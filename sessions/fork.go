package sessions

import (
	"time"

	"github.com/batonflow/baton/events"
)

// forked makes the past that was folded so far this session's own: it is open, no request was made in
// it, and what workers hold there has ended here.
func (s *State) forked(d events.SessionForked, at time.Time) {
	s.Status, s.Summary, s.From = Active, "", d.From
	s.Requests = map[string]Done{}
	s.held, s.holds, s.queued = map[uint64]string{}, map[string]string{}, map[string][]string{}
	for _, id := range s.Order {
		if c := s.Calls[id]; c.Phase != Over && !c.ByHand() {
			c.Phase, c.Status, c.ClosedAt, c.Held = Over, Cancelled, at, false
			c.Failure = &events.Failure{Class: Cancelled, Code: "forked", Message: "it goes on in session " + d.From}
		}
	}
}
