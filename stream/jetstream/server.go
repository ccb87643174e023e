package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

const (
	maxPayload   = 1 << 20
	readyTick    = 50 * time.Millisecond // between looks whether the server is up
	memoryStore  = 256 << 20             // bound of what consumers keep in memory
	loopback     = "127.0.0.1"
	shareOfDisk  = 0.8 // of the free disk that the store may take
	lockFileName = "LOCK"
	derivedSync  = 5 * time.Second // between the server's own flushes, of what can be made anew from the log
)

// ServerConfig says how to run the embedded server.
type ServerConfig struct {
	// StoreDir holds everything; it is created when missing and locked while the server runs.
	StoreDir string
	// Token is asked of every connection. It must not be empty.
	Token string
	// Outside is the token of programs outside, which reach the offered service and nothing else; ""
	// lets none in.
	Outside string
	// Host to listen on; empty is the loopback.
	Host string
	// Port to listen on; 0 takes a free one.
	Port int
	// Durability is the class that the log and the payloads are kept with; the zero value is group.
	Durability stream.Durability
	// AnchorDir is where the anchor lies, outside the store; "" keeps none.
	AnchorDir string
	// MaxStore bounds the store in bytes. 0, or more than the disk has room for, is 80 % of the
	// room there is: a store that refuses is better than a disk that is full.
	MaxStore int64
	// Logger takes what the server says, recovery warnings among it; nil is slog.Default.
	Logger *slog.Logger
}

// Server is a running embedded server that holds its store directory's lock.
type Server struct {
	nats   atomic.Pointer[server.Server]
	cfg    ServerConfig
	lock   *lock
	keeper *keeper
	sick   int     // looks in a row at which it was unhealthy
	recent *recent // what was appended in this process, by whatever store
}

// Start runs an embedded server on the directory and returns once it takes connections, however
// long its recovery is, or when ctx is done. A directory that another server has gives ErrLocked.
func Start(ctx context.Context, cfg ServerConfig) (*Server, error) {
	if cfg.Token == "" || cfg.StoreDir == "" {
		return nil, errors.New("embedded server needs a token and a store directory")
	}
	lock, err := acquire(cfg.StoreDir)
	if err != nil {
		return nil, err
	}
	var kept *anchor.Anchor
	if cfg.AnchorDir != "" {
		if kept, err = anchor.Open(cfg.AnchorDir); err != nil {
			return nil, errors.Join(err, lock.release())
		}
	}
	touched := false
	if kept != nil && kept.State().Installation != "" {
		if touched, err = distrust(cfg.StoreDir, kept.State()); err != nil {
			return nil, errors.Join(err, lock.release())
		}
	}
	s, restored, err := startWhole(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	if err := lock.write(s.Addr().String()); err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, errors.Join(err, lock.release())
	}
	keeper := newKeeper(cfg, kept)
	keeper.restored, keeper.touched = restored, touched
	running := &Server{cfg: cfg, lock: lock, keeper: keeper, recent: newRecent()}
	running.runs(s)
	return running, nil
}

// runs takes a server that has started, and keeps its port for the next.
func (s *Server) runs(started *server.Server) {
	if address, ok := started.Addr().(*net.TCPAddr); ok {
		s.cfg.Port = address.Port
	}
	s.nats.Store(started)
}

// startWhole starts the server and, when it does not find a stream whose messages are there, once more
// with the description of it that the anchor keeps.
func startWhole(ctx context.Context, cfg ServerConfig) (s *server.Server, restored []string, err error) {
	if s, err = start(ctx, cfg); err != nil || cfg.AnchorDir == "" {
		return s, nil, err
	}
	found, err := streamsOf(s)
	if err == nil {
		restored, err = restoreMeta(cfg.StoreDir, cfg.AnchorDir, found)
	}
	if err == nil && len(restored) == 0 {
		return s, nil, nil
	}
	s.Shutdown()
	s.WaitForShutdown()
	if err != nil {
		return nil, nil, err
	}
	s, err = start(ctx, cfg)
	return s, restored, err
}

func start(ctx context.Context, cfg ServerConfig) (*server.Server, error) {
	opts, err := options(cfg)
	if err != nil {
		return nil, err
	}
	guard := &guard{own: cfg.Token, outside: cfg.Outside}
	opts.CustomClientAuthentication = guard
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("make embedded server: %w", err)
	}
	guard.server = s
	log := newLogger(cfg.Logger)
	s.SetLoggerV2(log, false, false, false)
	s.Start()
	for !s.ReadyForConnections(readyTick) {
		if err := errors.Join(ctx.Err(), log.fatal()); err != nil {
			s.Shutdown()
			s.WaitForShutdown()
			return nil, fmt.Errorf("start embedded server on %s:%d: %w", opts.Host, opts.Port, err)
		}
	}
	if err := guard.open(); err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, err
	}
	return s, nil
}

func options(cfg ServerConfig) (*server.Options, error) {
	limit, err := storeLimit(cfg.StoreDir, cfg.MaxStore)
	if err != nil {
		return nil, err
	}
	opts := &server.Options{
		ServerName:             "baton",
		Host:                   cfg.Host,
		Port:                   cfg.Port,
		MaxPayload:             maxPayload,
		NoSigs:                 true,
		JetStream:              true,
		StoreDir:               filepath.Clean(cfg.StoreDir),
		JetStreamMaxStore:      limit,
		JetStreamMaxMemory:     memoryStore,
		SyncAlways:             cfg.Durability.Class == stream.Always,
		SyncInterval:           derivedSync,
		DisableJetStreamBanner: true,
	}
	if opts.Host == "" {
		opts.Host = loopback
	}
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	return opts, nil
}

// URL is where other processes reach the server.
func (s *Server) URL() string { return s.nats.Load().ClientURL() }

// Healthy says why the server cannot keep its promises, nil when it can.
func (s *Server) Healthy() error {
	if status := s.nats.Load().Healthz(nil); status.Error != "" {
		return errors.New(status.Error)
	}
	return nil
}

// Flushes is how often the store was flushed to disk since the server started.
func (s *Server) Flushes() int64 {
	s.keeper.mu.Lock()
	defer s.keeper.mu.Unlock()
	return s.keeper.rounds
}

// Shutdown stops the server in order (only that writes the index that makes the next start quick), flushes
// what it left and says so in the anchor. Nothing of the store is touched after it; the lock is held until
// Release.
func (s *Server) Shutdown() error {
	s.keeper.stop()
	s.nats.Load().Shutdown()
	s.nats.Load().WaitForShutdown()
	return s.keeper.close()
}

// Release gives up the lock, so that another server may start on the store.
func (s *Server) Release() error { return s.lock.release() }

// Close is Shutdown and Release.
func (s *Server) Close() error { return errors.Join(s.Shutdown(), s.Release()) }
