// Package streamtest says in tests what the ports of package stream promise. Every implementation
// runs the same suite, so that what is built on one of them stands on the others.
//
// The suite also writes underneath the ports, through the hooks of a [Fixture]: torn frames, frames
// of a newer version, messages that are no batons, payloads that are not what their name says.
package streamtest

import (
	"context"
	"testing"
	"time"

	"github.com/batonflow/baton/stream"
)

// Fixture is an empty implementation with a way underneath it.
type Fixture struct {
	Log       stream.Log
	Queue     stream.Queue
	Timers    stream.Timers
	Payloads  stream.Payloads
	Snapshots stream.Snapshots
	Beats     stream.Beats
	Bus       stream.Bus
	Live      stream.Live

	// Lease is how long a baton may stay in a hand; well under a second, so that tests can wait.
	Lease time.Duration
	// Inject writes a message to the log as it stands and gives its sequence.
	Inject func(entity stream.Entity, message []byte) uint64
	// InjectWork writes a message to a queue as it stands.
	InjectWork func(queue string, message []byte)
	// InjectPayload stores bytes under a hash that they need not have.
	InjectPayload func(sha256 string, bytes []byte)
	// LoseAnswer makes the next append's answer be lost after it is stored, and calls then before
	// the append goes on. Nil where there are no answers to lose.
	LoseAnswer func(then func())
}

// Run holds an implementation to the suite. open is called once a test and may run in parallel.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	groups := []struct {
		name  string
		tests map[string]func(*testing.T, Fixture)
	}{
		{"log", logTests}, {"frames", frameTests}, {"queue", queueTests}, {"timers", timerTests},
		{"payloads", payloadTests}, {"snapshots", snapshotTests}, {"beats", beatTests}, {"bus", busTests}, {"live", liveTests},
	}
	for _, group := range groups {
		for name, test := range group.tests {
			t.Run(group.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, open(t))
			})
		}
	}
}

// patience bounds what must happen soon; a test that meets it has failed.
const patience = 20 * time.Second

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
