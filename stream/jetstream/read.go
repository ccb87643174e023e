package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

const (
	readFirst = 32      // messages in the first request of a reader: many take no more
	readBatch = 256     // and in one request at the most
	readBytes = 4 << 20 // and bytes, about
)

// Read gives the entity's commits after a sequence and ends, where one does not follow the other with an error. It makes no consumer: that would cost
// milliseconds a read.
func (l *eventLog) Read(ctx context.Context, entity stream.Entity, after uint64) iter.Seq2[stream.Record, error] {
	return func(yield func(stream.Record, error) bool) {
		subject, err := eventSubject(entity)
		if err != nil {
			yield(stream.Record{}, err)
			return
		}
		link, known := events.Genesis(l.installation, entity.Name()), after == 0
		for m, err := range l.messages(ctx, subject, after) {
			if err != nil {
				yield(stream.Record{}, l.damaged(entity, after, fmt.Errorf("read %s after %d: %w", entity, after, err)))
				return
			}
			record, err := l.recordOf(entity, m)
			if err == nil && known {
				err = record.Frame.Follows(link)
			}
			if !yield(record, l.damaged(entity, m.sequence, err)) || err != nil {
				return
			}
			link, known = record.Frame.Link(), true
		}
	}
}

// damaged puts a line into quarantine on which damage was met.
func (l *eventLog) damaged(entity stream.Entity, sequence uint64, err error) error {
	if err == nil || l.keeper == nil || !errors.Is(err, events.ErrDamaged) && !errors.Is(err, events.ErrChain) {
		return err
	}
	if noted := l.keeper.condemn(entity, sequence, err); noted != nil {
		l.log.Error("quarantine cannot be written down", "entity", entity, "err", noted)
	}
	return fmt.Errorf("%w: %w", stream.ErrQuarantined, err)
}

// stored is a message as it stands in the log.
type stored struct {
	sequence uint64
	subject  string
	data     []byte
	opened   *opened // nil: nobody has looked into it
}

type opened struct {
	frame events.Frame
	err   error
}

func (m stored) entity() stream.Entity {
	return stream.Entity(strings.TrimPrefix(m.subject, eventsPrefix))
}

// recordOf is the package's recordOf, with the frames that were appended here taken from memory.
func (l *eventLog) recordOf(entity stream.Entity, m stored) (stream.Record, error) {
	return recordOf(entity, m, l.recent.open)
}

// recordOf makes a record of a message, or says why it is none.
func recordOf(entity stream.Entity, m stored, open func(stored) (events.Frame, error)) (stream.Record, error) {
	record := stream.Record{Sequence: m.sequence, Entity: entity}
	if entity == voidEntity {
		return record, fmt.Errorf("read at %d: %w", m.sequence, stream.ErrLost)
	}
	frame, err := open(m)
	if err != nil {
		return record, fmt.Errorf("read %s at %d: %w", entity, m.sequence, err)
	}
	if frame.Session != entity.Name() {
		return record, fmt.Errorf("read %s at %d: %w: it is a commit of %s", entity, m.sequence, events.ErrDamaged, frame.Session)
	}
	record.Frame = frame
	return record, nil
}

// messages gives the subject's messages after a sequence.
func (l *eventLog) messages(ctx context.Context, subject string, after uint64) iter.Seq2[stored, error] {
	if l.direct {
		return l.batches(ctx, subject, after)
	}
	return l.singles(ctx, subject, after)
}

// singles reads through the stream's leader, one by one: what any replica would answer to a batch
// may be old.
func (l *eventLog) singles(ctx context.Context, subject string, after uint64) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		for {
			m, err := l.stream.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(subject))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return
			}
			if err != nil {
				yield(stored{}, failed("get", err))
				return
			}
			if !yield(stored{sequence: m.Sequence, subject: m.Subject, data: m.Data}, nil) {
				return
			}
			after = m.Sequence
		}
	}
}

func (l *eventLog) batches(ctx context.Context, subject string, after uint64) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		ahead := reader{l: l, subject: subject}
		defer ahead.stop()
		for expected := false; ; expected = true {
			batch, more, err := ahead.batch(ctx, after)
			if err == nil && expected && len(batch) == 0 {
				// The server counts messages that it cannot read, and leaves them out without a word.
				err = fmt.Errorf("%w: commits after %d are there and cannot be read", events.ErrDamaged, after)
			}
			if err != nil {
				yield(stored{}, err)
				return
			}
			if len(batch) > 0 { // nobody is shown what could still be lost
				if err := l.barrier(ctx, batch[len(batch)-1].sequence); err != nil {
					yield(stored{}, err)
					return
				}
			}
			for _, m := range batch {
				if !yield(m, nil) {
					return
				}
				after = m.sequence
			}
			if !more {
				return
			}
		}
	}
}

type batchRequest struct {
	Sequence uint64 `json:"seq"`
	Subject  string `json:"next_by_subj"`
	Batch    int    `json:"batch"`
	MaxBytes int    `json:"max_bytes"`
}

// batch reads one batch after a sequence and says whether more is there. It takes all of it before
// anybody works on it, so that slow work does not look like a slow server.
func (l *eventLog) batch(ctx context.Context, subject string, after uint64, size int) (batch []stored, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	request, err := json.Marshal(batchRequest{after + 1, subject, size, readBytes})
	if err != nil {
		return nil, false, err
	}
	answers, done, err := l.replies.ask("$JS.API.DIRECT.GET."+eventsStream, request)
	if err != nil {
		return nil, false, failed("get", err)
	}
	defer done()
	for {
		m, err := answers.next(ctx)
		if err != nil {
			return nil, false, failed("get", err)
		}
		if status := m.Header.Get(statusHeader); len(m.Data) == 0 && status != "" {
			more, err := endOfBatch(m, status)
			return batch, more, err
		}
		sequence, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return nil, false, fmt.Errorf("get: message without a sequence: %w", err)
		}
		batch = append(batch, stored{sequence: sequence, subject: m.Header.Get(jetstream.SubjectHeader), data: m.Data})
	}
}

func endOfBatch(m *nats.Msg, status string) (more bool, err error) {
	switch status {
	case statusNoContent:
		pending := m.Header.Get("Nats-Num-Pending")
		return pending != "" && pending != "0", nil
	case statusNotFound:
		return false, nil
	}
	return false, fmt.Errorf("get: server says %s %s", status, m.Header.Get("Description"))
}
