package operation

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
)

// NewSession makes the id of a new session: ordered by time, or derived from the request, so that the
// same request again means the same session.
func NewSession(request string) (string, error) {
	if request != "" {
		return DerivedSession(request), nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make a session id: %w", err)
	}
	return id.String(), nil
}

// NewRun makes the id of a new run, like NewSession.
func NewRun(request string) (string, error) {
	if request != "" {
		return DerivedRun(request), nil
	}
	id, err := ulid.New(ulid.Now(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("make a run id: %w", err)
	}
	return runID(id), nil
}

// IsSession says whether it is a whole session id that needs no looking up.
func IsSession(id string) bool {
	return len(id) == 36 && uuid.Validate(id) == nil && id == strings.ToLower(id)
}

// DerivedSession is the id of the session that a request means: a UUID of version 8, whose bits are for
// its maker to choose. The same request always means the same session.
func DerivedSession(request string) string {
	var id uuid.UUID
	copy(id[:], derive("session", request))
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// DerivedRun is the id of the run that a request means.
func DerivedRun(request string) string {
	var id ulid.ULID
	copy(id[:], derive("run", request))
	return runID(id)
}

func runID(id ulid.ULID) string { return "r-" + strings.ToLower(id.String()) }

func derive(kind, request string) []byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + request))
	return sum[:16]
}
