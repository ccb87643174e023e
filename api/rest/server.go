// Package rest serves the table of operations over HTTP: JSON over plain resources, server-sent events
// for what changes, an OpenAPI document made from the table, and whatever else is mounted beside them.
//
// Everything stands behind one guard. Nobody gets in without the token, or the cookie that a one-time
// link sets; no page of another origin and no rebound name reaches anything; bodies, slow clients and
// open streams are bounded, so that whoever is slow or greedy slows nobody else. Nothing is decided here.
package rest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/stream"
)

// Config is what a server is made of.
type Config struct {
	Backend operation.Backend
	Token   string   // that every request shows
	Outside string   // token of workers outside, who may claim, beat, stream and close, and nothing else; "": none
	Names   []string // host names by which it may be called, beside IP addresses and localhost
	Remote  bool     // it listens on more than loopback
	TLS     bool
	Version string
	Mounts  []Mount
	Ready   func(context.Context) error // nil when it serves
	Listen  func(ctx context.Context, session string, f func(stream.Said)) error
	Logger  *slog.Logger
	Bounds  Bounds
}

// Mount is something else that is served behind the same guard.
type Mount struct {
	Pattern string // of net/http's mux: "GET /runs/{run}", "/mcp"
	Handler http.Handler
}

// Bounds are what one server takes at most; zero fields are the usual ones.
type Bounds struct {
	Body    int64         // bytes of a request
	Arrive  time.Duration // for a body to come
	Leave   time.Duration // for an answer to go, and for each event of a stream
	Streams int           // open at once
	Flying  int           // requests at once
}

// usual fills in what is not said.
func (b Bounds) usual() Bounds {
	if b.Body == 0 {
		b.Body = 16 << 20
	}
	if b.Arrive == 0 {
		b.Arrive = 30 * time.Second
	}
	if b.Leave == 0 {
		b.Leave = 30 * time.Second
	}
	if b.Streams == 0 {
		b.Streams = 256
	}
	if b.Flying == 0 {
		b.Flying = 1024
	}
	return b
}

// Server answers requests.
type Server struct {
	Config
	guard   guard
	mux     *http.ServeMux
	streams slots
	flying  slots

	described func() ([]byte, error) // the OpenAPI document, made when it is first asked for
}

// New makes a server. The mux panics on mounts that could be meant with another: whoever builds the
// program meets it.
func New(c Config) *Server {
	c.Bounds = c.Bounds.usual()
	s := &Server{Config: c, mux: http.NewServeMux(), streams: make(slots, c.Bounds.Streams), flying: make(slots, c.Bounds.Flying)}
	s.guard = newGuard(c)
	s.described = sync.OnceValues(func() ([]byte, error) { return OpenAPI(c.Version, s.guard.pass.name) })
	for _, o := range operation.Table() {
		if o.Route != "" {
			s.mux.Handle(o.Route, s.operation(o))
		}
	}
	s.mux.HandleFunc("GET /v1/openapi.json", s.openAPI)
	s.mux.HandleFunc("/v1/", s.noRoute)
	for _, m := range c.Mounts {
		s.mux.Handle(m.Pattern, s.mounted(m))
	}
	return s
}

// HTTP is the server with the limits that keep a connection from being held for nothing.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
}

// ServeHTTP lets a request in, or says why not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shield(w.Header())
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // that of the request before
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, "ok")
		return
	case "/readyz":
		s.readiness(w, r)
		return
	}
	if err := s.guard.check(r); err != nil {
		refuse(w, r, err)
		return
	}
	if r.URL.Path == linkPath {
		s.enter(w, r)
		return
	}
	if s.worker(r) {
		r = r.WithContext(context.WithValue(r.Context(), outside{}, true))
	} else if err := s.guard.admit(r); err != nil {
		refuse(w, r, err)
		return
	}
	if !s.flying.take() {
		w.Header().Set("Retry-After", "1")
		refuse(w, r, busy("requests", cap(s.flying)))
		return
	}
	defer s.flying.give()
	r.Body = s.arriving(w, r)
	s.mux.ServeHTTP(w, r)
}

func (s *Server) readiness(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		s.Logger.Warn("not ready", "err", err)
		return
	}
	fmt.Fprintln(w, "ready")
}

// mounted bounds how long each part of an answer may take to leave, and how many streams are open.
func (s *Server) mounted(m Mount) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wantsStream(r) && r.Method == http.MethodGet {
			if !s.streams.take() {
				s.full(w, r)
				return
			}
			defer s.streams.give()
		}
		m.Handler.ServeHTTP(&writer{ResponseWriter: w, control: http.NewResponseController(w), leave: s.Bounds.Leave}, r)
	})
}

func (s *Server) full(w http.ResponseWriter, r *http.Request) {
	s.leaving(w)
	w.Header().Set("Retry-After", "5")
	w.Header().Set("Connection", "close")
	refuse(w, r, busy("streams", cap(s.streams)))
}

// leaving gives an answer its time to go. What has no deadlines is no connection, as in tests.
func (s *Server) leaving(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.Bounds.Leave))
}

// slots bound how many may do something at once.
type slots chan struct{}

func (s slots) take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) give() { <-s }

// IsLoopback says whether an address that is listened on is reached from this machine alone.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
