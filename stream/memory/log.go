package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// eventLog keeps messages as bytes, as a real log does, so that reading them finds what is torn.
type eventLog struct {
	installation string

	mu       sync.Mutex
	messages []message // the message of sequence n is at n-1
	lines    map[stream.Entity][]uint64
	grown    chan struct{} // closed and replaced when a message is added
}

type message struct {
	entity stream.Entity
	bytes  []byte
}

func newLog(installation string) *eventLog {
	return &eventLog{
		installation: installation,
		lines:        map[stream.Entity][]uint64{},
		grown:        make(chan struct{}),
	}
}

// Installation is the id that the chains start from.
func (l *eventLog) Installation() string { return l.installation }

// Append stores the frame directly after the sequence, or finds that it stands there already.
func (l *eventLog) Append(ctx context.Context, entity stream.Entity, after uint64, frame events.Frame) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("append to %s: %w: %w", entity, stream.ErrUnavailable, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.lines[entity]
	if last(line) == after {
		return l.add(entity, frame.Bytes()), nil
	}
	// The frame can only have been stored as the first after `after`.
	if i := next(line, after); i < len(line) && l.isCommit(line[i], frame.ID()) {
		return line[i], nil
	}
	return 0, fmt.Errorf("append to %s after %d, where %d is last: %w", entity, after, last(line), stream.ErrConflict)
}

// Inject adds a message as it stands, whole or not, as a foreign writer would.
func (l *eventLog) Inject(entity stream.Entity, bytes []byte) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(entity, bytes)
}

func (l *eventLog) add(entity stream.Entity, bytes []byte) uint64 {
	l.messages = append(l.messages, message{entity, slices.Clone(bytes)})
	sequence := uint64(len(l.messages))
	l.lines[entity] = append(l.lines[entity], sequence)
	close(l.grown)
	l.grown = make(chan struct{})
	return sequence
}

func (l *eventLog) isCommit(sequence uint64, id string) bool {
	frame, err := events.Open(l.messages[sequence-1].bytes)
	return err == nil && frame.ID() == id
}

// Read gives the entity's commits after a sequence and ends.
func (l *eventLog) Read(ctx context.Context, entity stream.Entity, after uint64) iter.Seq2[stream.Record, error] {
	return func(yield func(stream.Record, error) bool) {
		l.mu.Lock()
		line := l.lines[entity]
		line = line[next(line, after):]
		l.mu.Unlock()
		for _, sequence := range line {
			if err := ctx.Err(); err != nil {
				yield(stream.Record{}, fmt.Errorf("read %s: %w: %w", entity, stream.ErrUnavailable, err))
				return
			}
			record, err := l.record(sequence)
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// Tail gives every commit after a sequence and waits for more until ctx is done.
func (l *eventLog) Tail(ctx context.Context, after uint64) iter.Seq2[stream.Record, error] {
	return func(yield func(stream.Record, error) bool) {
		for sequence := after + 1; ; sequence++ {
			if !l.await(ctx, sequence) || !yield(l.record(sequence)) {
				return
			}
		}
	}
}

// await returns true once there is a message of the sequence, false when ctx is done.
func (l *eventLog) await(ctx context.Context, sequence uint64) bool {
	for ctx.Err() == nil {
		l.mu.Lock()
		there, grown := uint64(len(l.messages)) >= sequence, l.grown
		l.mu.Unlock()
		if there {
			return true
		}
		select {
		case <-grown:
		case <-ctx.Done():
		}
	}
	return false
}

func (l *eventLog) record(sequence uint64) (stream.Record, error) {
	l.mu.Lock()
	m := l.messages[sequence-1]
	l.mu.Unlock()
	record := stream.Record{Sequence: sequence, Entity: m.entity}
	frame, err := events.Open(slices.Clone(m.bytes))
	if err != nil {
		return record, fmt.Errorf("read %s at %d: %w", m.entity, sequence, err)
	}
	if frame.Session != m.entity.Name() {
		return record, fmt.Errorf("read %s at %d: %w: it is a commit of %s", m.entity, sequence, events.ErrDamaged, frame.Session)
	}
	record.Frame = frame
	return record, nil
}

// Last is the sequence of the entity's last commit.
func (l *eventLog) Last(_ context.Context, entity stream.Entity) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return last(l.lines[entity]), nil
}

// Head is the sequence of the last commit of all.
func (l *eventLog) Head(context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.messages)), nil
}

// Settle has nothing to wait for: memory is as durable as it gets at once.
func (l *eventLog) Settle(context.Context, uint64) error { return nil }

func last(line []uint64) uint64 {
	if len(line) == 0 {
		return 0
	}
	return line[len(line)-1]
}

// next is the index of the line's first sequence after the given one.
func next(line []uint64, after uint64) int {
	i, _ := slices.BinarySearch(line, after+1)
	return i
}
