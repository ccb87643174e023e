package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/api/rest"
	"github.com/batonflow/baton/cmd/baton/config"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/routing/way"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/telemetry"
	"github.com/batonflow/baton/workers"
)

// Options is what a process is started with.
type Options struct {
	Home       Home
	NATS       string // URL of a NATS cluster; "": the embedded server
	Creds      string // credentials file for NATS
	TLS        jetstream.TLS
	HTTP       string // address of the HTTP server; "": 127.0.0.1:7700 or the next free port
	NoHTTP     bool
	TLSCert    string            // PEM file of the certificate for HTTP; "": no TLS
	TLSKey     string            // PEM file of its key
	Insecure   bool              // HTTP on more than loopback without TLS
	HTTPNames  []string          // host names by which the HTTP server may be called, beside addresses
	Bounds     rest.Bounds       // of the HTTP server
	Durability stream.Durability // of the embedded server
	Replicas   int               // of a new installation's streams on a cluster; 0: 3
	Queues     []string
	Workers    int  // attempts at once; 0: none
	Confine    bool // programs of steps that say nothing of a sandbox write to the workspace and BATON_TMP only
	Lease      time.Duration

	ConfirmHighRisk bool // every action that cannot be taken back is confirmed by a person
	Telemetry       Telemetry
	Judge           way.Way // who is asked for a second opinion on what a person would confirm; zero: nobody

	Grace   time.Duration
	Limits  map[string]int // calls at once under each limit: a name, or queue:NAME
	Agent   string         // profile of the coding agent that takes skills without an entry point; "": none
	Version string
	Env     map[string]string
	Log     io.Writer
	Shim    []string // how to start the shim; nil: this binary
	Watch   Watch    // what somebody who measures the server sees of it; zero: nothing
}

// Server is everything that runs in a serving process.
type Server struct {
	Options
	Process string
	started time.Time
	logger  *slog.Logger

	nats      *jetstream.Server // nil on a cluster
	store     *jetstream.Store
	engine    *engine.Engine
	projector *engine.Projector
	scheduler *engine.Scheduler
	pool      *workers.Pool
	library   *Library
	feedback  *engine.Ledger[*feedbackLine]
	voices    *voices
	metrics   *telemetry.Metrics
	web       *web
	asked     engine.Queries // that this process answers

	short atomic.Pointer[error] // why nothing new is begun
	stop  context.CancelFunc
	force bool
}

// Serve runs until ctx is done or somebody asks it to stop. ready is called once it takes commands.
func Serve(ctx context.Context, o Options, ready func(Endpoint)) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &Server{Options: o, started: time.Now(), logger: slog.New(slog.NewTextHandler(o.Log, nil)), stop: stop}
	s.Process = newProcess(o.NATS == "")
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(ctx); err != nil {
		return err
	}
	if err := s.listen(); err != nil {
		return err
	}
	return s.run(ctx, ready)
}

// newProcess names this process: "s…" owns an embedded server, of which there is one a home; "n…"
// serves on a cluster.
func newProcess(embedded bool) string {
	kind := "n"
	if embedded {
		kind = "s"
	}
	return kind + strings.ToLower(ulid.MustNew(ulid.Now(), rand.Reader).String())
}

// ids makes ULIDs that rise within the process.
func ids() func() string {
	entropy := ulid.Monotonic(rand.Reader, 0)
	var mu sync.Mutex
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return ulid.MustNew(ulid.Now(), entropy).String()
	}
}

func (s *Server) open(ctx context.Context) error {
	if err := s.Home.Open(); err != nil {
		return err
	}
	for _, folder := range []string{"views", "scratch"} {
		if err := os.MkdirAll(s.Home.path(folder), 0o700); err != nil {
			return s.Home.unwritable(err)
		}
	}
	config := jetstream.Config{URL: s.NATS, Credentials: s.Creds, TLS: s.TLS, Name: "baton " + s.Process, Lease: s.Lease, Replicas: s.Replicas, Logger: s.logger, New: ulid.MustNew(ulid.Now(), rand.Reader).String()}
	if s.NATS == "" {
		if err := s.embed(ctx, &config); err != nil {
			return err
		}
	}
	store, err := jetstream.Open(ctx, config)
	if err != nil {
		return storeRefusal(s.Options, err)
	}
	s.store = store
	if s.nats != nil && s.nats.Standing().Found { // it may rest on what is gone
		if err := os.Remove(s.indexPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.Home.unwritable(err)
		}
	}
	if s.NATS == "" {
		if err := s.Home.write("installation", []byte(store.Installation()+"\n")); err != nil {
			return err
		}
	}
	s.assemble()
	s.voices, err = newVoices()
	return err
}

