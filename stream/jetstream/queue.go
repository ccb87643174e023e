package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

var (
	errQueueName = errors.New("no name for a queue")
	errNoBaton   = errors.New("message is no baton")
)

// queue moves batons: one subject and one durable consumer a queue.
type queue struct {
	hands
	js     jetstream.JetStream
	stream jetstream.Stream

	mu    sync.Mutex
	feeds map[string]*feed // by queue
}

// Publish puts a baton on a queue. It has no message id: a second wake must not be swallowed.
func (q *queue) Publish(ctx context.Context, name string, baton stream.Baton) (uint64, error) {
	if !stream.ValidQueue(name) {
		return 0, fmt.Errorf("publish to %q: %w", name, errQueueName)
	}
	body, err := json.Marshal(baton)
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", name, err)
	}
	ack, err := q.js.PublishMsg(ctx, &nats.Msg{
		Subject: workPrefix + name,
		Data:    body,
		Header:  nats.Header{jetstream.ExpectedStreamHeader: {workStream}},
	})
	if err != nil {
		return 0, failed("publish to "+name, err)
	}
	return ack.Sequence, nil
}

// Pull waits for one baton of the queue until ctx is done.
func (q *queue) Pull(ctx context.Context, name string) (stream.Delivery, error) {
	if !stream.ValidQueue(name) {
		return nil, fmt.Errorf("pull from %q: %w", name, errQueueName)
	}
	h, baton, err := take(ctx, q.feed(name), parseBaton)
	if err != nil {
		return nil, fmt.Errorf("pull from %s: %w", name, err)
	}
	return delivery{h, baton}, nil
}

func parseBaton(body []byte) (stream.Baton, error) {
	var baton stream.Baton
	if err := json.Unmarshal(body, &baton); err != nil {
		return baton, fmt.Errorf("%w: %w", errNoBaton, err)
	}
	if baton.Session == "" {
		return baton, fmt.Errorf("%w: it names no session", errNoBaton)
	}
	return baton, nil
}

func (q *queue) feed(name string) *feed {
	q.mu.Lock()
	defer q.mu.Unlock()
	f := q.feeds[name]
	if f == nil {
		f = &feed{hands: q.hands, stream: q.stream, from: workStream, consumer: pullConsumer(name, workPrefix+name, q.lease)}
		q.feeds[name] = f
	}
	return f
}

// Remove deletes a baton, free or in a hand.
func (q *queue) Remove(ctx context.Context, sequence uint64) error {
	err := q.stream.DeleteMsg(ctx, sequence)
	if err == nil {
		return nil
	}
	// The client's error does not say whether it was there at all.
	if _, look := q.stream.GetMsg(ctx, sequence); errors.Is(look, jetstream.ErrMsgNotFound) {
		return nil
	}
	return failed(fmt.Sprintf("remove baton %d", sequence), err)
}

// Depth counts the queue's messages: an acknowledged one is no longer in the stream.
func (q *queue) Depth(ctx context.Context, name string) (int, error) {
	info, err := q.stream.Info(ctx, jetstream.WithSubjectFilter(workPrefix+name))
	if err != nil {
		return 0, failed("look up the depth of "+name, err)
	}
	return int(info.State.Subjects[workPrefix+name]), nil
}

// Served looks at the queue's consumer: a pull that waits, or a message that is out.
func (q *queue) Served(ctx context.Context, name string) (bool, error) {
	c, err := q.stream.Consumer(ctx, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return false, nil
	}
	if err != nil {
		return false, failed("look at the consumer of "+name, err)
	}
	info := c.CachedInfo()
	return info.NumWaiting > 0 || info.NumAckPending > 0, nil
}

// pullConsumer is the configuration of every consumer that messages are taken from.
func pullConsumer(name, subject string, lease time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       name,
		FilterSubject: subject,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       lease,
		MaxDeliver:    unlimited, // attempts are counted in the log
		MaxWaiting:    maxWaiting,
		MaxAckPending: maxAckPending,
	}
}

type delivery struct {
	held
	baton stream.Baton
}

func (d delivery) Baton() stream.Baton { return d.baton }
