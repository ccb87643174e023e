package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

const (
	tailMessages = 512     // that may wait for a slow reader
	tailBytes    = 8 << 20 // and bytes
	tailPause    = 200 * time.Millisecond
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
		if !l.give(meta.Sequence.Stream, m, after, yield) {
			return errStopped
		}
	}
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
func (l *eventLog) give(sequence uint64, m jetstream.Msg, after *uint64, yield func(stream.Record, error) bool) bool {
	if missing := *after + 1; sequence > missing {
		err := fmt.Errorf("tail: %w: sequences %d to %d are gone", stream.ErrDamaged, missing, sequence-1)
		if !yield(stream.Record{Sequence: missing}, err) {
			return false
		}
	}
	*after = sequence
	at := stored{sequence, m.Subject(), m.Data()}
	return yield(l.recordOf(at.entity(), at))
}
