package host

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/batonflow/baton/api/mcp"
	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/api/page"
	"github.com/batonflow/baton/api/rest"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

// web is the HTTP server of a process.
type web struct {
	listener net.Listener
	server   *http.Server
	rest     *rest.Server
	secure   bool
	stop     context.CancelFunc // ends streams and waits
}

const (
	defaultHTTP = "127.0.0.1:7700"
	nextPorts   = 100
)

// mounts lists what is served over HTTP beside the operations, behind the same guard. Adding one is a line.
func (s *Server) mounts() ([]rest.Mount, error) {
	shown, err := page.Handler(page.Config{
		Backend: s.backend(), NewSession: func() (string, error) { return operation.NewSession("") }, User: s.user(), Version: s.Version, Now: time.Now, Logger: s.logger,
	})
	if err != nil {
		return nil, err
	}
	return []rest.Mount{
		{Pattern: "/", Handler: shown},
		{Pattern: "/mcp", Handler: mcp.Handler(mcp.Config{Backend: s.backend(), Version: s.Version})},
		{Pattern: "GET /metrics", Handler: s.metrics.Handler()},
	}, nil
}

// user is who answers on the page, unless a person says otherwise.
func (s *Server) user() string {
	if name := s.Env["USER"]; name != "" {
		return name
	}
	return "page"
}

// listen opens the HTTP port: the one that was asked for, which must be free, or the next free one
// from 7700 on.
func (s *Server) listen() error {
	if s.NoHTTP {
		return nil
	}
	certificate, err := s.certificate()
	if err != nil {
		return err
	}
	token, err := s.Home.HTTPToken()
	if err != nil {
		return err
	}
	outside, err := s.Home.OutsideToken()
	if err != nil {
		return err
	}
	mounts, err := s.mounts()
	if err != nil {
		return err
	}
	listener, err := s.port()
	if err != nil {
		return err
	}
	address := listener.Addr().String()
	if certificate == nil && !s.Insecure && !rest.IsLoopback(address) {
		return errors.Join(open(address), listener.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	s.web = &web{listener: listener, secure: certificate != nil, stop: stop}
	s.web.rest = rest.New(rest.Config{
		Backend: s.backend(), Token: token, Outside: outside, Names: s.names(certificate), Remote: !rest.IsLoopback(address), TLS: certificate != nil,
		Version: s.Version, Mounts: mounts, Ready: s.ready, Listen: s.store.Listen, Logger: s.logger, Bounds: s.Bounds,
	})
	s.web.server = s.web.rest.HTTP()
	s.web.server.BaseContext = func(net.Listener) context.Context { return ctx }
	if certificate != nil {
		s.web.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
	}
	go func() {
		if err := s.web.serve(); !errors.Is(err, http.ErrServerClosed) {
			s.logger.Warn("HTTP server", "err", err)
		}
	}()
	return nil
}

func (w *web) serve() error {
	if w.secure {
		return w.server.ServeTLS(w.listener, "", "")
	}
	return w.server.Serve(w.listener)
}

// open refuses to speak in the clear to more than this machine.
func open(address string) error {
	return sessions.Refuse(sessions.Usage, "http_in_the_clear", "give --tls-cert and --tls-key; --insecure lets everybody between here and there read along",
		"HTTP on %s would be reached from other machines, unencrypted", address)
}

// certificate is the one for TLS; nil where none is set.
func (s *Server) certificate() (*tls.Certificate, error) {
	if s.TLSCert == "" && s.TLSKey == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
	if err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_certificate", "give a certificate and its key as PEM files, with --tls-cert and --tls-key", "%v", err)
	}
	return &certificate, nil
}

// names are those by which this server may be called, beside addresses.
func (s *Server) names(certificate *tls.Certificate) []string {
	names := append([]string{}, s.HTTPNames...)
	if host, _, err := net.SplitHostPort(s.HTTP); err == nil && host != "" {
		names = append(names, host)
	}
	if certificate != nil && certificate.Leaf != nil {
		names = append(names, certificate.Leaf.DNSNames...)
	}
	return names
}

// ready says whether the store answers.
func (s *Server) ready(ctx context.Context) error {
	_, err := s.store.Head(ctx)
	return err
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

// url is where it is reached from this machine.
func (w *web) url() string {
	scheme, address := "http://", w.listener.Addr().String()
	if w.secure {
		scheme = "https://"
	}
	if host, port, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return scheme + address
}

// WebLink lets one browser in, once, until it expires.
type WebLink struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
}

// link makes a link for a person at this machine.
func (s *Server) link(context.Context, string, engine.None) (any, error) {
	if s.web == nil {
		return nil, sessions.Refuse(sessions.NotFound, "no_http", "ask a server that was started with HTTP", "this server has no HTTP")
	}
	path, until := s.web.rest.Link()
	return WebLink{s.web.url() + path, until.UTC()}, nil
}

func (w *web) close() error {
	w.stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := w.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return w.server.Close() // whoever still takes an answer has had a second
}
