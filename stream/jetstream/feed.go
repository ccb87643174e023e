package jetstream

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

// feed is one durable consumer: made when it is first taken from, and anew when it is gone.
type feed struct {
	hands
	stream   jetstream.Stream
	from     string // the stream's name
	consumer jetstream.ConsumerConfig

	mu     sync.Mutex
	opened *source
}

// take waits for the next message that can be parsed. Others are set aside.
func take[T any](ctx context.Context, f *feed, parse func([]byte) (T, error)) (h held, content T, err error) {
	for {
		s, err := f.open(ctx)
		if err != nil {
			return held{}, content, err
		}
		m, err := s.pull(ctx)
		if err != nil {
			f.forget(s, err)
			return held{}, content, err
		}
		if h, err = hold(f.nc, m); err != nil {
			return held{}, content, err
		}
		if content, err = parse(m.Data); err == nil {
			return h, content, nil
		}
		f.aside.put(ctx, f.from, h, err)
	}
}

func (f *feed) open(ctx context.Context) (*source, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opened != nil {
		return f.opened, nil
	}
	if _, err := f.stream.CreateOrUpdateConsumer(ctx, f.consumer); err != nil {
		return nil, failed("make the consumer "+f.consumer.Durable, err)
	}
	f.opened = newSource(f.hands, f.from, f.consumer.Durable)
	return f.opened, nil
}

// forget makes sure that a consumer which is gone is made anew.
func (f *feed) forget(s *source, err error) {
	if !errors.Is(err, stream.ErrUnavailable) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opened == s {
		f.opened = nil
	}
	s.close()
}
