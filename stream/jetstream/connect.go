// Package jetstream keeps the ports of package stream on NATS JetStream. It is the only package
// that knows NATS: names and configurations of streams, subjects, headers and error codes end here.
//
// [Start] runs the embedded server, under a lock on its directory. [Open] connects to that one, in
// process, or to any other by URL, finds or makes the installation's streams, compares their whole
// configuration, and gives a [Store] that is every port at once.
//
// Promises: a commit is stored at most once, directly after the commit it was decided on, whatever
// happens to answers on the way; a damaged or foreign message is reported and never taken for a
// commit; a stream that should be there is never made anew; no setting is changed silently.
package jetstream

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/stream"
)

const (
	apiTimeout    = 5 * time.Second // for one request to the server
	reconnectWait = 100 * time.Millisecond
	pingInterval  = 3 * time.Second // two without an answer, and another server is looked for
	pingsOut      = 2
	closeTimeout  = 2 * time.Second // for what is still to be sent
)

// Config says where the log is and what it should be like.
type Config struct {
	// Server is the embedded server to connect to in process; nil connects to URL.
	Server *Server
	// URL of one or more servers, comma-separated.
	URL string
	// Token for either; Credentials is a file with a user's JWT and seed, for URL.
	Token       string
	Credentials string
	// TLS is how a server at URL is believed, and what is shown to it.
	TLS TLS
	// Name shows in the server's list of connections.
	Name string
	// Installation is the id that the log must have; empty takes whatever is there.
	Installation string
	// New is the id of the installation to make when the server has none; empty makes none.
	New string
	// Replicas of every stream; 0 is what stands there and, for a new installation, 3 on a cluster
	// and 1 elsewhere.
	Replicas int
	// MaxBytes bounds the log; 0 is what stands there, no bound for a new installation.
	MaxBytes int64
	// Lease is how long a baton may stay in a hand without a word; 0 is 30 s.
	Lease time.Duration
	// Barrier is what durability waits for; nil is that of the embedded server's class, and elsewhere the
	// server's acknowledgement.
	Barrier Barrier
	// Logger takes what nobody else is told; nil is slog.Default.
	Logger *slog.Logger

	clustered bool // a new installation gets clusterReplica copies
}

// TLS names files in PEM. Empty ones are left to the system.
type TLS struct {
	CA        string // authorities that servers are believed by, in place of the system's
	Cert, Key string // of this client, for servers that ask for one
}

func (t TLS) options() (out []nats.Option) {
	if t.CA != "" {
		out = append(out, nats.RootCAs(t.CA))
	}
	if t.Cert != "" {
		out = append(out, nats.ClientCert(t.Cert, t.Key))
	}
	return out
}

// Store is every port of package stream on one connection. It is safe for concurrent use.
type Store struct {
	*eventLog
	*queue
	*timers
	*payloads
	*snapshots
	*beats
	*bus

	nc *nats.Conn
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

// Open connects and finds the installation. The connection then reconnects for ever; while it is
// down, what needs it fails with stream.ErrUnavailable.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	again, down := newBroadcast(), newBroadcast()
	// What is asked for while opening is not answered by a server that dies meanwhile. Each request has a
	// bound of its own, which a deadline would replace: a cluster without a majority answers none of them.
	outer := ctx
	ctx, stop := context.WithCancelCause(context.WithoutCancel(outer))
	defer stop(nil)
	defer context.AfterFunc(outer, func() { stop(context.Cause(outer)) })()
	go func(lost <-chan struct{}) {
		select {
		case <-lost:
			stop(stream.ErrUnavailable)
		case <-ctx.Done():
		}
	}(down.wait())
	nc, err := connect(cfg, again, down)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w: %w", stream.ErrUnavailable, err)
	}
	s, err := open(ctx, nc, cfg, again, down)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return s, nil
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Lease == 0 {
		c.Lease = defaultLease
	}
	if c.Barrier == nil && c.Server != nil {
		c.Barrier = c.Server.keeper.barrier
	}
	if c.Barrier == nil {
		c.Barrier = acknowledged
	}
	return c
}

func connect(cfg Config, again, down *broadcast) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name(cfg.Name),
		nats.Token(cfg.Token),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // a server that is only starting may refuse everybody
		nats.ReconnectWait(reconnectWait),
		nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(pingsOut),
		nats.ReconnectBufSize(-1), // what cannot be sent now must fail now, not arrive much later
		nats.ReconnectHandler(func(*nats.Conn) { again.send(); cfg.Logger.Info("connected to NATS again") }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			down.send()
			if err != nil {
				cfg.Logger.Warn("lost the connection to NATS", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			cfg.Logger.Error("NATS connection", "error", err)
		}),
	}
	if cfg.Credentials != "" {
		opts = append(opts, nats.UserCredentials(cfg.Credentials))
	}
	opts = append(opts, cfg.TLS.options()...)
	if cfg.Server != nil {
		opts = append(opts, nats.InProcessServer(inProcess{cfg.Server}))
	}
	return nats.Connect(cfg.URL, opts...)
}

func open(ctx context.Context, nc *nats.Conn, cfg Config, again, down *broadcast) (*Store, error) {
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(apiTimeout))
	if err != nil {
		return nil, err
	}
	if cfg.Replicas == 0 && nc.ConnectedClusterName() != "" {
		cfg.clustered = true
	}
	installation, err := install(ctx, js, cfg)
	if err != nil {
		return nil, err
	}
	var kept *keeper
	if cfg.Server != nil {
		kept = cfg.Server.keeper
	}
	streams := map[string]jetstream.Stream{}
	for _, name := range []string{eventsStream, workStream, timersStream, payloadsStream} {
		if streams[name], err = js.Stream(ctx, name); err != nil {
			return nil, failed("look up "+name, err)
		}
	}
	replies, err := newReplies(nc, down)
	if err != nil {
		return nil, err
	}
	hands := hands{nc: nc, again: again, lease: cfg.Lease, aside: &aside{js: js, log: cfg.Logger}}
	due := &feed{hands: hands, stream: streams[timersStream], from: timersStream, consumer: pullConsumer(dueConsumer, duePrefix+">", cfg.Lease)}
	log := newLog(js, streams[eventsStream], replies, installation, cfg)
	if kept != nil {
		log.keeper = kept
		if err := kept.open(ctx, log); err != nil {
			return nil, err
		}
	}
	return &Store{
		eventLog:  log,
		queue:     &queue{js: js, stream: streams[workStream], hands: hands, feeds: map[string]*feed{}},
		timers:    &timers{js: js, stream: streams[timersStream], due: due},
		payloads:  &payloads{js: js, stream: streams[payloadsStream], barrier: cfg.Barrier},
		snapshots: &snapshots{js: js, replicas: streams[payloadsStream].CachedInfo().Config.Replicas},
		beats:     &beats{nc: nc},
		bus:       &bus{nc: nc, replies: replies},
		nc:        nc,
	}, nil
}

// Close sends what is still to be sent and disconnects.
func (s *Store) Close() error {
	defer s.nc.Close()
	if !s.nc.IsConnected() {
		return nil // nothing is left to be sent
	}
	return s.nc.FlushTimeout(closeTimeout)
}

// broadcast tells everybody who waits that something happened.
type broadcast struct {
	mu   sync.Mutex
	next chan struct{}
}

func newBroadcast() *broadcast { return &broadcast{next: make(chan struct{})} }

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}

// wait gives a channel that is closed with the next send.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}
