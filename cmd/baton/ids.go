package main

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"

	"github.com/batonflow/baton/cmd/baton/host"
)

// newSessionID makes the id of a new session: ordered by time, or derived from the request id, so that
// the same command again means the same session.
func (a *app) newSessionID() (string, error) {
	if a.request != "" {
		return host.DerivedSession(a.request), nil
	}
	id, err := uuid.NewV7FromReader(a.random)
	if err != nil {
		return "", fmt.Errorf("make a session id: %w", err)
	}
	return id.String(), nil
}

// newRunID makes the id of a new run, like newSessionID.
func (a *app) newRunID() (string, error) {
	if a.request != "" {
		return host.DerivedRun(a.request), nil
	}
	id, err := ulid.New(ulid.Timestamp(a.now()), a.random)
	if err != nil {
		return "", fmt.Errorf("make a run id: %w", err)
	}
	return host.RunID(id), nil
}

// isSessionID says whether it is a whole session id that needs no looking up.
func isSessionID(id string) bool {
	return len(id) == 36 && uuid.Validate(id) == nil && id == strings.ToLower(id)
}
