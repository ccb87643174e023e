package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/batonflow/baton/stream"
)

const (
	partBytes   = 512 << 10          // of an answer, in one message
	maxRequest  = maxPayload - 4<<10 // leaves room for headers
	partHeader  = "Baton-Part"       // which part this is, from 0
	partsHeader = "Baton-Parts"      // how many there are
)

var (
	errRequestTooLarge = errors.New("request is too large for one message")
	errPartLost        = errors.New("part of the answer was lost")
)

// bus is request and reply; an answer that is too large for a message comes in parts.
type bus struct {
	nc      *nats.Conn
	replies *replies
}

// Ask sends a request to one of those who serve the subject and gives the whole answer.
func (b *bus) Ask(ctx context.Context, subject string, request []byte) ([]byte, error) {
	if len(request) > maxRequest {
		return nil, fmt.Errorf("ask %s with %d bytes: %w", subject, len(request), errRequestTooLarge)
	}
	answers, done, err := b.replies.ask(subject, request)
	if err != nil {
		return nil, failed("ask "+subject, err)
	}
	defer done()
	answer, err := collect(ctx, answers)
	if err != nil {
		return nil, failed("ask "+subject, err)
	}
	return answer, nil
}

func collect(ctx context.Context, answers *answers) ([]byte, error) {
	var answer []byte
	for part := 0; ; part++ {
		m, err := answers.next(ctx)
		if err != nil {
			return nil, err
		}
		parts, err := strconv.Atoi(m.Header.Get(partsHeader))
		if err != nil {
			return m.Data, nil // an answer in one message
		}
		if m.Header.Get(partHeader) != strconv.Itoa(part) {
			return nil, fmt.Errorf("%w: %w", stream.ErrUnavailable, errPartLost)
		}
		answer = append(answer, m.Data...)
		if part == parts-1 {
			return answer, nil
		}
	}
}

// Serve answers requests on the subject until ctx is done.
func (b *bus) Serve(ctx context.Context, subject, group string, answer func(context.Context, []byte) []byte) error {
	sub, err := b.nc.QueueSubscribe(subject, group, func(m *nats.Msg) {
		go func() {
			// Who asked is told nothing when this fails, and asks again when its time is over.
			_ = b.respond(m.Reply, answer(ctx, m.Data))
		}()
	})
	if err != nil {
		return failed("serve "+subject, err)
	}
	return listening(ctx, b.nc, sub)
}

func (b *bus) respond(to string, answer []byte) error {
	if !isInbox(to) {
		return nil
	}
	return respondIn(b.nc, to, nil, answer)
}

// respondIn sends an answer in as many parts as it takes, the headers with each.
func respondIn(nc *nats.Conn, to string, header nats.Header, answer []byte) error {
	parts := max(1, (len(answer)+partBytes-1)/partBytes)
	for i := range parts {
		m := &nats.Msg{Subject: to, Data: answer[i*partBytes : min((i+1)*partBytes, len(answer))], Header: nats.Header{}}
		for name, values := range header {
			m.Header[name] = values
		}
		if parts > 1 {
			m.Header.Set(partHeader, strconv.Itoa(i))
			m.Header.Set(partsHeader, strconv.Itoa(parts))
		}
		if err := nc.PublishMsg(m); err != nil {
			return err
		}
	}
	return nil
}
