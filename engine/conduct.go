package engine

import (
	"context"
	"encoding/json"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// Conduct is what a pool of workers needs to claim and finish calls: Local through the engine of its
// own process, Remote over the bus. V is how Via answers.
type Conduct[V any] struct{ Via decider[V] }

// Local and Remote are the two ways of an attempt to the log.
type (
	Local  = Conduct[any]
	Remote = Conduct[json.RawMessage]
)

// decider is an Engine or a Client.
type decider[V any] interface {
	Do(ctx context.Context, session string, c workflows.Command, m Meta) (V, error)
	Beat(ctx context.Context, b stream.Beat) (string, error)
}

// Claim asks for the next attempt of the call a baton is about.
func (d Conduct[V]) Claim(ctx context.Context, session string, c workflows.Claim) (workflows.Task, error) {
	return As[workflows.Task](d.Via.Do(ctx, session, c, workerMeta(c.Worker)))
}

// Finish ends an attempt and may bring the next.
func (d Conduct[V]) Finish(ctx context.Context, session string, c workflows.Finish) (workflows.Finished, error) {
	return As[workflows.Finished](d.Via.Do(ctx, session, c, workerMeta(c.Worker)))
}

// Release gives an attempt back.
func (d Conduct[V]) Release(ctx context.Context, session string, c workflows.Release) error {
	_, err := d.Via.Do(ctx, session, c, workerMeta(c.Worker))
	return err
}

// Beat tells that an attempt is alive.
func (d Conduct[V]) Beat(ctx context.Context, b stream.Beat) (string, error) {
	return d.Via.Beat(ctx, b)
}

func workerMeta(worker string) Meta { return Meta{Actor: "worker:" + worker} }
