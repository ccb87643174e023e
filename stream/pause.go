package stream

import (
	"context"
	"iter"
	"time"
)

// Pause waits before another look or try. It is false when ctx was done first.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Tries counts looks or tries from 1: the first at once, the others after pauses that grow from one length to
// another, so that many who wait for the same leave it time to happen. They end when ctx is done.
func Tries(ctx context.Context, first, longest time.Duration) iter.Seq[int] {
	return func(yield func(int) bool) {
		pause := first
		for n := 1; yield(n) && Pause(ctx, pause); n++ {
			pause = min(2*pause, longest)
		}
	}
}
