package jetstream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/batonflow/baton/stream"
)

// Asker is a connection that can ask and nothing else. It is there sooner than a [Store], which looks
// every stream up first.
type Asker struct {
	*bus
	nc *nats.Conn
}

var _ stream.Bus = (*Asker)(nil)

// OpenAsker connects to whoever serves at the configuration's URL, which it does not look at.
func OpenAsker(_ context.Context, cfg Config) (*Asker, error) {
	cfg = cfg.withDefaults()
	down := newBroadcast()
	nc, err := connect(cfg, newBroadcast(), down)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w: %w", stream.ErrUnavailable, err)
	}
	replies, err := newReplies(nc, down)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &Asker{&bus{nc: nc, replies: replies}, nc}, nil
}

// Close disconnects.
func (a *Asker) Close() { a.nc.Close() }
