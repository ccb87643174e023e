package jetstream

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// What a consumer's message may be answered with.
const (
	ackDone     = "+ACK"
	ackNak      = "-NAK"
	ackProgress = "+WPI"
	ackTerm     = "+TERM"
)

// held is a consumer's message that waits for an answer.
type held struct {
	nc       *nats.Conn
	msg      *nats.Msg
	sequence uint64
	count    int
}

func hold(nc *nats.Conn, m *nats.Msg) (held, error) {
	meta, err := m.Metadata()
	if err != nil {
		return held{}, fmt.Errorf("message that no consumer sent: %w", err)
	}
	return held{nc, m, meta.Sequence.Stream, int(meta.NumDelivered)}, nil
}

// Sequence is that of the message in its stream.
func (h held) Sequence() uint64 { return h.sequence }

// Count is how often it has been delivered.
func (h held) Count() int { return h.count }

// Ack ends it.
func (h held) Ack(context.Context) error { return h.answer(ackDone) }

// Nak gives it back, to come again after the delay.
func (h held) Nak(_ context.Context, delay time.Duration) error {
	if delay <= 0 {
		return h.answer(ackNak)
	}
	return h.answer(ackNak + ` {"delay": ` + strconv.FormatInt(int64(delay), 10) + `}`)
}

// Extend puts its return off by another lease.
func (h held) Extend(context.Context) error { return h.answer(ackProgress) }

func (h held) answer(body string) error {
	if err := h.nc.Publish(h.msg.Reply, []byte(body)); err != nil {
		return failed("answer message "+strconv.FormatUint(h.sequence, 10), err)
	}
	return nil
}
