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

// beats carries signs of life, and what attempts say, on core subjects, which nothing keeps.
type beats struct{ nc *nats.Conn }

// Beat tells everybody that the attempt is alive.
func (b *beats) Beat(_ context.Context, beat stream.Beat) error {
	return b.send(liveSubject(beat.Session, beat.Call, beat.Attempt), beat)
}

func liveSubject(session, call string, attempt int) string {
	return livePrefix + token(session) + "." + token(call) + "." + strconv.Itoa(attempt)
}

// Say tells everybody who listens what an attempt says.
func (b *beats) Say(_ context.Context, said stream.Said) error {
	return b.send(liveSubject(said.Session, said.Call, said.Attempt), said)
}

// Listen calls f for what attempts of the session say until ctx is done.
func (b *beats) Listen(ctx context.Context, session string, f func(stream.Said)) error {
	of := "*"
	if session != "" {
		of = token(session)
	}
	return listen(ctx, b.nc, livePrefix+of+".*.*", func(said stream.Said) {
		if said.Session != "" && !said.Empty() {
			f(said)
		}
	})
}

// Tell asks a worker to look at its call.
func (b *beats) Tell(_ context.Context, worker string, beat stream.Beat) error {
	process, slot := worker, ""
	if i := strings.LastIndexByte(worker, '.'); i >= 0 {
		process, slot = worker[:i], worker[i+1:]
	}
	return b.send(controlPrefix+token(process)+"."+token(slot), beat)
}

func (b *beats) send(subject string, sign any) error {
	body, err := json.Marshal(sign)
	if err != nil {
		return fmt.Errorf("say on %s: %w", subject, err)
	}
	if err := b.nc.Publish(subject, body); err != nil {
		return failed("say on "+subject, err)
	}
	return nil
}

// Hear calls f for every beat until ctx is done.
func (b *beats) Hear(ctx context.Context, f func(stream.Beat)) error {
	return listen(ctx, b.nc, livePrefix+"*.*.*", someBeat(f))
}

// Told calls f for whatever is told to a worker of the process until ctx is done.
func (b *beats) Told(ctx context.Context, process string, f func(stream.Beat)) error {
	return listen(ctx, b.nc, controlPrefix+token(process)+".*", someBeat(f))
}

func someBeat(f func(stream.Beat)) func(stream.Beat) {
	return func(b stream.Beat) {
		if b.Session != "" {
			f(b)
		}
	}
}

// listen calls f for every message that can be read as what f takes: anybody may publish anything here.
func listen[T any](ctx context.Context, nc *nats.Conn, subject string, f func(T)) error {
	sub, err := nc.Subscribe(subject, func(m *nats.Msg) {
		var sign T
		if json.Unmarshal(m.Data, &sign) == nil {
			f(sign)
		}
	})
	if err != nil {
		return failed("listen on "+subject, err)
	}
	return listening(ctx, nc, sub)
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
