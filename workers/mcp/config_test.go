//go:build unix

package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	std "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/mcp"
	"github.com/batonflow/baton/workers/shim/shimtest"
	"github.com/batonflow/baton/workers/workerstest"
)

// knowing makes an executor whose file of servers holds the text.
func knowing(t *testing.T, servers string) mcp.Executor {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	return mcp.Executor{Servers: file, Lookup: func(kind, name string) (string, error) {
		if name == "GONE" {
			return "", errors.New("there is none")
		}
		return "s3cret-" + kind + "-" + name, nil
	}}
}

// named makes a task that calls a tool of the server s.
func named(t *testing.T, tool string) workers.Task {
	t.Helper()
	return task(t, map[string]any{"server": "s", "tool": tool})
}

func TestServerByNameIsStarted(t *testing.T) {
	t.Parallel()
	e := knowing(t, fmt.Sprintf(`{"servers": {"s": {"command": ["./link", %q], "env": {"SECRET": "${env:TOKEN}", "NAMED": "by the file"}}}}`, serverArg))
	if err := os.Symlink(self(t), filepath.Join(filepath.Dir(e.Servers), "link")); err != nil {
		t.Fatal(err)
	}
	got := e.Execute(t.Context(), named(t, "report"), nil)
	var was seen
	if err := json.Unmarshal(got.Value, &was); err != nil {
		t.Fatal(err, got.Failure)
	}
	shimtest.Gone(t, 0, was.PID)
	if was.Env["SECRET"] != "s3cret-env-TOKEN" || was.Env["NAMED"] != "by the file" {
		t.Errorf("got %q, %q", was.Env["SECRET"], was.Env["NAMED"])
	}
	f := e.Execute(t.Context(), named(t, "fail"), nil).Failure
	workerstest.WantFailure(t, f, workers.Retryable, "mcp_tool_error")
	if f != nil && (strings.Contains(f.Message, "s3cret") || !strings.Contains(f.Message, "no luck with •••\ntoday")) {
		t.Errorf("the message is %q", f.Message)
	}
	f = e.Execute(t.Context(), named(t, "exit"), nil).Failure
	workerstest.WantFailure(t, f, workers.Retryable, "mcp_server_ended")
	if f != nil && f.Tail != "cannot go on •••\n" {
		t.Errorf("the tail is %q", f.Tail)
	}
}

func TestServersThatCannotBeFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ servers, code string }{
		"unknown":        {`{"servers": {"other": {"command": ["true"]}}}`, "mcp_unknown_server"},
		"none":           {`{}`, "mcp_unknown_server"},
		"not json":       {`servers:`, "mcp_config"},
		"unknown field":  {`{"mcpServers": {}}`, "mcp_config"},
		"neither":        {`{"servers": {"s": {}}}`, "mcp_config"},
		"both":           {`{"servers": {"s": {"command": ["a"], "url": "https://a"}}}`, "mcp_config"},
		"no address":     {`{"servers": {"s": {"url": "a:80"}}}`, "mcp_config"},
		"a user":         {`{"servers": {"s": {"url": "https://me:pw@a"}}}`, "mcp_config"},
		"env of a url":   {`{"servers": {"s": {"url": "https://a", "env": {"A": "1"}}}}`, "mcp_config"},
		"headers of one": {`{"servers": {"s": {"command": ["a"], "headers": {"A": "1"}}}}`, "mcp_config"},
		"no secret":      {`{"servers": {"s": {"command": ["true"], "env": {"A": "${env:GONE}"}}}}`, "secret_missing"},
		"no such header": {`{"servers": {"s": {"url": "https://a", "headers": {"A": "${file:GONE}"}}}}`, "secret_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workerstest.WantFailure(t, knowing(t, test.servers).Execute(t.Context(), named(t, "t"), nil).Failure, workers.Terminal, test.code)
		})
	}
	absent := mcp.Executor{Servers: filepath.Join(t.TempDir(), "mcp.json")}
	for _, e := range []mcp.Executor{absent, {}} {
		workerstest.WantFailure(t, e.Execute(t.Context(), named(t, "t"), nil).Failure, workers.Terminal, "mcp_unknown_server")
	}
}

// at makes an executor that knows the address as s, with a header.
func at(t *testing.T, url string) mcp.Executor {
	t.Helper()
	return knowing(t, fmt.Sprintf(`{"servers": {"s": {"url": %q, "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}}`, url))
}

func serve(t *testing.T, handler std.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// guarded lets nobody pass without the secret.
func guarded(next std.Handler) std.Handler {
	return std.HandlerFunc(func(w std.ResponseWriter, r *std.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret-env-TOKEN" {
			std.Error(w, "no", std.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func TestServerByAddress(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*sdk.StreamableHTTPOptions{
		"events": nil, "stateless": {Stateless: true}, "json": {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer()
			e := at(t, serve(t, guarded(sdk.NewStreamableHTTPHandler(func(*std.Request) *sdk.Server { return server }, opts))))
			got := e.Execute(t.Context(), named(t, "report"), nil)
			var was seen
			if err := json.Unmarshal(got.Value, &was); err != nil || was.Meta[mcp.MetaAttempt] != 2.0 {
				t.Errorf("got %.200s, %+v", got.Value, got.Failure)
			}
			for tool, want := range map[string]struct{ class, code string }{
				"gone":  {workers.Terminal, "mcp_unknown_tool"},
				"picky": {workers.Terminal, "mcp_arguments"},
				"fail":  {workers.Retryable, "mcp_tool_error"},
			} {
				workerstest.WantFailure(t, e.Execute(t.Context(), named(t, tool), nil).Failure, want.class, want.code)
			}
			in := named(t, "large")
			in.MaxOutput = 1 << 10
			workerstest.WantFailure(t, e.Execute(t.Context(), in, nil).Failure, workers.Terminal, "result_too_large")
			noSessions(t, server)
		})
	}
}

// noSessions fails the test unless the server soon has no session left: it learns of an end a moment
// after the client has gone.
func noSessions(t *testing.T, s *sdk.Server) {
	t.Helper()
	deadline := time.After(soon)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(slices.Collect(s.Sessions())) > 0 {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("a session is still open")
		}
	}
}
