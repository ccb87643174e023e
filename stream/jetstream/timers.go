package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

var errNoAlarm = errors.New("message is no alarm")

// timers is the server's message schedules: one subject an alarm, replaced by arming it again.
type timers struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	due    *feed // only of what rang: to acknowledge a schedule would delete it
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
	h, alarm, err := take(ctx, t.due, parseAlarm)
	if err != nil {
		return stream.Alarm{}, nil, fmt.Errorf("wait for an alarm: %w", err)
	}
	return alarm, h.Ack, nil
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
