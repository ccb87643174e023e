package events

import (
	"bytes"
	"fmt"
)

// Batch gathers the events of one commit, encoding each once, so that the committer knows how large
// the frame gets before it closes it. The zero value is ready.
type Batch struct {
	events []Event
	body   bytes.Buffer
}

// Add puts an event at the end.
func (b *Batch) Add(e Event) error {
	stood := b.body.Len()
	if len(b.events) > 0 {
		b.body.WriteByte(',')
	}
	if err := e.write(&b.body); err != nil {
		b.body.Truncate(stood)
		return fmt.Errorf("add event: %w", err)
	}
	b.events = append(b.events, e)
	return nil
}

// Len is the number of events, Size their bytes.
func (b *Batch) Len() int { return len(b.events) }

// Size is the number of bytes that the events take.
func (b *Batch) Size() int { return b.body.Len() }

// Seal makes the frame that continues the chain after last. ErrTooLarge: the commit is over
// MaxFrameBytes or MaxFrameEvents, or empty.
func (b *Batch) Seal(session string, last Link, writer string) (Frame, error) {
	if len(b.events) == 0 || len(b.events) > MaxFrameEvents {
		return Frame{}, fmt.Errorf("seal %d events: %w", len(b.events), ErrTooLarge)
	}
	body := make([]byte, 0, b.body.Len()+2)
	body = append(append(append(body, '['), b.body.Bytes()...), ']')
	f := Frame{V: FrameVersion, Session: session, N: last.N + 1, Prev: last.Hash, Writer: writer, Events: b.events}
	f.Hash = digest(f.V, f.Session, f.N, f.Prev, body)
	f.raw = f.message(body)
	if len(f.raw) > MaxFrameBytes {
		return Frame{}, fmt.Errorf("seal %d bytes: %w", len(f.raw), ErrTooLarge)
	}
	return f, nil
}
