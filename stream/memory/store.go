// Package memory keeps the ports of package stream in memory: the log, the work queue, the alarm
// clock, payloads, snapshots, beats and the bus, in one [Store].
//
// It exists so that everything above the ports can be tested in milliseconds, crashes included, and
// inside testing/synctest bubbles: it uses channels, mutexes and timers and nothing of the operating
// system. It keeps what the ports promise (the suite in stream/streamtest says so) and has the vices
// that they allow: batons come again when a lease runs out, alarms ring until they are dealt with.
// [Store.Inject] and its like write underneath the ports, as damage and foreign writers would.
package memory

import (
	"time"

	"github.com/batonflow/baton/stream"
)

// DefaultLease is how long a baton or a rung alarm may stay in a hand before it comes again.
const DefaultLease = 30 * time.Second

// Store is every port of package stream at once. It is safe for concurrent use.
type Store struct {
	*eventLog
	*queue
	*timers
	*payloads
	*snapshots
	*beats
	*bus
}

// New makes an empty store whose chains start from the installation's id. now is the clock that
// alarms are measured on; leases and delays run on the runtime's own timers.
func New(installation string, now func() time.Time) *Store {
	return &Store{
		eventLog:  newLog(installation),
		queue:     &queue{lease: DefaultLease, changed: make(chan struct{})},
		timers:    newTimers(now),
		payloads:  &payloads{stored: map[string][]byte{}},
		snapshots: &snapshots{stored: map[string][]byte{}},
		beats:     &beats{hearers: map[*hearer]bool{}},
		bus:       &bus{servers: map[string][]*server{}},
	}
}

// SetLease changes the lease of batons and alarms handed out from now on.
func (s *Store) SetLease(lease time.Duration) {
	s.queue.setLease(lease)
	s.timers.setLease(lease)
}

var (
	_ stream.Log       = (*Store)(nil)
	_ stream.Queue     = (*Store)(nil)
	_ stream.Timers    = (*Store)(nil)
	_ stream.Payloads  = (*Store)(nil)
	_ stream.Snapshots = (*Store)(nil)
	_ stream.Beats     = (*Store)(nil)
	_ stream.Bus       = (*Store)(nil)
	_ stream.Live      = (*Store)(nil)
)
