//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// writers set values in sessions of their own, over one connection of their own, and remember what was
// acknowledged: what was answered must be found again.
type writers struct {
	mu   sync.Mutex
	acks map[string]int // by session, the number of the last value that was acknowledged
	when map[string][]time.Time
}

// value is what is set n-th in a session, of about so many bytes: it tells where it is from.
func value(session string, n, size int) string {
	return fmt.Sprintf("%s/%d/", session, n) + strings.Repeat("v", size)
}

// write sets values in a session until the context ends or enough are acknowledged.
func (w *writers) write(ctx context.Context, client engine.Client, session string, size func(n int) int, enough int) error {
	for n := w.of(session) + 1; n <= enough; n++ {
		set := workflows.Of(sessions.SetContext{Key: "k", Value: events.Value{JSON: fmt.Appendf(nil, "%q", value(session, n, size(n)))}})
		if _, err := client.Do(ctx, session, set, engine.Meta{Actor: "test"}); err != nil {
			return err
		}
		w.acked(session, n)
	}
	return nil
}

func (w *writers) acked(session string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acks[session] = n
	w.when[session] = append(w.when[session], time.Now())
}

// before counts a session's values that were acknowledged before a time.
func (w *writers) before(session string, at time.Time) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, when := range w.when[session] {
		if when.Before(at) {
			n++
		}
	}
	return n
}

func (w *writers) total() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range w.acks {
		n += of
	}
	return n
}

func (w *writers) copied() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.acks)
}

func (w *writers) of(session string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acks[session]
}

func (w *writers) sessions() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.acks))
}

func newWriters() *writers { return &writers{acks: map[string]int{}, when: map[string][]time.Time{}} }

// client asks the server of the home over a connection of its own.
func (h *home) client() engine.Client {
	h.t.Helper()
	store := h.store()
	return engine.Client{Bus: store, Payloads: store}
}

// found counts the values that the log has of each session.
func (h *home) found() map[string]int {
	h.t.Helper()
	out := map[string]int{}
	for _, e := range eventLines(h.t, h.must("events", "--all", "--type", "context.set", "--json")) {
		out[e.Session]++
	}
	return out
}
