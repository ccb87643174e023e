package jetstream

import "context"

// Barrier returns once everything up to the log's sequence is as durable as its class promises, and
// every payload written before; sequence 0 asks for the payloads alone. It is the one place that all visible results wait at, so that a stronger class of durability is
// another barrier and nothing else.
type Barrier func(ctx context.Context, sequence uint64) error

// Interval is the barrier of the class "interval=D": what is acknowledged is in the page cache, the
// server flushes it within its SyncInterval, and nobody waits for that. A killed process loses
// nothing; a power loss costs at most the interval.
func Interval(context.Context, uint64) error { return nil }