// embed starts the server of this home. Only a home that never had an installation gets a new log.
func (s *Server) embed(ctx context.Context, config *jetstream.Config) error {
	token, err := s.Home.Token()
	if err != nil {
		return err
	}
	outside, err := s.Home.OutsideToken()
	if err != nil {
		return err
	}
	server := jetstream.ServerConfig{StoreDir: s.Home.Store(), Token: token, Outside: outside, AnchorDir: s.Home.Anchor(), Durability: s.Options.Durability, Port: s.Home.lastPort(), Logger: s.logger}
	s.nats, err = jetstream.Start(ctx, server)
	if err != nil && !errors.Is(err, jetstream.ErrLocked) && server.Port != 0 {
		server.Port = 0 // somebody else has it now
		s.nats, err = jetstream.Start(ctx, server)
	}
	if err != nil {
		return storeRefusal(s.Options, err)
	}
	installation, err := s.Home.installation()
	if err != nil {
		return s.Home.unwritable(err)
	}
	if installation != "" {
		config.Installation, config.New = installation, ""
	}
	config.Server, config.Token = s.nats, token
	return nil
}

// assemble puts the engine, the workers and the readers together.
func (s *Server) assemble() {
	s.library = &Library{Home: s.Home, Places: places(s.Home, s.Env), Payloads: s.store, Agent: s.Agent, Env: s.Env, ConfirmHighRisk: s.ConfirmHighRisk, Logger: s.logger, bodies: newBodies()}
	config := engine.Config{
		Room:      s.room,
		Witnesses: s.witnesses,
		Log:       s.store, Queue: s.store, Timers: s.store, Payloads: s.store, Beats: s.store, Bus: s.store,
		Skills: s.library, Limits: s.Limits, Process: s.Process, Sole: s.NATS == "", Lease: s.Lease, Now: clock, NewID: ids(), Committed: s.Watch.Committed, Logger: s.logger,
		Snapshots: engine.Snapshots{Store: s.store, Code: openCode(s.Process)},
	}
	if s.NATS == "" {
		config.Gone = func(process string) bool { return strings.HasPrefix(process, "s") && process != s.Process }
	}
	if judge := openJudge(s.Options, s.library); judge != nil {
		config.Consult = judge.consult
	}
	if s.Workers > 0 {
		s.pool = newPool(s.Options, s.Process, s.store, s.logger)
		config.Slots = s.pool
	}
	s.engine = engine.New(config)
	s.library.scans = openScans(s.engine)
	s.feedback = engine.OpenLedger(s.engine, feedbackEntity, &feedbackLine{})
	if s.pool != nil {
		s.pool.Conduct(engine.Local{Via: s.engine})
	}
	s.projector = engine.NewProjector(s.store, s.indexPath(), s.logger)
	s.measure()
	s.library.lessons = &lessons{projector: s.projector, payloads: s.store}
	s.scheduler = engine.NewScheduler(s.engine, s.projector, nextByCron, func(request string) (session, run string) {
		return operation.DerivedSession(request), operation.DerivedRun(request)
	})
	s.engine.Rung = s.scheduler.Rung
	s.asked = s.queries()
}

// indexPath is where the index's checkpoint lies; a process on a cluster keeps none.
func (s *Server) indexPath() string {
	if s.NATS != "" {
		return ""
	}
	return s.Home.path("views", "index.json")
}

func newPool(o Options, process string, store *jetstream.Store, logger *slog.Logger) *workers.Pool {
	return workers.NewPool(workers.Config{
		Queue: store, Beats: store, Executors: executors(o, engine.Client{Bus: store, Payloads: store}), Process: process,
		Queues: o.Queues, Slots: o.Workers, Lease: o.Lease, Logger: logger, Lookup: o.secret, Env: o.reach(), Live: store,
	})
}

// reach is how a step's own `baton` finds the cluster; beside an embedded server the home says it.
func (o Options) reach() map[string]string {
	env := map[string]string{
		"BATON_NATS_URL": o.NATS, "BATON_NATS_CREDS": o.Creds,
		"BATON_NATS_CA": o.TLS.CA, "BATON_NATS_CERT": o.TLS.Cert, "BATON_NATS_KEY": o.TLS.Key,
	}
	maps.DeleteFunc(env, func(_, value string) bool { return value == "" })
	return env
}

