package host

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/workers"
)

// Watch is what somebody who measures a server sees of it. It changes nothing.
type Watch struct {
	Executor  func(name string, x workers.Executor) workers.Executor // wraps each executor of the table
	Committed func(stream.Record)                                    // is told of each commit once it has settled
}

// Within runs a server in this process as Serve does, for somebody who measures it. opened is called with
// the open log while nothing works on it yet, work once the server takes commands; then the server stops,
// without waiting for attempts.
func Within(ctx context.Context, o Options, opened func(context.Context, *jetstream.Store) error, work func(context.Context, *Server) error) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &Server{Options: o, started: time.Now(), logger: slog.New(slog.NewTextHandler(o.Log, nil)), stop: stop, force: true}
	s.Process = newProcess(o.NATS == "")
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(ctx); err != nil {
		return err
	}
	if opened != nil {
		if err := opened(ctx, s.store); err != nil {
			return err
		}
	}
	worked := make(chan error, 1)
	begun := false
	err = s.run(ctx, func(Endpoint) {
		begun = true
		go func() {
			worked <- work(ctx, s)
			stop()
		}()
	})
	if begun {
		err = errors.Join(<-worked, err)
	}
	return err
}

// Store is the server's log, with everything beside it.
func (s *Server) Store() *jetstream.Store { return s.store }

// Engine decides for this server.
func (s *Server) Engine() *engine.Engine { return s.engine }

// Projector folds the log for this server.
func (s *Server) Projector() *engine.Projector { return s.projector }

// Queries are the questions that this server answers.
func (s *Server) Queries() engine.Queries { return s.queries() }

// Durability is when a commit is acknowledged.
func (s *Server) Durability() string { return s.durability() }
