package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	std "net/http"
	"net/url"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/http"
)

// remote is a server reached by its address. It is the round trip of its own requests too.
type remote struct {
	name    string
	url     string
	origin  *url.URL
	headers map[string]string // go to the origin only
	meter   *meter
	client  *std.Client
	next    std.RoundTripper
	life    context.Context // requests end with it, the session's own too
	stop    context.CancelFunc

	mu     sync.Mutex
	status int   // of the last answer
	err    error // why there was none, or not all of it
}

var _ peer = (*remote)(nil)

// dial makes ready to talk to a server; address was checked when the configuration was read.
func dial(ctx context.Context, name, address string, headers map[string]string, m *meter) *remote {
	r := &remote{name: name, url: address, headers: headers, meter: m, client: http.NewClient()}
	r.origin, _ = url.Parse(address)
	r.life, r.stop = context.WithCancel(ctx)
	r.next, r.client.Transport = r.client.Transport, r
	return r
}

// transport tries nothing twice by itself: whether a tool is called again is the engine's to decide.
func (r *remote) transport() sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: r.url, HTTPClient: r.client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: -1,
	}
}

// RoundTrip sends one request, with the configured headers if it goes where they belong.
func (r *remote) RoundTrip(req *std.Request) (*std.Response, error) {
	ctx, end := context.WithCancel(req.Context())
	context.AfterFunc(r.life, end)
	req = req.Clone(ctx)
	if req.URL.Scheme == r.origin.Scheme && req.URL.Host == r.origin.Host {
		for name, value := range r.headers {
			req.Header.Set(name, value)
		}
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		end()
		r.note(0, err)
		return nil, err
	}
	r.note(resp.StatusCode, nil)
	resp.Body = &answer{from: r.meter.read(resp.Body), body: resp.Body, of: r, status: resp.StatusCode, end: end}
	return resp, nil
}

func (r *remote) note(status int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.err = status, err
}

// answer is the body of an answer. It notices when it breaks, and ends its request when it is closed.
type answer struct {
	from   io.Reader
	body   io.Closer
	of     *remote
	status int
	end    context.CancelFunc
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.of.note(a.status, err)
	}
	return n, err
}

func (a *answer) Close() error {
	defer a.end()
	return a.body.Close()
}

func (r *remote) close() {
	r.stop()
	r.client.CloseIdleConnections()
}

// ended judges the last answer: the client's own error does not tell a status from a broken connection.
func (r *remote) ended() *events.Failure {
	r.mu.Lock()
	status, err := r.status, r.err
	r.mu.Unlock()
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return failed(workers.Terminal, "mcp_unreachable", fmt.Sprintf("server %s was not reached: %v", r.name, err))
	case err != nil && errors.As(err, &dial) && dial.Op == "dial":
		return failed(workers.Retryable, "mcp_unreachable", fmt.Sprintf("server %s was not reached: %v", r.name, err))
	case err != nil:
		return failed(workers.Retryable, "mcp_server_ended", fmt.Sprintf(
			"server %s: the connection broke before the whole answer was in, and the tool may have done its work: %v", r.name, err))
	case status >= 300:
		f := failed(http.ClassOfStatus(status), "mcp_http_status", fmt.Sprintf("server %s answered %d %s", r.name, status, std.StatusText(status)))
		if status == std.StatusUnauthorized || status == std.StatusForbidden {
			f.Message += ": give it a header Authorization in the file of servers"
		}
		return f
	}
	return nil
}
