package jetstream

import "context"

// Barrier returns once everything up to the log's sequence is as durable as its class promises, and
// every payload written before; sequence 0 asks for the payloads alone. It is the one place that all
// visible results wait at. Beside an embedded server it is that of its keeper.
type Barrier func(ctx context.Context, sequence uint64) error

// acknowledged is the barrier of a cluster, and of whoever does not append: what the server has
// acknowledged is as durable as it gets.
func acknowledged(context.Context, uint64) error { return nil }
