package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/batonflow/baton/engine/freeze"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// A session that has become long is kept as it was folded, so that it opens at the cost of what came
// after. What is kept is no truth: it counts only where it was made by the same fold, is whole, and the
// log has the very commit that it was made at; otherwise the session is folded from its beginning, as if
// nothing was kept. Deciding again (`replay --verify`) and every reader of the log know nothing of it.

// SnapshotAfter is how much is folded between two snapshots where nothing else is said.
const SnapshotAfter = 1 << 20

// snapshotShare is which part of the whole must have been folded since the last snapshot: then all of
// them together cost a multiple of the session's length, however long it becomes.
const snapshotShare = 8

// Snapshots says where folded states are kept, and of which fold they are.
type Snapshots struct {
	Store stream.Snapshots
	// Code names the fold: another program that folds may come to another state.
	Code func() string
	// After is how many bytes of commits are folded between two snapshots of a session at least; 0 is
	// [SnapshotAfter].
	After int
}

// kept is the head of a snapshot, before the frozen state.
type kept struct {
	Session  string      `json:"session"`
	Sequence uint64      `json:"sequence"` // of the commit that it was made at
	Link     events.Link `json:"link"`     // that commit's place in the chain
	Writer   string      `json:"writer"`   // of that commit
	Folded   int         `json:"folded"`   // bytes of commits up to there
	Digest   string      `json:"digest"`   // SHA-256 of the frozen state
}

// fold is a session's state with the place in the log that it stands at.
type fold struct {
	state *workflows.State // nil: must be loaded
	link  events.Link
	last  uint64 // sequence of the last commit folded
	rival string // process that wrote it; this one's losses are to it
	bytes int    // of the commits folded
	saved int    // of those in the last snapshot
}

// took notes a commit that the state has folded.
func (f *fold) took(sequence uint64, frame events.Frame) {
	f.link, f.last, f.rival = frame.Link(), sequence, frame.Writer
	f.bytes += len(frame.Bytes())
}

// due says whether a snapshot pays off.
func (f *fold) due(after int) bool {
	grown := f.bytes - f.saved
	return f.state != nil && len(f.state.Newer) == 0 && grown >= cmp.Or(after, SnapshotAfter) && grown > f.bytes/snapshotShare
}

// freeze gives the snapshot of the fold.
func (f *fold) freeze(session string) ([]byte, error) {
	frozen, err := freeze.Freeze(f.state)
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(kept{Session: session, Sequence: f.last, Link: f.link, Writer: f.rival, Folded: f.bytes, Digest: hashOf(frozen)})
	return append(append(head, '\n'), frozen...), err
}

// errUnfit says that a snapshot is not of this session, this log or this fold.
var errUnfit = errors.New("it does not fit the log")

// thaw reads a snapshot that freeze gave.
func thaw(session string, snapshot []byte, parse workflows.Parse) (fold, error) {
	head, frozen, _ := bytes.Cut(snapshot, []byte{'\n'})
	var k kept
	if err := json.Unmarshal(head, &k); err != nil {
		return fold{}, fmt.Errorf("head of a snapshot: %w", err)
	}
	if k.Session != session || k.Sequence == 0 || k.Digest != hashOf(frozen) {
		return fold{}, errUnfit
	}
	f := fold{state: new(workflows.State).Parsing(parse), link: k.Link, last: k.Sequence, rival: k.Writer, bytes: k.Folded, saved: k.Folded}
	if err := freeze.Thaw(frozen, f.state); err != nil {
		return fold{}, err
	}
	return f, f.state.Reread()
}

func hashOf(frozen []byte) string {
	sum := sha256.Sum256(frozen)
	return hex.EncodeToString(sum[:])
}

// keeper saves and loads the snapshots of one session.
type keeper struct {
	e       *Engine
	entity  stream.Entity
	opaque  bool        // its state cannot be frozen
	writing atomic.Bool // one is being saved
}

func (k *keeper) on() bool {
	return k.e.Snapshots.Store != nil && k.entity.Session() != "" && !k.opaque
}

func (k *keeper) key() string { return k.e.Snapshots.Code() + "." + k.entity.Session() }

// save keeps the fold if that is due. Only the freezing is waited for.
func (k *keeper) save(f *fold) {
	if !k.on() || !f.due(k.e.Snapshots.After) || !k.writing.CompareAndSwap(false, true) {
		return
	}
	snapshot, err := f.freeze(k.entity.Session())
	if err != nil {
		k.opaque = errors.Is(err, freeze.ErrOpaque)
		k.writing.Store(false)
		return
	}
	f.saved = f.bytes
	k.e.group.Go(func() {
		defer k.writing.Store(false)
		k.e.warn("save a snapshot", k.e.Snapshots.Store.Save(k.e.ctx, k.key(), snapshot))
	})
}

// load gives what is kept of the session, if it is there and fits the log. Of one that is known to be short
// nothing is kept, and nobody is asked.
func (k *keeper) load(ctx context.Context, known int) (fold, bool) {
	if !k.on() || known > 0 && known < cmp.Or(k.e.Snapshots.After, SnapshotAfter) {
		return fold{}, false
	}
	snapshot, err := k.e.Snapshots.Store.Load(ctx, k.key())
	if errors.Is(err, stream.ErrNotFound) {
		return fold{}, false
	}
	var f fold
	if err == nil {
		f, err = thaw(k.entity.Session(), snapshot, k.e.parse)
	}
	if err == nil {
		err = k.fits(ctx, f)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, stream.ErrUnavailable) { // then the log is no better, and says so
		k.e.Logger.Warn("a snapshot is not used", "session", k.entity.Session(), "err", err)
	}
	return f, err == nil
}

// fits checks that the log has the commit that the fold stands at.
func (k *keeper) fits(ctx context.Context, f fold) error {
	for rec, err := range k.e.Log.Read(ctx, k.entity, f.last-1) {
		if err == nil && (rec.Sequence != f.last || rec.Frame.Link() != f.link || rec.Frame.Writer != f.rival) {
			err = errUnfit
		}
		return err
	}
	return errUnfit
}
