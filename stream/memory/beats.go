package memory

import (
	"context"
	"strings"
	"sync"

	"github.com/batonflow/baton/stream"
)

// beats hands every sign, and what attempts say, to those who listen at that moment, and keeps nothing.
type beats struct {
	mu      sync.Mutex
	hearers map[*hearer]bool
	saying  live
}

// live hands on what attempts say, one after the other to each listener.
type live struct {
	mu        sync.Mutex
	listeners map[chan stream.Said]string // the session that each listens to; "": all
}

// heardAhead is how much a slow listener may be behind before it misses something.
const heardAhead = 256

// Say tells everybody who listens, and is a beat too.
func (b *beats) Say(ctx context.Context, said stream.Said) error {
	if !said.Empty() {
		b.saying.say(said)
	}
	return b.Beat(ctx, stream.Beat{Session: said.Session, Call: said.Call, Attempt: said.Attempt})
}

func (l *live) say(said stream.Said) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for to, session := range l.listeners {
		if session != "" && session != said.Session {
			continue
		}
		select {
		case to <- said:
		default: // it is too slow
		}
	}
}

// Listen calls f for what attempts of the session say until ctx is done.
func (b *beats) Listen(ctx context.Context, session string, f func(stream.Said)) error {
	said := make(chan stream.Said, heardAhead)
	b.saying.mu.Lock()
	defer b.saying.mu.Unlock()
	if b.saying.listeners == nil {
		b.saying.listeners = map[chan stream.Said]string{}
	}
	b.saying.listeners[said] = session
	go func() {
		for ctx.Err() == nil {
			select {
			case s := <-said:
				f(s)
			case <-ctx.Done():
			}
		}
		b.saying.mu.Lock()
		defer b.saying.mu.Unlock()
		delete(b.saying.listeners, said)
	}()
	return nil
}

// hearer listens to all beats, or to what is told to one process.
type hearer struct {
	process string
	f       func(stream.Beat)

	mu sync.Mutex // f is called by one at a time
}

// Beat tells everybody that the attempt is alive.
func (b *beats) Beat(_ context.Context, beat stream.Beat) error {
	b.spread("", beat)
	return nil
}

// Tell asks a worker to look at its call.
func (b *beats) Tell(_ context.Context, worker string, beat stream.Beat) error {
	process := worker
	if i := strings.LastIndexByte(worker, '.'); i >= 0 {
		process = worker[:i]
	}
	b.spread(process, beat)
	return nil
}

// Hear calls f for every beat until ctx is done.
func (b *beats) Hear(ctx context.Context, f func(stream.Beat)) error {
	b.listen(ctx, &hearer{f: f})
	return nil
}

// Told calls f for whatever is told to a worker of the process until ctx is done.
func (b *beats) Told(ctx context.Context, process string, f func(stream.Beat)) error {
	b.listen(ctx, &hearer{process: process, f: f})
	return nil
}

func (b *beats) listen(ctx context.Context, h *hearer) {
	b.mu.Lock()
	b.hearers[h] = true
	b.mu.Unlock()
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.hearers, h)
	})
}

func (b *beats) spread(process string, beat stream.Beat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for h := range b.hearers {
		if h.process == process {
			go h.call(beat) // the sender never waits for who listens
		}
	}
}

func (h *hearer) call(beat stream.Beat) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.f(beat)
}
