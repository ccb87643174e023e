package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/batonflow/baton/stream"
)

type alarmKey struct{ session, timer string }

// timers holds alarms that are armed, and those that rang and are not dealt with.
type timers struct {
	now func() time.Time

	mu    sync.Mutex
	lease time.Duration
	armed map[alarmKey]*time.Timer
	rung  []stream.Alarm
	rang  chan struct{} // closed and replaced when one rings
}

func newTimers(now func() time.Time) *timers {
	return &timers{now: now, lease: DefaultLease, armed: map[alarmKey]*time.Timer{}, rang: make(chan struct{})}
}

func (t *timers) setLease(lease time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lease = lease
}

// Arm sets the alarm, replacing one of the same session and timer.
func (t *timers) Arm(_ context.Context, alarm stream.Alarm) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := alarmKey{alarm.Session, alarm.Timer}
	t.forget(key)
	var timer *time.Timer
	timer = time.AfterFunc(alarm.At.Sub(t.now()), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.armed[key] == timer { // not one that was replaced while it rang
			delete(t.armed, key)
			t.ring(alarm)
		}
	})
	t.armed[key] = timer
	return nil
}

// Disarm forgets an alarm that has not rung.
func (t *timers) Disarm(_ context.Context, session, timer string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(alarmKey{session, timer})
	return nil
}

func (t *timers) forget(key alarmKey) {
	if old := t.armed[key]; old != nil {
		old.Stop()
		delete(t.armed, key)
	}
}

func (t *timers) ring(alarm stream.Alarm) {
	t.rung = append(t.rung, alarm)
	close(t.rang)
	t.rang = make(chan struct{})
}

// Due waits for an alarm that rang. It rings again unless done is called within the lease.
func (t *timers) Due(ctx context.Context) (stream.Alarm, func(context.Context) error, error) {
	for {
		if err := ctx.Err(); err != nil {
			return stream.Alarm{}, nil, fmt.Errorf("wait for an alarm: %w", err)
		}
		alarm, done, rang := t.take()
		if done != nil {
			return alarm, done, nil
		}
		select {
		case <-rang:
		case <-ctx.Done():
		}
	}
}

func (t *timers) take() (stream.Alarm, func(context.Context) error, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rung) == 0 {
		return stream.Alarm{}, nil, t.rang
	}
	alarm := t.rung[0]
	t.rung = t.rung[1:]
	again := time.AfterFunc(t.lease, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ring(alarm)
	})
	return alarm, func(context.Context) error { again.Stop(); return nil }, nil
}
