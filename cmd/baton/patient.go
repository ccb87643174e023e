package main

import (
	"context"
	"fmt"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
)

// How long an answer is waited for. A command is decided within half a minute or refused; a query may
// fold a long log.
const (
	commandPatience = 40 * time.Second
	queryPatience   = 10 * time.Minute
)

// patient is a bus that gives up on a server which is there and does not answer.
type patient struct{ stream.Bus }

// Ask fails with stream.ErrUnavailable when the patience is over.
func (p patient) Ask(ctx context.Context, subject string, request []byte) ([]byte, error) {
	limit := queryPatience
	if subject == engine.CommandSubject {
		limit = commandPatience
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer, err := p.Bus.Ask(bounded, subject, request)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return nil, fmt.Errorf("no answer within %s: %w", limit, stream.ErrUnavailable)
	}
	return answer, err
}
