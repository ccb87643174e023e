package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/batonflow/baton/stream"
)

// beats carries signs of life on core subjects, which nothing keeps.
type beats struct{ nc *nats.Conn }

// Beat tells everybody that the attempt is alive.
func (b *beats) Beat(_ context.Context, beat stream.Beat) error {
	subject := livePrefix + token(beat.Session) + "." + token(beat.Call) + "." + strconv.Itoa(beat.Attempt)
	return b.send(subject, beat)
}

// Tell asks a worker to look at its call.
func (b *beats) Tell(_ context.Context, worker string, beat stream.Beat) error {
	process, slot := worker, ""
	if i := strings.LastIndexByte(worker, '.'); i >= 0 {
		process, slot = worker[:i], worker[i+1:]
	}
	return b.send(controlPrefix+token(process)+"."+token(slot), beat)
}

func (b *beats) send(subject string, beat stream.Beat) error {
	body, err := json.Marshal(beat)
	if err != nil {
		return fmt.Errorf("beat on %s: %w", subject, err)
	}
	if err := b.nc.Publish(subject, body); err != nil {
		return failed("beat on "+subject, err)
	}
	return nil
}

// Hear calls f for every beat until ctx is done.
func (b *beats) Hear(ctx context.Context, f func(stream.Beat)) error {
	return b.listen(ctx, livePrefix+"*.*.*", f)
}

// Told calls f for whatever is told to a worker of the process until ctx is done.
func (b *beats) Told(ctx context.Context, process string, f func(stream.Beat)) error {
	return b.listen(ctx, controlPrefix+token(process)+".*", f)
}

func (b *beats) listen(ctx context.Context, subject string, f func(stream.Beat)) error {
	sub, err := b.nc.Subscribe(subject, func(m *nats.Msg) {
		var beat stream.Beat
		if json.Unmarshal(m.Data, &beat) == nil && beat.Session != "" { // anybody may publish anything here
			f(beat)
		}
	})
	if err != nil {
		return failed("listen on "+subject, err)
	}
	return listening(ctx, b.nc, sub)
}

// listening returns once the server knows of the subscription, and ends it when ctx is done.
func listening(ctx context.Context, nc *nats.Conn, sub *nats.Subscription) error {
	context.AfterFunc(ctx, func() { _ = sub.Drain() }) // fails only when it has ended already
	flush, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	if err := nc.FlushWithContext(flush); err != nil {
		return failed("listen on "+sub.Subject, err)
	}
	return nil
}
