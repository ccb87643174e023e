package engine

import (
	"errors"
	"sync/atomic"

	"github.com/batonflow/baton/sessions"
)

// Counts is what an engine has met since it was made and what no event tells.
type Counts struct {
	Conflicts  atomic.Int64 // appends that somebody else's commit came before
	Duplicates atomic.Int64 // commands under a known request id, and results that came too late
	Found      atomic.Int64 // calls and timers that stood still and were woken
}

// refused counts a result of an attempt that is no longer current.
func (c *Counts) refused(err error) {
	var refusal *sessions.Refusal
	if errors.As(err, &refusal) && refusal.Code == sessions.StaleResult {
		c.Duplicates.Add(1)
	}
}
