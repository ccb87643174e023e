package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

const (
	appendPatience = 10 * time.Second       // before an outcome that stays unknown is given up
	attemptTimeout = 2 * time.Second        // for one publish
	firstPause     = 5 * time.Millisecond   // before the second attempt
	longestPause   = 500 * time.Millisecond // between later ones
)

// eventLog is the stream of commits.
type eventLog struct {
	js           jetstream.JetStream
	stream       jetstream.Stream
	replies      *replies
	installation string
	direct       bool // reads go to the stream itself and not through its leader
	barrier      Barrier
	keeper       *keeper // of the embedded server; nil elsewhere
	log          *slog.Logger
	recent       *recent
	beside       bool // the log's server runs in this process, and so does nearly everybody who appends

	publish func(context.Context, *nats.Msg) (*jetstream.PubAck, error)
}

func newLog(js jetstream.JetStream, s jetstream.Stream, replies *replies, installation string, cfg Config) *eventLog {
	l := &eventLog{
		js: js, stream: s, replies: replies, installation: installation,
		direct:  s.CachedInfo().Config.AllowDirect,
		barrier: cfg.Barrier,
		log:     cfg.Logger,
		recent:  newRecent(),
		publish: func(ctx context.Context, m *nats.Msg) (*jetstream.PubAck, error) { return js.PublishMsg(ctx, m) },
	}
	if cfg.Server != nil {
		l.recent, l.beside = cfg.Server.recent, true
	}
	return l
}

// Replicas is how many nodes keep the log.
func (l *eventLog) Replicas() int { return l.stream.CachedInfo().Config.Replicas }

// Installation is the id that the log was created with.
func (l *eventLog) Installation() string { return l.installation }

// Append stores the frame as the entity's next commit.
func (l *eventLog) Append(ctx context.Context, entity stream.Entity, after uint64, frame events.Frame) (uint64, error) {
	subject, err := eventSubject(entity)
	if err == nil && l.keeper != nil {
		err = l.keeper.whole(entity)
	}
	if err != nil {
		return 0, err
	}
	sequence, err := l.attempt(ctx, subject, after, frame)
	if isOpen(err) {
		sequence, err = l.insist(ctx, subject, after, frame, err)
	}
	if err != nil {
		return 0, fmt.Errorf("append to %s after %d: %w", entity, after, err)
	}
	l.recent.put(stream.Record{Sequence: sequence, Entity: entity, Frame: frame})
	if l.keeper != nil {
		l.keeper.note(entity, sequence, frame)
	}
	return sequence, nil
}

// insist tries again until the outcome is known or patience ends. That is safe: the expectation
// lets the frame in once at most, and a copy still under way is found by the next look.
func (l *eventLog) insist(ctx context.Context, subject string, after uint64, frame events.Frame, err error) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, appendPatience)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if !stream.Pause(ctx, pause) {
			return 0, fmt.Errorf("%w: outcome is unknown: %w", stream.ErrUnavailable, err)
		}
		var sequence uint64
		if sequence, err = l.attempt(ctx, subject, after, frame); !isOpen(err) {
			return sequence, err
		}
	}
}

// isOpen says whether the error leaves the outcome unknown, or the expectation undecided.
func isOpen(err error) bool {
	return errors.Is(err, stream.ErrUnavailable) || errors.Is(err, errInFlight)
}

// attempt publishes once. After anything but a success it looks whether the frame is there: its
// answer, or that of an earlier attempt, may have been lost.
func (l *eventLog) attempt(ctx context.Context, subject string, after uint64, frame events.Frame) (uint64, error) {
	try, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	ack, err := l.publish(try, l.message(subject, after, frame))
	if err == nil {
		return ack.Sequence, nil
	}
	err = failed("publish", err)
	sequence, lookErr := l.find(ctx, subject, after, frame.ID())
	if lookErr != nil {
		return 0, fmt.Errorf("%w; and then %w", err, lookErr)
	}
	if sequence != 0 {
		return sequence, nil
	}
	return 0, err
}

// find gives the sequence of the commit, 0 when it is not stored. The expectation lets it in
// directly after `after` only, so of all that followed only the first can be it.
func (l *eventLog) find(ctx context.Context, subject string, after uint64, id string) (uint64, error) {
	m, err := l.stream.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(subject))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, failed("look for the commit", err)
	}
	if frame, err := events.Open(m.Data); err != nil || frame.ID() != id {
		return 0, nil
	}
	return m.Sequence, nil
}

// Last is the sequence of the entity's last commit.
func (l *eventLog) Last(ctx context.Context, entity stream.Entity) (uint64, error) {
	subject, err := eventSubject(entity)
	if err != nil {
		return 0, err
	}
	m, err := l.stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, failed("look up the last commit of "+string(entity), err)
	}
	return m.Sequence, nil
}

// Head is the sequence of the last commit of all.
func (l *eventLog) Head(ctx context.Context) (uint64, error) {
	info, err := l.stream.Info(ctx)
	if err != nil {
		return 0, failed("look up the end of the log", err)
	}
	return info.State.LastSeq, nil
}

// Settle waits at the configured barrier.
func (l *eventLog) Settle(ctx context.Context, sequence uint64) error {
	return l.barrier(ctx, sequence)
}
