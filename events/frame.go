package events

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

const (
	// FrameVersion is the version of the frame's own shape.
	FrameVersion = 1
	// MaxFrameBytes and MaxFrameEvents bound one commit; the writer closes its fold there.
	MaxFrameBytes  = 256 << 10
	MaxFrameEvents = 500
)

var (
	// ErrDamaged says that a frame is torn, or does not hash to what it says.
	ErrDamaged = errors.New("frame is damaged")
	// ErrChain says that a frame does not follow the one before it.
	ErrChain = errors.New("frame does not continue its chain")
	// ErrTooLarge says that a commit is over MaxFrameBytes or MaxFrameEvents.
	ErrTooLarge = errors.New("commit is too large")
	// ErrNewer says that a frame was written by a newer Baton; it is kept untouched.
	ErrNewer = errors.New("frame is of a newer version")
)

// Link is a position in a session's chain: what the next frame must continue.
type Link struct {
	N    uint64 `json:"n"`    // commits so far
	Hash string `json:"hash"` // of the last one; of installation and session when N is 0
}

// Genesis is the link before a session's first commit.
func Genesis(installation, session string) Link {
	sum := sha256.Sum256([]byte(installation + "\x00" + session))
	return Link{Hash: hex.EncodeToString(sum[:])}
}

// Frame is one commit: the events of one decision, in order, as one message of the log.
type Frame struct {
	V       int
	Session string // the session's id, or the name of another entity ("skills")
	N       uint64 // the session's commits, from 1
	Prev    string // hash of the commit before
	Writer  string // the process that appended
	Events  []Event
	Hash    string // SHA-256 over v, session, n, prev and the bytes of events as they stand

	raw []byte // the whole message
}

// frameWire keeps the bytes of events as they stand: decoding into a RawMessage copies them
// verbatim, where encoding one would rewrite them.
type frameWire struct {
	V       int             `json:"v"`
	Session string          `json:"session"`
	N       uint64          `json:"n"`
	Prev    string          `json:"prev"`
	Writer  string          `json:"writer"`
	Events  json.RawMessage `json:"events"`
	Hash    string          `json:"hash"`
}

// Seal makes the frame of the events that continues the chain after last; see [Batch.Seal].
func Seal(session string, last Link, writer string, evs []Event) (Frame, error) {
	var b Batch
	for _, e := range evs {
		if err := b.Add(e); err != nil {
			return Frame{}, err
		}
	}
	return b.Seal(session, last, writer)
}

// Open reads a message of the log and checks its own hash. The result may hold Unknown events.
func Open(message []byte) (Frame, error) {
	w, ok := cut(message)
	if !ok {
		w = frameWire{}
		if err := json.Unmarshal(message, &w); err != nil {
			return Frame{}, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	if w.V > FrameVersion {
		return Frame{}, fmt.Errorf("%w: v%d", ErrNewer, w.V)
	}
	if digest(w.V, w.Session, w.N, w.Prev, w.Events) != w.Hash {
		return Frame{}, fmt.Errorf("%w: commit %d of %s does not hash to %.12s", ErrDamaged, w.N, w.Session, w.Hash)
	}
	f := Frame{V: w.V, Session: w.Session, N: w.N, Prev: w.Prev, Writer: w.Writer, Hash: w.Hash, raw: message}
	var err error
	if f.Events, err = decodeAll(w.Events); err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(f.Events) == 0 {
		return Frame{}, fmt.Errorf("%w: commit %d of %s is empty", ErrDamaged, w.N, w.Session)
	}
	return f, nil
}

// Follows checks that the frame continues the chain after last.
func (f Frame) Follows(last Link) error {
	if f.N != last.N+1 || f.Prev != last.Hash {
		return fmt.Errorf("%w: commit %d of %s after commit %d", ErrChain, f.N, f.Session, last.N)
	}
	return nil
}

// Link is the position that the frame's successor must continue.
func (f Frame) Link() Link { return Link{N: f.N, Hash: f.Hash} }

// ID is the commit's id: that of its first event.
func (f Frame) ID() string { return f.Events[0].ID }

// Bytes is the message as it stands in the log.
func (f Frame) Bytes() []byte { return f.raw }

func (f Frame) message(body []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(body) + 320)
	b.WriteString(`{"v":` + strconv.Itoa(f.V))
	b.WriteString(`,"session":` + quote(f.Session))
	b.WriteString(`,"n":` + strconv.FormatUint(f.N, 10))
	b.WriteString(`,"prev":` + quote(f.Prev))
	b.WriteString(`,"writer":` + quote(f.Writer))
	b.WriteString(`,"events":`)
	b.Write(body)
	b.WriteString(`,"hash":` + quote(f.Hash) + `}`)
	return b.Bytes()
}

func quote(s string) string {
	b, _ := Marshal(s) // a string always encodes
	return string(b)
}

// digest puts each part behind its length, so that no two different frames give the same bytes.
func digest(v int, session string, n uint64, prev string, body []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%d:%s\n%d\n%d:%s\n%d:", v, len(session), session, n, len(prev), prev, len(body))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
