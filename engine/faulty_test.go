package engine_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// The ways in which a process can end at an append.
const (
	endRefused = "refused" // nothing was stored
	endStored  = "stored"  // it was stored, and the answer never came
	endHanging = "hanging" // nothing was stored, and the append never returns
)

// ending says at which append, counted from 1, a process ends and how; append 0 is never.
type ending struct {
	at  int
	how string
}

// faulty is a process's view of the substrate. When the process has ended nothing of it gets through
// any more, whatever its goroutines still try.
type faulty struct {
	ports
	end ending

	mu      sync.Mutex
	appends int
	ended   chan struct{}

	publish func(queue string, baton stream.Baton) int // how many copies are sent; nil: one
	arm     func(stream.Alarm) bool                    // whether an alarm is set; nil: it is
	slow    time.Duration                              // how long each append is on its way
	refuse  func() error                               // an answer to appends instead of the log's
	beat    func(stream.Beat) bool                     // whether others hear it
}

func newFaulty(store ports) *faulty { return &faulty{ports: store, ended: make(chan struct{})} }

func (f *faulty) dead() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// lifetime ends with the process, and after an hour in any case.
func (f *faulty) lifetime(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	go func() {
		select {
		case <-f.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

var errDead = fmt.Errorf("process has ended: %w", stream.ErrUnavailable)

func (f *faulty) Append(ctx context.Context, entity stream.Entity, after uint64, frame events.Frame) (uint64, error) {
	if f.slow > 0 {
		select {
		case <-time.After(f.slow):
		case <-ctx.Done():
		}
	}
	if f.refuse != nil {
		if err := f.refuse(); err != nil {
			return 0, err
		}
	}
	sequence, err, hang := f.append(ctx, entity, after, frame)
	if hang {
		<-ctx.Done()
	}
	return sequence, err
}

func (f *faulty) append(ctx context.Context, entity stream.Entity, after uint64, frame events.Frame) (sequence uint64, err error, hang bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead() {
		return 0, errDead, false
	}
	if f.appends++; f.appends != f.end.at {
		sequence, err = f.ports.Append(ctx, entity, after, frame)
		return sequence, err, false
	}
	defer close(f.ended)
	if f.end.how == endStored {
		_, _ = f.ports.Append(ctx, entity, after, frame)
	}
	return 0, errDead, f.end.how == endHanging
}

func (f *faulty) Publish(ctx context.Context, queue string, baton stream.Baton) (uint64, error) {
	if f.dead() {
		return 0, errDead
	}
	copies := 1
	if f.publish != nil {
		copies = f.publish(queue, baton)
	}
	var last uint64
	for range copies {
		sequence, err := f.ports.Publish(ctx, queue, baton)
		if err != nil {
			return 0, err
		}
		last = sequence
	}
	return last, nil
}

func (f *faulty) Remove(ctx context.Context, sequence uint64) error {
	if f.dead() {
		return errDead
	}
	return f.ports.Remove(ctx, sequence)
}

func (f *faulty) Pull(ctx context.Context, queue string) (stream.Delivery, error) {
	d, err := f.ports.Pull(ctx, queue)
	if err != nil {
		return nil, err
	}
	return handed{d, f}, nil
}

func (f *faulty) Arm(ctx context.Context, alarm stream.Alarm) error {
	if f.dead() {
		return errDead
	}
	if f.arm != nil && !f.arm(alarm) {
		return nil
	}
	return f.ports.Arm(ctx, alarm)
}

func (f *faulty) Disarm(ctx context.Context, session, timer string) error {
	if f.dead() {
		return errDead
	}
	return f.ports.Disarm(ctx, session, timer)
}

func (f *faulty) Beat(ctx context.Context, beat stream.Beat) error {
	if f.dead() || f.beat != nil && !f.beat(beat) {
		return nil
	}
	return f.ports.Beat(ctx, beat)
}

func (f *faulty) Tell(ctx context.Context, worker string, beat stream.Beat) error {
	if f.dead() {
		return errDead
	}
	return f.ports.Tell(ctx, worker, beat)
}

// handed is a baton in the hand of a process that may end.
type handed struct {
	stream.Delivery
	of *faulty
}

func (h handed) Ack(ctx context.Context) error {
	if h.of.dead() {
		return errDead
	}
	return h.Delivery.Ack(ctx)
}

func (h handed) Nak(ctx context.Context, delay time.Duration) error {
	if h.of.dead() {
		return errDead
	}
	return h.Delivery.Nak(ctx, delay)
}

func (h handed) Extend(ctx context.Context) error {
	if h.of.dead() {
		return errDead
	}
	return h.Delivery.Extend(ctx)
}
