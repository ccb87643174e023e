package host

import (
	"crypto/sha256"
	"strings"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
)

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
	return RunID(id)
}

// RunID writes a run's id.
func RunID(id ulid.ULID) string { return "r-" + strings.ToLower(id.String()) }

func derive(kind, request string) []byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + request))
	return sum[:16]
}
