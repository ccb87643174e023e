package stream

import (
	"context"
	"regexp"
	"time"
)

// Baton is a wake-up: "session S may need a hand with call C". It is no right and no fact.
type Baton struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	After   uint64 `json:"after"`          // sequence of the commit that made it: fold at least this far
	Wake    bool   `json:"wake,omitempty"` // sent by a reconciler, which has seen that the call stands still
}

// Delivery is a baton in a worker's hand.
type Delivery interface {
	Baton() Baton
	Sequence() uint64 // of the message in the work stream
	Count() int       // how often it has been delivered, from 1
	Ack(ctx context.Context) error
	Nak(ctx context.Context, delay time.Duration) error
	Extend(ctx context.Context) error // in progress: puts redelivery off by another lease
}

// Queue moves batons. Delivery is at least once; a baton may also be lost altogether.
type Queue interface {
	// Publish puts a baton on a queue and gives its message's sequence.
	Publish(ctx context.Context, queue string, baton Baton) (uint64, error)
	// Pull waits for one baton of the queue until ctx is done; it takes none that it does not return.
	// A message that is no baton is set aside and reported, and never blocks the queue.
	Pull(ctx context.Context, queue string) (Delivery, error)
	// Remove deletes a baton by its sequence, so that it does not hold a place; gone already is no error.
	Remove(ctx context.Context, sequence uint64) error
	// Depth is how many batons wait in the queue or are in a worker's hand.
	Depth(ctx context.Context, queue string) (int, error)
	// Served says whether anybody takes batons of the queue: somebody waits for one, or has one in hand.
	Served(ctx context.Context, queue string) (bool, error)
}

var queueName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// ValidQueue says whether a queue may be called so.
func ValidQueue(name string) bool { return queueName.MatchString(name) }

// Alarm asks to be told at a time. The fact is the session's timer.set event; this only rings.
type Alarm struct {
	Session string    `json:"session"`
	Timer   string    `json:"timer"`
	At      time.Time `json:"at"`
}

// Timers is the alarm clock: never early by more than the clock's own error, at least once.
type Timers interface {
	// Arm sets the alarm, replacing one of the same session and timer.
	Arm(ctx context.Context, alarm Alarm) error
	// Disarm forgets it; unknown is no error.
	Disarm(ctx context.Context, session, timer string) error
	// Due waits for the next alarm that rang until ctx is done. done must be called once it is dealt with.
	Due(ctx context.Context) (alarm Alarm, done func(context.Context) error, err error)
}

// Payloads keeps large values by the SHA-256 of their bytes. Equal bytes are kept once.
type Payloads interface {
	// Put stores the bytes and gives their SHA-256 in hex. It returns when they are as durable as
	// the class promises, since the event that names them follows.
	Put(ctx context.Context, bytes []byte) (string, error)
	// Get gives the bytes, after checking them against the hash. ErrNotFound, ErrDamaged.
	Get(ctx context.Context, sha256 string) ([]byte, error)
	// Delete takes the bytes away for good; what is not there is deleted already. It is for values
	// that nobody else can have put: equal bytes are kept once.
	Delete(ctx context.Context, sha256 string) error
}

// Snapshots keeps folded states, so that a long line need not be folded from its beginning. They are no
// truth: all of them can be lost or deleted, and whoever loads one checks it.
type Snapshots interface {
	// Save keeps the bytes under the key, in place of what is there. Its parts are letters and digits
	// between dots. A snapshot that is cut off while it is saved is no longer there, or is not whole.
	Save(ctx context.Context, key string, snapshot []byte) error
	// Load gives what is kept under the key. ErrNotFound.
	Load(ctx context.Context, key string) ([]byte, error)
	// Forget deletes every snapshot.
	Forget(ctx context.Context) error
}

// Beat says that an attempt is alive.
type Beat struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker"`
}

// Beats carries signs of life and the fast path of control, on core subjects, stored nowhere.
type Beats interface {
	// Beat tells everybody that the attempt is alive.
	Beat(ctx context.Context, beat Beat) error
	// Hear calls f for every beat until ctx is done; it returns once it is listening.
	Hear(ctx context.Context, f func(Beat)) error
	// Tell asks a worker to look at its call now (it may be cancelled or stale).
	Tell(ctx context.Context, worker string, beat Beat) error
	// Told calls f for whatever is told to a worker of the process (worker ids are "<process>.<slot>").
	Told(ctx context.Context, process string, f func(Beat)) error
}

// Bus carries requests between processes.
type Bus interface {
	// Ask sends a request to one of those who serve the subject and gives the answer, of any size.
	// ErrUnavailable: nobody serves it, or no answer came before ctx was done.
	Ask(ctx context.Context, subject string, request []byte) ([]byte, error)
	// Serve answers requests on the subject, each in a goroutine of its own, until ctx is done; it
	// returns once it is listening. Servers of one group share the requests.
	Serve(ctx context.Context, subject, group string, answer func(context.Context, []byte) []byte) error
}
