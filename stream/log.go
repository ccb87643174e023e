// Package stream says what Baton needs of the substrate that keeps its log and moves its wake-ups:
// the [Log], which is the truth, and the [Queue], [Timers], [Payloads], [Snapshots], [Beats], [Live] and
// [Bus], which are not. stream/jetstream implements them on NATS; stream/memory in memory, for tests of everything
// that is not NATS. Both pass the suite in stream/streamtest.
//
// Safety rests on Append alone: it stores a commit only directly after the sequence it was decided
// on. Everything else may be lost, doubled or late without harm.
package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/batonflow/baton/events"
)

var (
	// ErrConflict says that somebody else's commit came first: read the tail, fold, decide again.
	ErrConflict = errors.New("another commit came first")
	// ErrUnavailable says that the server or its quorum cannot be reached; nothing is known of the
	// outcome of what was under way.
	ErrUnavailable = errors.New("log is out of reach")
	// ErrNobody is an ErrUnavailable of which the outcome is known: nobody serves what was asked, and it was
	// not done.
	ErrNobody = fmt.Errorf("nobody serves it: %w", ErrUnavailable)
	// ErrFull says that a limit of the stream or the store was met; nothing was stored.
	ErrFull = errors.New("store is full")
	// ErrDamaged says that the store, or what it holds, is not what Baton left there.
	ErrDamaged = errors.New("store is damaged")
	// ErrQuarantined says that a line is not what was acknowledged: it can be read as far as it is there,
	// and takes no commit until a person has said what becomes of it.
	ErrQuarantined = errors.New("line is quarantined")
	// ErrLost says that what stood at a sequence was lost, and that the sequence is not used again.
	ErrLost = errors.New("commit was lost")
	// ErrNotFound says that there is no such payload.
	ErrNotFound = errors.New("not found")
)

// Entity is the thing whose commits form one line: "session.<id>", "skills", "feedback".
// Its subject is "ev." followed by the entity.
type Entity string

// SessionEntity is the entity of a session.
func SessionEntity(id string) Entity { return Entity("session." + id) }

// Name is what stands in a frame's session field: the session's id, or the entity itself.
func (e Entity) Name() string { return strings.TrimPrefix(string(e), "session.") }

// Session is the session's id, or "" for another entity.
func (e Entity) Session() string {
	if id, ok := strings.CutPrefix(string(e), "session."); ok {
		return id
	}
	return ""
}

// Record is a commit as it stands in the log.
type Record struct {
	Sequence uint64 // position in the whole log
	Entity   Entity
	Frame    events.Frame
}

// Log is the append-only line of commits.
type Log interface {
	// Installation is the id that the log was created with; the chains start from it.
	Installation() string

	// Append stores the frame as the entity's next commit, if the entity's last commit stands at
	// sequence after (0: it has none), and gives its sequence. ErrConflict: somebody else was
	// first and nothing was stored. A lost answer is cleared up inside by looking for the
	// frame's commit id among everything after `after`, so that a frame is never stored twice
	// and an append that succeeded never reads as a conflict. ErrUnavailable: still unknown.
	Append(ctx context.Context, entity Entity, after uint64, frame events.Frame) (uint64, error)

	// Read gives the entity's commits after a sequence, in order, and ends. A frame that is torn
	// or does not hash ends it with events.ErrDamaged, one that is too new with events.ErrNewer.
	Read(ctx context.Context, entity Entity, after uint64) iter.Seq2[Record, error]

	// Tail gives every commit of the log after a sequence, in order, and waits for more until ctx
	// is done (which ends it without an error). A frame that cannot be read is given with its
	// sequence and entity and an error, and the tail goes on.
	Tail(ctx context.Context, after uint64) iter.Seq2[Record, error]

	// Last is the sequence of the entity's last commit, 0 when it has none.
	Last(ctx context.Context, entity Entity) (uint64, error)

	// Head is the sequence of the last commit in the whole log, 0 when it is empty.
	Head(ctx context.Context) (uint64, error)

	// Settle returns once everything up to the sequence is as durable as the configured class
	// promises. Whatever the outside can see waits for it: answers, effects, batons, reads.
	Settle(ctx context.Context, sequence uint64) error
}
