package jetstream

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/batonflow/baton/stream"
)

const (
	pullExpires   = 30 * time.Second // of one request for a message; it is renewed
	pullHeartbeat = 5 * time.Second  // of the server, while a request waits
	pullSilence   = 12 * time.Second // after which a request is taken to be lost
)

// hands is what every puller needs.
type hands struct {
	nc    *nats.Conn
	again *broadcast // a reconnection: requests made before may be lost
	lease time.Duration
	aside *aside
}

// source is a durable pull consumer from which messages are taken one at a time. The client's own
// fetch would do, but for its end: a message that crosses a cancelled fetch is out of reach until
// its lease runs out. Here it is given back at once.
type source struct {
	hands
	request string // subject that asks for the next message
	body    []byte

	mu   sync.Mutex
	idle []*puller // nothing is asked for on these
}

func newSource(h hands, from, consumer string) *source {
	return &source{
		hands:   h,
		request: "$JS.API.CONSUMER.MSG.NEXT." + from + "." + consumer,
		body: []byte(`{"batch":1,"expires":` + strconv.FormatInt(int64(pullExpires), 10) +
			`,"idle_heartbeat":` + strconv.FormatInt(int64(pullHeartbeat), 10) + `}`),
	}
}

// On a cluster a consumer answers nothing while its replicas choose who leads them.
const (
	leaderless = 20 // looks for a leader
	leaderWait = 150 * time.Millisecond
)

// pull waits for one message until ctx is done.
func (s *source) pull(ctx context.Context) (*nats.Msg, error) {
	for lookups := 0; ; {
		p, err := s.take()
		if err != nil {
			return nil, failed("listen for a message", err)
		}
		m, err := p.next(ctx, s)
		if err == nil {
			s.mu.Lock()
			s.idle = append(s.idle, p)
			s.mu.Unlock()
			return m, nil
		}
		p.close()
		switch {
		case errors.Is(err, errSilence):
		case errors.Is(err, errNobody) && lookups < leaderless:
			if lookups++; !stream.Pause(ctx, leaderWait) {
				return nil, ctx.Err()
			}
		default:
			return nil, err
		}
	}
}

func (s *source) take() (*puller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p, nil
	}
	return newPuller(s.nc)
}

// close ends the pullers that nobody uses.
func (s *source) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.idle {
		p.close()
	}
	s.idle = nil
}

// errNobody says that nobody answers for the consumer.
var errNobody = errors.New("nobody answers for the consumer")

// errSilence says that a request may be lost and should be made anew.
var errSilence = errors.New("server is silent")

// puller is one inbox with at most one request under way.
type puller struct {
	nc      *nats.Conn
	inbox   string
	sub     *nats.Subscription
	arrived chan *nats.Msg

	mu     sync.Mutex
	closed bool
}

// newPuller makes an inbox that nothing else listens on: the server skips the request of one that is
// closed only when no other subscription, such as the client's own for replies, matches it too.
func newPuller(nc *nats.Conn) (*puller, error) {
	p := &puller{nc: nc, inbox: nc.NewInbox(), arrived: make(chan *nats.Msg, 8)}
	var err error
	p.sub, err = nc.Subscribe(p.inbox, p.receive)
	return p, err
}

// receive hands a message on, or back when nobody waits for it any more.
func (p *puller) receive(m *nats.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		select {
		case p.arrived <- m:
			return
		default:
		}
	}
	p.giveBack(m)
}

func (p *puller) giveBack(m *nats.Msg) {
	if m.Header.Get(statusHeader) == "" && m.Reply != "" {
		_ = p.nc.Publish(m.Reply, []byte(ackNak)) // at worst it comes again after the lease
	}
}

// close gives back what came and what is still on its way.
func (p *puller) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for len(p.arrived) > 0 {
		p.giveBack(<-p.arrived)
	}
	_ = p.sub.Drain() // fails only with the connection, which ends the subscription too
}

// next asks for a message and waits for it.
func (p *puller) next(ctx context.Context, s *source) (*nats.Msg, error) {
	again := s.again.wait()
	silence := time.NewTimer(pullSilence)
	defer silence.Stop()
	for ask := true; ; {
		if ask {
			if err := p.nc.PublishRequest(s.request, p.inbox, s.body); err != nil {
				return nil, failed("ask for a message", err)
			}
		}
		select {
		case m := <-p.arrived:
			var err error
			if ask, err = verdict(m); err != nil {
				return nil, err
			}
			if m.Header.Get(statusHeader) == "" {
				return m, nil
			}
			silence.Reset(pullSilence)
		case <-silence.C:
			return nil, errSilence
		case <-again:
			return nil, errSilence
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// verdict says whether a request has ended without a message and is to be made again, or cannot be.
func verdict(m *nats.Msg) (again bool, err error) {
	switch status := m.Header.Get(statusHeader); status {
	case "", statusHeartbeat:
		return false, nil
	case statusTimeout, statusNotFound:
		return true, nil
	case statusNoResponders:
		return false, failed("ask for a message", errors.Join(stream.ErrUnavailable, errNobody))
	default:
		return false, failed("ask for a message", errors.Join(stream.ErrUnavailable, errors.New(status+" "+m.Header.Get("Description"))))
	}
}
