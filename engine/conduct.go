package engine

import (
	"context"

	"github.com/batonflow/baton/workflows"
)

// Local lets the workers of this process claim and finish calls through its engine; Remote lets those
// of another process do it over the bus. Both are what a pool of workers needs.
type Local struct{ *Engine }

// Claim asks for the next attempt of the call a baton is about.
func (l Local) Claim(ctx context.Context, session string, c workflows.Claim) (workflows.Task, error) {
	return As[workflows.Task](l.Do(ctx, session, c, workerMeta(c.Worker)))
}

// Finish ends an attempt and may bring the next.
func (l Local) Finish(ctx context.Context, session string, c workflows.Finish) (workflows.Finished, error) {
	return As[workflows.Finished](l.Do(ctx, session, c, workerMeta(c.Worker)))
}

// Release gives an attempt back.
func (l Local) Release(ctx context.Context, session string, c workflows.Release) error {
	_, err := l.Do(ctx, session, c, workerMeta(c.Worker))
	return err
}

// Remote is Local over the bus.
type Remote struct{ Client }

// Claim asks for the next attempt of the call a baton is about.
func (r Remote) Claim(ctx context.Context, session string, c workflows.Claim) (workflows.Task, error) {
	value, err := r.Do(ctx, session, c, workerMeta(c.Worker))
	return As[workflows.Task](value, err)
}

// Finish ends an attempt and may bring the next.
func (r Remote) Finish(ctx context.Context, session string, c workflows.Finish) (workflows.Finished, error) {
	value, err := r.Do(ctx, session, c, workerMeta(c.Worker))
	return As[workflows.Finished](value, err)
}

// Release gives an attempt back.
func (r Remote) Release(ctx context.Context, session string, c workflows.Release) error {
	_, err := r.Do(ctx, session, c, workerMeta(c.Worker))
	return err
}

func workerMeta(worker string) Meta { return Meta{Actor: "worker:" + worker} }
