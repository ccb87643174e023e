package main

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
)

// newSessionID makes the id of a new session: ordered by time, or derived from the request id, so that
// the same command again means the same session.
func (a *app) newSessionID() (string, error) {
	if a.request != "" {
		return derivedSession(a.request), nil
	}
	id, err := uuid.NewV7FromReader(a.random)
	if err != nil {
		return "", fmt.Errorf("make a session id: %w", err)
	}
	return id.String(), nil
}

// derivedSession is a UUID of version 8, whose bits are for its maker to choose.
func derivedSession(request string) string {
	var id uuid.UUID
	copy(id[:], derive("session", request))
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// newRunID makes the id of a new run, like newSessionID.
func (a *app) newRunID() (string, error) {
	var id ulid.ULID
	if a.request != "" {
		copy(id[:], derive("run", a.request))
	} else {
		var err error
		if id, err = ulid.New(ulid.Timestamp(a.now()), a.random); err != nil {
			return "", fmt.Errorf("make a run id: %w", err)
		}
	}
	return "r-" + strings.ToLower(id.String()), nil
}

func derive(kind, request string) []byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + request))
	return sum[:16]
}

// isSessionID says whether it is a whole session id that needs no looking up.
func isSessionID(id string) bool {
	return len(id) == 36 && uuid.Validate(id) == nil && id == strings.ToLower(id)
}
