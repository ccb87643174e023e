package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/batonflow/baton/stream"
)

// maxToken keeps subjects far below the server's limit of a line.
const maxToken = 200

var errEntity = errors.New("no name for an entity")

// eventSubject is the one literal subject of an entity's commits.
func eventSubject(entity stream.Entity) (string, error) {
	for part := range strings.SplitSeq(string(entity), ".") {
		if part == "" || len(part) > maxToken || token(part) != part {
			return "", fmt.Errorf("entity %q: %w", entity, errEntity)
		}
	}
	return eventsPrefix + string(entity), nil
}

// token makes one token of a subject from any text: what would split it, match others or break the
// protocol's line is escaped, and what is very long is hashed. Different texts give different tokens.
func token(text string) string {
	if text == "" {
		return "%"
	}
	if len(text) > maxToken {
		sum := sha256.Sum256([]byte(text))
		return "%%" + hex.EncodeToString(sum[:])
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(".*>%", c) >= 0 {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
