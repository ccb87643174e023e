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

var errNoAlarm = errors.New("message is no alarm")

// timers is the server's message schedules: one subject an alarm, replaced by arming it again.
type timers struct {
	hands
	js     jetstream.JetStream
	stream jetstream.Stream
	aside  *aside

	mu  sync.Mutex
	due *source // made when the first alarm is waited for
}

// Arm sets the alarm. The time goes into the header to the nanosecond: the client's own helper cuts
// it to the second and so rings up to a second early.
func (t *timers) Arm(ctx context.Context, alarm stream.Alarm) error {
	body, err := json.Marshal(alarm)
	if err != nil {
		return fmt.Errorf("arm timer %s: %w", alarm.Timer, err)
	}
	name := alarmToken(alarm.Session, alarm.Timer)
	_, err = t.js.PublishMsg(ctx, &nats.Msg{
		Subject: timerPrefix + name,
		Data:    body,
		Header: nats.Header{
			jetstream.ExpectedStreamHeader: {timersStream},
			"Nats-Schedule":                {"@at " + alarm.At.UTC().Format(time.RFC3339Nano)},
			"Nats-Schedule-Target":         {duePrefix + name},
		},
	})
	if err != nil {
		return failed("arm timer "+alarm.Timer, err)
	}
	return nil
}

// Disarm forgets an alarm that has not rung.
func (t *timers) Disarm(ctx context.Context, session, timer string) error {
	err := t.stream.Purge(ctx, jetstream.WithPurgeSubject(timerPrefix+alarmToken(session, timer)))
	if err != nil {
		return failed("disarm timer "+timer, err)
	}
	return nil
}

func alarmToken(session, timer string) string { return token(session) + "." + token(timer) }

// Due waits for an alarm that rang. It comes again unless done is called within the lease.
func (t *timers) Due(ctx context.Context) (stream.Alarm, func(context.Context) error, error) {
	for {
		s, err := t.source(ctx)
		if err != nil {
			return stream.Alarm{}, nil, fmt.Errorf("wait for an alarm: %w", err)
		}
		m, err := s.pull(ctx)
		if err != nil {
			t.forget(s, err)
			return stream.Alarm{}, nil, fmt.Errorf("wait for an alarm: %w", err)
		}
		h, err := hold(t.nc, m)
		if err != nil {
			return stream.Alarm{}, nil, fmt.Errorf("wait for an alarm: %w", err)
		}
		alarm, err := parseAlarm(m.Data)
		if err == nil {
			return alarm, h.Ack, nil
		}
		t.aside.put(ctx, timersStream, h, err)
	}
}

func parseAlarm(body []byte) (stream.Alarm, error) {
	var alarm stream.Alarm
	if err := json.Unmarshal(body, &alarm); err != nil {
		return alarm, fmt.Errorf("%w: %w", errNoAlarm, err)
	}
	if alarm.Timer == "" {
		return alarm, fmt.Errorf("%w: it names no timer", errNoAlarm)
	}
	return alarm, nil
}

func (t *timers) source(ctx context.Context) (*source, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.due != nil {
		return t.due, nil
	}
	// Only on what rang: to acknowledge a schedule would delete it.
	if _, err := t.stream.CreateOrUpdateConsumer(ctx, pullConsumer(dueConsumer, duePrefix+">", t.lease)); err != nil {
		return nil, failed("make the consumer of alarms", err)
	}
	t.due = newSource(t.hands, timersStream, dueConsumer)
	return t.due, nil
}

func (t *timers) forget(s *source, err error) {
	if !errors.Is(err, stream.ErrUnavailable) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.due == s {
		t.due = nil
	}
	s.close()
}
