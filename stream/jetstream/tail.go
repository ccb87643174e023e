package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

const (
	tailMessages = 512     // that may wait for a slow reader
	tailBytes    = 8 << 20 // and bytes
	tailPause    = 200 * time.Millisecond
	tailLook     = time.Second          // between looks for what somebody outside this process wrote, which Baton never does
	tailSoon     = 5 * time.Millisecond // for a writer of this process to say what it has stored
)

// errStopped says that the tail has ended for good.
var errStopped = errors.New("stopped")

// Tail gives every commit after a sequence and waits for more until ctx is done. A gap in the
// sequences is given as damage: nothing is ever deleted from the log.
func (l *eventLog) Tail(ctx context.Context, after uint64) iter.Seq2[stream.Record, error] {
	return func(yield func(stream.Record, error) bool) {
		for ctx.Err() == nil {
			err := l.follow(ctx, &after, yield)
			if errors.Is(err, errStopped) || ctx.Err() != nil {
				return
			}
			l.log.Warn("tail of the log was interrupted and goes on", "after", after, "error", err)
			stream.Pause(ctx, tailPause)
		}
	}
}

// follow tails until something fails, moving *after along.
func (l *eventLog) follow(ctx context.Context, after *uint64, yield func(stream.Record, error) bool) error {
	head, err := l.Head(ctx)
	if err != nil {
		return err
	}
	if head < *after {
		yield(stream.Record{Sequence: *after}, fmt.Errorf("tail: %w: the log ends at %d, before %d, which was read", stream.ErrDamaged, head, *after))
		return errStopped
	}
	if l.beside {
		return l.followBeside(ctx, after, yield)
	}
	messages, err := l.ordered(ctx, *after)
	if err != nil {
		return failed("tail", err)
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return failed("tail", err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return failed("tail", err)
		}
		if err := l.barrier(ctx, meta.Sequence.Stream); err != nil { // nobody is shown what could still be lost
			return err
		}
		if !l.give(stored{sequence: meta.Sequence.Stream, subject: m.Subject(), data: m.Data()}, after, yield) {
			return errStopped
		}
	}
}

// followBeside tails in the process of the log's server: what is appended here comes from memory and in
// order; what others wrote, and what is no longer remembered, is read.
func (l *eventLog) followBeside(ctx context.Context, after *uint64, yield func(stream.Record, error) bool) error {
	ahead := reader{l: l, subject: eventsPrefix + ">"}
	defer ahead.stop()
	for read := true; ; {
		look := l.recent.after(*after)
		if look.next != nil {
			if err := l.barrier(ctx, look.next.Sequence); err != nil { // nobody is shown what could still be lost
				return err
			}
			read, *after = false, look.next.Sequence
			if !yield(*look.next, nil) {
				return errStopped
			}
			continue
		}
		if read || look.behind {
			n, err := l.readOn(ctx, &ahead, after, yield)
			if err != nil {
				return err
			}
			if n > 0 {
				continue
			}
		}
		patience := tailLook
		if look.soon {
			patience = tailSoon
		}
		var err error
		if read, err = patient(ctx, look.moved, patience); err != nil {
			return err
		}
	}
}

// patient waits until something has moved, or patience has ended, which it says.
func patient(ctx context.Context, moved <-chan struct{}, patience time.Duration) (ended bool, err error) {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-moved:
		return false, nil
	case <-wait.C:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// readOn gives what stands in the log after the sequence, one batch, and how many commits that were.
func (l *eventLog) readOn(ctx context.Context, ahead *reader, after *uint64, yield func(stream.Record, error) bool) (int, error) {
	batch, _, err := ahead.batch(ctx, *after)
	if err != nil {
		return 0, err
	}
	if gap, known := l.keeper.gapAt(*after + 1); known && len(batch) == 0 { // the log ends with it
		*after = gap.To
		if !yield(stream.Record{Sequence: gap.To}, fmt.Errorf("tail: %w: sequences %d to %d are gone", stream.ErrLost, gap.From, gap.To)) {
			return 0, errStopped
		}
		return 1, nil
	}
	if len(batch) == 0 {
		return 0, nil
	}
	if err := l.barrier(ctx, batch[len(batch)-1].sequence); err != nil {
		return 0, err
	}
	for _, m := range batch {
		if !l.give(m, after, yield) {
			return 0, errStopped
		}
	}
	return len(batch), nil
}

func (l *eventLog) ordered(ctx context.Context, after uint64) (jetstream.MessagesContext, error) {
	consumer, err := l.js.OrderedConsumer(ctx, eventsStream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{eventsPrefix + ">"},
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:    after + 1,
	})
	if err != nil {
		return nil, err
	}
	return consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(tailMessages, tailBytes))
}

// give yields what stands at the sequence, and before it the gap there may be.
func (l *eventLog) give(m stored, after *uint64, yield func(stream.Record, error) bool) bool {
	if missing := *after + 1; m.sequence > missing {
		err := fmt.Errorf("tail: %w: sequences %d to %d are gone", stream.ErrDamaged, missing, m.sequence-1)
		if l.keeper.knows(anchor.Span{From: missing, To: m.sequence - 1}) {
			err = fmt.Errorf("%w: %w", stream.ErrLost, err)
		}
		if !yield(stream.Record{Sequence: missing}, err) {
			return false
		}
	}
	*after = m.sequence
	return yield(l.recordOf(m.entity(), m))
}