// run serves until ctx is done, then lets what is under way finish.
func (s *Server) run(ctx context.Context, ready func(Endpoint)) error {
	// What serves goes on while workers drain: their results must still get in.
	serving, done := context.WithCancel(context.WithoutCancel(ctx))
	var group sync.WaitGroup
	defer group.Wait()
	defer done()
	failed := make(chan error, 2)
	group.Go(func() {
		if err := s.projector.Run(serving); err != nil {
			failed <- err
		}
	})
	group.Go(func() { s.engine.Reconcile(serving, s.projector) })
	group.Go(func() { s.library.Watch(serving) })
	group.Go(func() {
		if err := s.erase(serving); err != nil && serving.Err() == nil {
			s.logger.Warn("feedback that was cleared is not deleted yet", "err", err)
		}
	})
	group.Go(func() { s.export(serving) })
	group.Go(func() { s.engine.Ring(serving) })
	if s.nats != nil {
		group.Go(func() {
			if err := s.keepRoom(serving); err != nil {
				failed <- err
			}
		})
	}
	group.Go(func() { s.scheduler.Run(serving) })
	drained := make(chan error, 1)
	go func() {
		if s.pool == nil {
			<-ctx.Done()
			drained <- nil
			return
		}
		drained <- s.pool.Run(ctx)
	}()
	if err := s.answer(serving); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if err := s.announce(ready); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		if s.pool != nil {
			wait := drain
			if s.force {
				wait = 0
			}
			defer time.AfterFunc(wait, s.pool.Abort).Stop()
		}
		return <-drained
	case err := <-failed:
		s.stop()
		if s.pool != nil {
			s.pool.Abort()
		}
		return errors.Join(err, <-drained)
	}
}

// answer takes commands, questions and what programs outside ask for, and listens to what attempts say.
func (s *Server) answer(ctx context.Context) error {
	if err := s.store.Listen(ctx, "", s.voices.heard); err != nil {
		return err
	}
	if err := s.engine.Serve(ctx, s.asked); err != nil {
		return err
	}
	return s.store.Offer(ctx, s.service())
}

func (s *Server) announce(ready func(Endpoint)) error {
	e := s.endpoint()
	if s.NATS == "" {
		var port int
		if _, err := fmt.Sscanf(e.URL[strings.LastIndex(e.URL, ":")+1:], "%d", &port); err == nil {
			if err := s.Home.write("port", fmt.Appendf(nil, "%d\n", port)); err != nil {
				return err
			}
		}
		if err := s.Home.announce(e); err != nil {
			return err
		}
	}
	if ready != nil {
		ready(e)
	}
	return nil
}

func (s *Server) endpoint() Endpoint {
	e := Endpoint{PID: os.Getpid(), Process: s.Process, URL: config.Redacted(s.NATS), Version: s.Version, Started: s.started.UTC()}
	if s.nats != nil {
		e.URL = s.nats.URL()
	}
	if s.web != nil {
		e.HTTP = s.web.url()
	}
	return e
}

// close ends what was opened, in the order in which nothing acknowledged is lost.
func (s *Server) close() error {
	var errs []error
	if s.web != nil {
		errs = append(errs, s.web.close())
	}
	if s.engine != nil {
		s.engine.Close()
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	if s.nats != nil {
		errs = append(errs, s.nats.Shutdown())
		if s.engine != nil { // whoever waits for the end finds all of it on the disk, and the next server's word untouched
			errs = append(errs, s.Home.withdraw())
		}
		errs = append(errs, s.nats.Release())
	}
	return errors.Join(errs...)
}

// storeRefusal says what is wrong with the store in words that a person can act on.
func storeRefusal(o Options, err error) error {
	switch {
	case errors.Is(err, jetstream.ErrLocked):
		return sessions.Refuse(sessions.Conflict, "store_locked", "use that server, or stop it with `baton stop`",
			"another server has the store of %s: %v", o.Home.Dir, err)
	case errors.Is(err, jetstream.ErrConfig):
		return sessions.Refuse(sessions.Damaged, "stream_config", "restore the stream's configuration; it is never changed silently", "%v", err)
	case o.NATS != "" && errors.Is(err, jetstream.ErrNoInstallation):
		return sessions.Refuse(sessions.Unreachable, "no_installation", "start one with `baton serve --nats URL`", "%s has no installation of Baton", config.Redacted(o.NATS))
	case o.NATS != "":
		return sessions.Refuse(sessions.Unreachable, "nats_unreachable", "check --nats and the credentials", "%s: %v", config.Redacted(o.NATS), err)
	}
	return sessions.Refuse(sessions.Damaged, "store_unusable", "see "+o.Home.LogFile()+" and `baton doctor`", "the store of %s cannot be opened: %v", o.Home.Dir, err)
}
