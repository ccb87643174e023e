package stream

import (
	"context"
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
