//go:build unix

package mcp_test

import (
	"context"
	"io"
	"log"
	std "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/workerstest"
)

func TestAddressesThatFail(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	foreign := httptest.NewUnstartedServer(nil)
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS()
	t.Cleanup(foreign.Close)
	status := func(status int) string {
		return serve(t, std.HandlerFunc(func(w std.ResponseWriter, _ *std.Request) { std.Error(w, "no", status) }))
	}
	for name, test := range map[string]struct{ url, class, code string }{
		"nobody there":  {closed.URL, workers.Retryable, "mcp_unreachable"},
		"not trusted":   {foreign.URL, workers.Terminal, "mcp_unreachable"},
		"not let in":    {status(std.StatusUnauthorized), workers.Terminal, "mcp_http_status"},
		"not found":     {status(std.StatusNotFound), workers.Terminal, "mcp_http_status"},
		"busy":          {status(std.StatusTooManyRequests), workers.Retryable, "mcp_http_status"},
		"broken":        {status(std.StatusInternalServerError), workers.Retryable, "mcp_http_status"},
		"another thing": {serve(t, std.HandlerFunc(page)), workers.Terminal, "mcp_not_mcp"},
		"hangs up":      {serve(t, std.HandlerFunc(hangUp)), workers.Retryable, "mcp_server_ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workerstest.WantFailure(t, at(t, test.url).Execute(t.Context(), named(t, "report"), nil).Failure, test.class, test.code)
		})
	}
}

func page(w std.ResponseWriter, _ *std.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<p>hello")
}

func hangUp(std.ResponseWriter, *std.Request) { panic(std.ErrAbortHandler) }

// during lets a handler answer until a tool is called, and then does something else.
func during(then std.HandlerFunc) std.Handler {
	server := newServer()
	next := sdk.NewStreamableHTTPHandler(func(*std.Request) *sdk.Server { return server }, nil)
	return std.HandlerFunc(func(w std.ResponseWriter, r *std.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), "tools/call") {
			then(w, r)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
}

func TestCallsThatBreakOff(t *testing.T) {
	t.Parallel()
	part := func(kind, text string, end func()) std.HandlerFunc {
		return func(w std.ResponseWriter, _ *std.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
			w.(std.Flusher).Flush()
			end()
		}
	}
	abort := func() { panic(std.ErrAbortHandler) }
	for name, test := range map[string]struct {
		then        std.HandlerFunc
		class, code string
	}{
		"before the answer": {hangUp, workers.Retryable, "mcp_server_ended"},
		"in the answer":     {part("application/json", `{"jsonrpc"`, abort), workers.Retryable, "mcp_server_ended"},
		"in the events":     {part("text/event-stream", ": hello\n\n", abort), workers.Retryable, "mcp_server_ended"},
		"without a result":  {part("text/event-stream", ": hello\n\n", func() {}), workers.Retryable, "mcp_error"},
		"overloaded": {func(w std.ResponseWriter, _ *std.Request) { std.Error(w, "no", std.StatusServiceUnavailable) },
			workers.Retryable, "mcp_http_status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := at(t, serve(t, during(test.then))).Execute(t.Context(), named(t, "report"), nil)
			workerstest.WantFailure(t, got.Failure, test.class, test.code)
		})
	}
}

func TestRemoteCallIsEndedFromOutside(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancelCause(t.Context())
	gone := make(chan struct{})
	url := serve(t, during(func(_ std.ResponseWriter, r *std.Request) {
		end(workers.ErrStale)
		<-r.Context().Done() // the connection is closed
		close(gone)
	}))
	workerstest.WantFailure(t, at(t, url).Execute(ctx, named(t, "report"), nil).Failure, workers.Stale, "mcp_stale")
	<-gone
}

// TestHeadersStayAtTheirOrigin: a server that leads elsewhere takes no secret there.
func TestHeadersStayAtTheirOrigin(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	other := serve(t, std.HandlerFunc(func(w std.ResponseWriter, r *std.Request) {
		select {
		case seen <- r.Header.Get("Authorization"):
		default:
		}
		w.WriteHeader(std.StatusNotFound)
	}))
	url := serve(t, std.RedirectHandler(other, std.StatusTemporaryRedirect))
	workerstest.WantFailure(t, at(t, url).Execute(t.Context(), named(t, "report"), nil).Failure, workers.Terminal, "mcp_http_status")
	if got := <-seen; got != "" {
		t.Errorf("%q went to another host", got)
	}
}
