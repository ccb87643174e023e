package jetstream

import (
	"bytes"
	"sync"

	"github.com/batonflow/baton/events"
)

// recentBytes bounds the frames that are remembered. Who follows the log in this process is seldom
// further behind.
const recentBytes = 2 << 20

// recent remembers frames appended by this process, so that whoever follows the log beside the writer does
// not take the same bytes apart again. A message is taken for a remembered one only if it has its very bytes.
type recent struct {
	mu     sync.Mutex
	frames map[uint64]events.Frame // by sequence
	order  []uint64                // as they were put
	bytes  int
}

func newRecent() *recent { return &recent{frames: map[uint64]events.Frame{}} }

func (r *recent) put(sequence uint64, frame events.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.frames[sequence]; known {
		return
	}
	r.frames[sequence] = frame
	r.order = append(r.order, sequence)
	r.bytes += len(frame.Bytes())
	for r.bytes > recentBytes {
		oldest := r.order[0]
		r.bytes -= len(r.frames[oldest].Bytes())
		delete(r.frames, oldest)
		r.order = r.order[1:]
	}
}

// open gives the frame of a message, from memory where it can.
func (r *recent) open(m stored) (events.Frame, error) {
	r.mu.Lock()
	frame, known := r.frames[m.sequence]
	r.mu.Unlock()
	if known && bytes.Equal(frame.Bytes(), m.data) {
		return frame, nil
	}
	return events.Open(m.data)
}
