package main

import (
	"context"
	"errors"
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

// How long somebody to ask is waited for. A home's server that was killed comes back at the same address, and
// takes connections before it answers; on a cluster there may be none.
const (
	homePatience    = 10 * time.Second
	clusterPatience = time.Second
	askFirst        = 5 * time.Millisecond
	askLast         = 100 * time.Millisecond
)

// patient is a bus that waits for a server that is starting, and gives up on one which is there and does
// not answer.
type patient struct {
	stream.Bus
	starting time.Duration // how long nobody may be there
}

// Ask fails with stream.ErrUnavailable when the patience is over.
func (p patient) Ask(ctx context.Context, subject string, request []byte) ([]byte, error) {
	limit := queryPatience
	if subject == engine.CommandSubject {
		limit = commandPatience
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var answer []byte
	var err error
	until := time.Now().Add(p.starting)
	for range stream.Tries(bounded, askFirst, askLast) {
		answer, err = p.Bus.Ask(bounded, subject, request)
		if !errors.Is(err, stream.ErrNobody) || time.Now().After(until) {
			break
		}
	}
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return nil, fmt.Errorf("no answer within %s: %w", limit, stream.ErrUnavailable)
	}
	return answer, err
}
