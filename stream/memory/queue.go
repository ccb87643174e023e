package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/batonflow/baton/stream"
)

var errQueueName = errors.New("no name for a queue")

// queue is one work stream for all queues, in order of sequence.
type queue struct {
	mu      sync.Mutex
	lease   time.Duration
	last    uint64
	works   []*work
	aside   []Aside
	waiting map[string]int // pulls that wait, by queue
	changed chan struct{}  // closed and replaced when something may be pulled
}

// work is a message: free, or in a hand until its timer ends.
type work struct {
	queue    string
	sequence uint64
	bytes    []byte
	count    int // deliveries so far
	held     bool
	timer    *time.Timer // ends the lease or the delay
}

// Aside is a message that was no baton.
type Aside struct {
	Queue string
	Bytes []byte
}

func (q *queue) setLease(lease time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lease = lease
}

// Publish puts a baton on a queue.
func (q *queue) Publish(_ context.Context, name string, baton stream.Baton) (uint64, error) {
	if !stream.ValidQueue(name) {
		return 0, fmt.Errorf("publish to %q: %w", name, errQueueName)
	}
	body, err := json.Marshal(baton)
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", name, err)
	}
	return q.InjectWork(name, body), nil
}

// InjectWork puts a message on a queue as it stands, baton or not.
func (q *queue) InjectWork(name string, bytes []byte) uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	q.works = append(q.works, &work{queue: name, sequence: q.last, bytes: bytes})
	q.signal()
	return q.last
}

// SetAside gives the messages that were no batons.
func (q *queue) SetAside() []Aside {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.aside)
}

// Pull takes the queue's first free baton, waiting for one until ctx is done.
func (q *queue) Pull(ctx context.Context, name string) (stream.Delivery, error) {
	if !stream.ValidQueue(name) {
		return nil, fmt.Errorf("pull from %q: %w", name, errQueueName)
	}
	q.wait(name, 1)
	defer q.wait(name, -1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("pull from %s: %w", name, err)
		}
		d, changed := q.take(name)
		if d != nil {
			return d, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (q *queue) wait(name string, by int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == nil {
		q.waiting = map[string]int{}
	}
	q.waiting[name] += by
}

// Served says whether a pull of the queue waits, or a message is out.
func (q *queue) Served(_ context.Context, name string) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := slices.ContainsFunc(q.works, func(w *work) bool { return w.queue == name && w.held })
	return out || q.waiting[name] > 0, nil
}

func (q *queue) take(name string) (*delivery, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		i := slices.IndexFunc(q.works, func(w *work) bool { return w.queue == name && !w.held })
		if i < 0 {
			return nil, q.changed
		}
		w := q.works[i]
		var baton stream.Baton
		if err := json.Unmarshal(w.bytes, &baton); err != nil || baton.Session == "" {
			q.aside = append(q.aside, Aside{name, w.bytes})
			q.works = slices.Delete(q.works, i, i+1)
			continue
		}
		w.count++
		q.hold(w, q.lease)
		return &delivery{queue: q, work: w, baton: baton, count: w.count}, nil
	}
}

// hold keeps the message from being pulled for a while. The caller has the lock.
func (q *queue) hold(w *work, d time.Duration) {
	w.held = true
	if w.timer != nil {
		w.timer.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if w.timer == timer { // not one that was stopped too late
			w.held = false
			q.signal()
		}
	})
	w.timer = timer
}

func (q *queue) signal() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Remove deletes a message, free or in a hand.
func (q *queue) Remove(_ context.Context, sequence uint64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.works, func(w *work) bool { return w.sequence == sequence })
	if i < 0 {
		return nil
	}
	if t := q.works[i].timer; t != nil {
		t.Stop()
	}
	q.works = slices.Delete(q.works, i, i+1)
	return nil
}

// Depth counts the queue's messages, free or in a hand.
func (q *queue) Depth(_ context.Context, name string) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	depth := 0
	for _, w := range q.works {
		if w.queue == name {
			depth++
		}
	}
	return depth, nil
}

type delivery struct {
	queue *queue
	work  *work
	baton stream.Baton
	count int
}

func (d *delivery) Baton() stream.Baton           { return d.baton }
func (d *delivery) Sequence() uint64              { return d.work.sequence }
func (d *delivery) Count() int                    { return d.count }
func (d *delivery) Ack(ctx context.Context) error { return d.queue.Remove(ctx, d.work.sequence) }

func (d *delivery) Nak(_ context.Context, delay time.Duration) error {
	d.rehold(func() time.Duration { return delay })
	return nil
}

func (d *delivery) Extend(context.Context) error {
	d.rehold(func() time.Duration { return d.queue.lease })
	return nil
}

// rehold counts for the current delivery only: a hand that lost the message cannot touch it.
func (d *delivery) rehold(length func() time.Duration) {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	if d.work.held && d.work.count == d.count && slices.Contains(d.queue.works, d.work) {
		d.queue.hold(d.work, length())
	}
}
