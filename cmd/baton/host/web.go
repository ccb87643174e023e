package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/batonflow/baton/sessions"
)

// web answers whether the server is alive and ready; the API and the page come with a later release.
type web struct {
	listener net.Listener
	server   *http.Server
}

const (
	defaultHTTP = "127.0.0.1:7700"
	nextPorts   = 100
)

// listen opens the HTTP port: the one that was asked for, which must be free, or the next free one
// from 7700 on.
func (s *Server) listen() error {
	if s.NoHTTP {
		return nil
	}
	listener, err := s.port()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /metrics", s.metrics.Handler())
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.store.Head(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	s.web = &web{listener, &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}}
	go func() {
		if err := s.web.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.logger.Warn("HTTP server", "err", err)
		}
	}()
	return nil
}

func (s *Server) port() (net.Listener, error) {
	if s.HTTP != "" {
		l, err := net.Listen("tcp", s.HTTP)
		if err != nil {
			return nil, sessions.Refuse(sessions.Conflict, "port_taken", "name a free address with --http, or leave it out", "HTTP cannot listen on %s: %v", s.HTTP, err)
		}
		return l, nil
	}
	l, err := net.Listen("tcp", defaultHTTP)
	for port := 7701; err != nil && port < 7700+nextPorts; port++ {
		l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	}
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	return l, err
}

func (w *web) url() string { return "http://" + w.listener.Addr().String() }

func (w *web) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return w.server.Shutdown(ctx)
}
