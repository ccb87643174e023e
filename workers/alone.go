package workers

import (
	"context"
	"time"

	"github.com/batonflow/baton/stream"
)

// A call whose workers were lost again and again may be what brings them down. It runs alone: whoever
// takes it lets what else runs in the process end first and starts nothing beside it, so that the next
// loss is its own and nobody else's.

// quiet lets the pool start nothing else, waits until only the asker's slot is in use, and gives what
// ends the quiet; false when somebody else runs alone already, or the pool stops. The baton is kept in
// hand meanwhile.
func (p *Pool) quiet(ctx context.Context, d stream.Delivery) (leave func(), ok bool) {
	p.mu.Lock()
	if p.alone {
		p.mu.Unlock()
		return nil, false
	}
	p.alone = true
	p.mu.Unlock()
	leave = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.alone = false
		p.freed()
	}
	tick := time.NewTicker(p.Lease / 3)
	defer tick.Stop()
	for {
		p.mu.Lock()
		only, waiting := len(p.free) == p.Slots-1, p.waiting
		p.mu.Unlock()
		if only {
			return leave, true
		}
		select {
		case <-waiting:
		case <-tick.C:
			p.settle(d.Extend(ctx))
		case <-ctx.Done():
			leave()
			return nil, false
		}
	}
}

// freed wakes those who wait for a slot; the pool is locked.
func (p *Pool) freed() {
	close(p.waiting)
	p.waiting = make(chan struct{})
}
