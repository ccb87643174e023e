package jetstream

import (
	"bytes"
	"sync"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// recentBytes bounds the frames that are remembered. Who follows the log in this process is seldom
// further behind.
const recentBytes = 2 << 20

// recent remembers what was appended in this process, so that whoever follows the log beside the writer
// does not take the same bytes apart again, nor has them brought by the server.
type recent struct {
	mu      sync.Mutex
	records map[uint64]stream.Record
	order   []uint64 // as they were put
	bytes   int
	highest uint64
	moved   chan struct{} // closed by the next put; nil when nobody waits
}

func newRecent() *recent { return &recent{records: map[uint64]stream.Record{}} }

func (r *recent) put(rec stream.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.records[rec.Sequence]; known {
		return
	}
	r.records[rec.Sequence] = rec
	r.order = append(r.order, rec.Sequence)
	r.bytes += len(rec.Frame.Bytes())
	r.highest = max(r.highest, rec.Sequence)
	for r.bytes > recentBytes {
		oldest := r.order[0]
		r.bytes -= len(r.records[oldest].Frame.Bytes())
		delete(r.records, oldest)
		r.order = r.order[1:]
	}
	if r.moved != nil {
		close(r.moved)
		r.moved = nil
	}
}

// open gives the frame of a message. It is taken for a remembered one only if it has its very bytes.
func (r *recent) open(m stored) (events.Frame, error) {
	if m.opened != nil {
		return m.opened.frame, m.opened.err
	}
	r.mu.Lock()
	rec, known := r.records[m.sequence]
	r.mu.Unlock()
	if known && bytes.Equal(rec.Frame.Bytes(), m.data) {
		return rec.Frame, nil
	}
	return events.Open(m.data)
}

// outlook is what a follower may expect.
type outlook struct {
	next   *stream.Record  // what comes next, where it is remembered
	soon   bool            // later ones are remembered: its writer is about to say that it stored it
	behind bool            // it is no longer remembered
	moved  <-chan struct{} // closed when something is put
}

// after gives the record after a sequence, or what to wait for.
func (r *recent) after(sequence uint64) outlook {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec, known := r.records[sequence+1]; known {
		return outlook{next: &rec}
	}
	if r.moved == nil {
		r.moved = make(chan struct{})
	}
	look := outlook{moved: r.moved}
	if r.highest > sequence {
		look.soon = r.order[0] <= sequence+1
		look.behind = !look.soon
	}
	return look
}
