//go:build linux

package faults_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestBlockedBeats: the line of a worker is cut while its step runs, so that neither beats nor in-progress
// acks get through. Another takes over after the lease; the first hears that it is stale once it is back, and ends
// its step by itself. A line that is cut for less than the lease costs nothing.
func TestBlockedBeats(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		c := newCluster(t)
		base, _ := c.serve(c.address())
		line := newProxy(t, c.address(), 0)
		p := &pair{home: base}
		p.first, p.firstID = c.via(base, line.addr()).worker()
		p.run = p.detach(p.template(step("slow", slowFirst)))
		p.pids = p.home.pids(3)
		p.second, p.secondID = p.worker()
		line.setCut(true)
		pauseFor(time.Duration(r.IntN(600)) * time.Millisecond) // less than the lease
		line.setCut(false)
		if within(lease, func() bool { return len(p.ledger()) > 1 }) {
			t.Fatalf("a cut for less than the lease cost an attempt: %+v", p.ledger())
		}
		line.setCut(true)
		cut := time.Now()
		first, second := p.taken()
		if took := second.started.Sub(cut); took > lease+time.Second+noise {
			t.Errorf("the other took over %v after the cut", took)
		}
		line.setCut(false)
		if !within(lease+grace+noise, func() bool { return !anyAlive(p.pids) }) {
			t.Error("the stale step's processes are still there")
		}
		p.refused(first)
	})
}
