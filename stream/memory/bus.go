package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/batonflow/baton/stream"
)

// maxRequest bounds a request as one NATS message would.
const maxRequest = 1<<20 - 4<<10

var errRequestTooLarge = errors.New("request is too large for one message")

// bus passes requests to those who serve a subject, in turn.
type bus struct {
	mu      sync.Mutex
	servers map[string][]*server
	turn    int
}

type server struct {
	ctx    context.Context // ends the serving
	answer func(context.Context, []byte) []byte
}

// Ask sends a request to one of those who serve the subject.
func (b *bus) Ask(ctx context.Context, subject string, request []byte) ([]byte, error) {
	if len(request) > maxRequest {
		return nil, fmt.Errorf("ask %s with %d bytes: %w", subject, len(request), errRequestTooLarge)
	}
	s := b.choose(subject)
	if s == nil {
		return nil, fmt.Errorf("ask %s: %w", subject, stream.ErrNobody)
	}
	answer := make(chan []byte, 1)
	go func() { answer <- s.answer(s.ctx, slices.Clone(request)) }()
	select {
	case a := <-answer:
		return slices.Clone(a), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("ask %s: %w: %w", subject, stream.ErrUnavailable, ctx.Err())
	}
}

func (b *bus) choose(subject string) *server {
	b.mu.Lock()
	defer b.mu.Unlock()
	serving := b.servers[subject]
	if len(serving) == 0 {
		return nil
	}
	b.turn++
	return serving[b.turn%len(serving)]
}

// Serve answers requests on the subject until ctx is done. All servers of a subject are taken to
// be of one group.
func (b *bus) Serve(ctx context.Context, subject, _ string, answer func(context.Context, []byte) []byte) error {
	s := &server{ctx, answer}
	b.mu.Lock()
	b.servers[subject] = append(b.servers[subject], s)
	b.mu.Unlock()
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.servers[subject] = slices.DeleteFunc(b.servers[subject], func(o *server) bool { return o == s })
	})
	return nil
}
