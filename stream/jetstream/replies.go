package jetstream

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/batonflow/baton/stream"
)

// replies takes the answers of requests that get more than one, on a single subscription: a
// subscription each would cost half a megabyte of buffer and two more lines of protocol.
type replies struct {
	nc     *nats.Conn
	prefix string
	last   atomic.Uint64
	down   *broadcast // the connection was lost: nothing that was asked before will be answered

	mu      sync.Mutex
	waiting map[string]*answers // by the subject they come on
}

// answers are what has come for one request. It has no bound of its own: what is asked for has.
type answers struct {
	ready chan struct{}   // holds a signal when something came
	down  <-chan struct{} // closed when nothing more can come

	mu  sync.Mutex
	got []*nats.Msg
}

func newReplies(nc *nats.Conn, down *broadcast) (*replies, error) {
	r := &replies{nc: nc, down: down, prefix: nc.NewInbox() + ".", waiting: map[string]*answers{}}
	sub, err := nc.Subscribe(r.prefix+"*", r.receive)
	if err != nil {
		return nil, failed("listen for replies", err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil { // a dropped part would spoil its whole answer
		return nil, failed("listen for replies", err)
	}
	return r, nil
}

func (r *replies) receive(m *nats.Msg) {
	r.mu.Lock()
	a := r.waiting[m.Subject]
	r.mu.Unlock()
	if a == nil {
		return
	}
	a.mu.Lock()
	a.got = append(a.got, m)
	a.mu.Unlock()
	select {
	case a.ready <- struct{}{}:
	default:
	}
}

// ask sends the request; done must be called when no more answers are wanted.
func (r *replies) ask(subject string, body []byte) (a *answers, done func(), err error) {
	inbox := r.prefix + strconv.FormatUint(r.last.Add(1), 36)
	a = &answers{ready: make(chan struct{}, 1), down: r.down.wait()}
	r.mu.Lock()
	r.waiting[inbox] = a
	r.mu.Unlock()
	done = func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, inbox)
	}
	if err := r.nc.PublishRequest(subject, inbox, body); err != nil {
		done()
		return nil, nil, err
	}
	return a, done, nil
}

// next gives the next answer. Nobody there to answer is stream.ErrNobody, a connection that was lost since the
// question stream.ErrUnavailable.
func (a *answers) next(ctx context.Context) (*nats.Msg, error) {
	for {
		if m := a.take(); m != nil {
			if len(m.Data) == 0 && m.Header.Get(statusHeader) == statusNoResponders {
				return nil, stream.ErrNobody
			}
			return m, nil
		}
		select {
		case <-a.ready:
		case <-a.down:
			return nil, stream.ErrUnavailable
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (a *answers) take() *nats.Msg {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.got) == 0 {
		return nil
	}
	m := a.got[0]
	a.got[0] = nil
	a.got = a.got[1:]
	return m
}

// What the server says in place of a message.
const (
	statusHeader       = "Status"
	statusHeartbeat    = "100"
	statusNoContent    = "204"
	statusNotFound     = "404"
	statusTimeout      = "408"
	statusNoResponders = "503"
)
