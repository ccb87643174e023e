package http_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	std "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/http"
	"github.com/batonflow/baton/workers/workerstest"
)

const session = "0190f3a1-7b2c-7def-8123-456789abcdef"

// serve starts a service on loopback for one test.
func serve(t *testing.T, handle std.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

// task makes a task of settings.
func task(t *testing.T, settings map[string]any) workers.Task {
	t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	return workers.Task{
		Session: session, Call: "r1/step", Attempt: 3, EffectKey: "00112233445566778899aabbccddeeff", Execute: raw,
		Env: map[string]string{"TOKEN": "s3cret-token"},
	}
}

func get(t *testing.T, url string) workers.Outcome {
	t.Helper()
	return http.Executor{}.Execute(t.Context(), task(t, map[string]any{"method": "GET", "url": url}), nil)
}

func TestRequestSaysWhichAttemptItIs(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w std.ResponseWriter, r *std.Request) {
		body, _ := io.ReadAll(r.Body)
		seen := map[string]any{"method": r.Method, "path": r.URL.String(), "host": r.Host, "body": string(body)}
		for _, name := range []string{
			"Content-Type", "Authorization", "X-Literal", "Idempotency-Key", "Baton-Effect-Key", "Baton-Attempt", "Traceparent", "User-Agent",
		} {
			seen[name] = r.Header.Get(name)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(seen)
	})
	got := http.Executor{}.Execute(t.Context(), task(t, map[string]any{
		"method": "PUT", "url": url + "/v1?q=a", "body": map[string]any{"n": json.Number("12345678901234567890")},
		"headers": map[string]string{
			"Authorization": "Bearer ${env:TOKEN}", "X-Literal": "$${env:TOKEN}", "Baton-Attempt": "99", "Host": "example.org",
		},
	}), nil)
	if got.Failure != nil {
		t.Fatal(got.Failure)
	}
	var seen map[string]string
	if err := json.Unmarshal(got.Value, &seen); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"method": "PUT", "path": "/v1?q=a", "host": "example.org", "body": `{"n":12345678901234567890}`,
		"Content-Type": "application/json", "Authorization": "Bearer s3cret-token", "X-Literal": "${env:TOKEN}",
		"Idempotency-Key": "00112233445566778899aabbccddeeff", "Baton-Effect-Key": "00112233445566778899aabbccddeeff",
		"Baton-Attempt": "3", "Traceparent": "00-0190f3a17b2c7def8123456789abcdef-0011223344556677-01", "User-Agent": "baton",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w std.ResponseWriter, r *std.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, r.Header.Get("Content-Type")+" ")
		_, _ = io.Copy(w, r.Body)
	})
	for name, test := range map[string]struct {
		body any
		kind string
		want string
	}{
		"json":             {map[string]any{"a": 1}, "", `application/json {"a":1}`},
		"a text is json":   {"x", "", `application/json "x"`},
		"null is json":     {nil, "", `application/json null`},
		"named json":       {[]int{1}, "application/ld+json", `application/ld+json [1]`},
		"a text of a kind": {"a=1&b=2", "application/x-www-form-urlencoded", `application/x-www-form-urlencoded a=1&b=2`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := map[string]any{"method": "POST", "url": url, "body": test.body}
			if test.kind != "" {
				settings["headers"] = map[string]string{"content-type": test.kind}
			}
			want, _ := json.Marshal(test.want)
			got := http.Executor{}.Execute(t.Context(), task(t, settings), nil)
			var a, b string
			_, _ = json.Unmarshal(want, &a), json.Unmarshal(got.Value, &b)
			if got.Failure != nil || a != b {
				t.Errorf("got %s, %+v; want %s", got.Value, got.Failure, want)
			}
		})
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ kind, body, want string }{
		"json":              {"application/json; charset=utf-8", " {\"a\": 12345678901234567890}\n", `{"a":12345678901234567890}`},
		"json with a mark":  {"application/json", "\ufeff[1]", `[1]`},
		"problem":           {"application/vnd.api+json", `"x"`, `"x"`},
		"text":              {"text/plain", "12\n", `"12\n"`},
		"markup":            {"text/html", "<p>a & b</p>", `"<p>a & b</p>"`},
		"undeclared json":   {"application/octet-stream", "[1, 2]", `[1,2]`},
		"undeclared text":   {"application/octet-stream", "one\n", `"one"`},
		"empty":             {"application/json", "", `null`},
		"nothing but blank": {"text/plain", " \n", `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, func(w std.ResponseWriter, _ *std.Request) {
				w.Header().Set("Content-Type", test.kind)
				_, _ = io.WriteString(w, test.body)
			})
			if diff := cmp.Diff(workers.Outcome{Value: json.RawMessage(test.want)}, get(t, url)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswersThatAreNoValue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ kind, body, code string }{
		"not json": {"application/json", "{", "http_not_json"},
		"not text": {"image/png", "\x89PNG\xff", "http_not_text"},
		"large":    {"text/plain", strings.Repeat("x", 1<<10+1), "result_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, chunked := range []bool{false, true} {
				url := serve(t, func(w std.ResponseWriter, r *std.Request) {
					w.Header().Set("Content-Type", test.kind)
					if chunked {
						w.(std.Flusher).Flush()
					}
					_, _ = io.WriteString(w, test.body)
				})
				in := task(t, map[string]any{"method": "GET", "url": url})
				in.MaxOutput = 1 << 10
				got := http.Executor{}.Execute(t.Context(), in, nil)
				workerstest.WantFailure(t, got.Failure, workers.Terminal, test.code)
			}
		})
	}
}

func TestWhatJustFits(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w std.ResponseWriter, _ *std.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 1<<10)) })
	in := task(t, map[string]any{"method": "GET", "url": url})
	in.MaxOutput = 1 << 10
	if got := (http.Executor{}).Execute(t.Context(), in, nil); got.Failure != nil || len(got.Value) != 1<<10+2 {
		t.Errorf("got %d bytes, %+v", len(got.Value), got.Failure)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for status, class := range map[int]string{
		304: workers.Terminal, 400: workers.Terminal, 401: workers.Terminal, 404: workers.Terminal, 409: workers.Terminal, 422: workers.Terminal,
		408: workers.Retryable, 425: workers.Retryable, 429: workers.Retryable, 500: workers.Retryable, 503: workers.Retryable,
	} {
		t.Run(std.StatusText(status), func(t *testing.T) {
			t.Parallel()
			url := serve(t, func(w std.ResponseWriter, _ *std.Request) {
				w.Header().Set("Retry-After", "17")
				w.WriteHeader(status)
				if status != 304 {
					_, _ = io.WriteString(w, "why")
				}
			})
			f := get(t, url).Failure
			workerstest.WantFailure(t, f, class, "http_status")
			if f != nil && (!strings.Contains(f.Message, "for 17 s") || status != 304 && f.Tail != "why") {
				t.Errorf("got %+v; want the wait and the body's beginning", *f)
			}
		})
	}
}

func TestSecretsAreMaskedInFailures(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w std.ResponseWriter, r *std.Request) {
		w.WriteHeader(std.StatusBadRequest)
		// The secret lies across the edge of what is kept.
		_, _ = io.WriteString(w, strings.Repeat("x", 4<<10-3)+r.Header.Get("Authorization"))
	})
	in := task(t, map[string]any{"method": "GET", "url": url, "headers": map[string]string{"Authorization": "${env:TOKEN}${file:k}"}})
	lookup := func(kind, name string) (string, error) { return "other-" + kind + name, nil }
	f := http.Executor{Lookup: lookup}.Execute(t.Context(), in, nil).Failure
	workerstest.WantFailure(t, f, workers.Terminal, "http_status")
	if f != nil && (strings.Contains(f.Tail, "s3") || !strings.HasSuffix(f.Tail, "x•")) {
		t.Errorf("the tail ends in %q", f.Tail[len(f.Tail)-20:])
	}
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]any{
		"no url":           {"method": "GET"},
		"no web service":   {"url": "ftp://example.org"},
		"no host":          {"url": "https:///x"},
		"a user":           {"url": "https://me:pw@example.org"},
		"no method":        {"url": "https://example.org", "method": "G E T"},
		"no time":          {"url": "https://example.org", "timeout": "soon"},
		"unknown":          {"url": "https://example.org", "verb": "GET"},
		"line break":       {"url": "https://example.org", "headers": map[string]string{"X": "a\r\nY: b"}},
		"object as a form": {"url": "https://example.org", "headers": map[string]string{"Content-Type": "text/csv"}, "body": []int{1}},
		"null as a text":   {"url": "https://example.org", "headers": map[string]string{"Content-Type": "text/csv"}, "body": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := http.Executor{}.Execute(t.Context(), task(t, settings), nil)
			workerstest.WantFailure(t, got.Failure, workers.Terminal, "http_settings")
		})
	}
	got := http.Executor{}.Execute(t.Context(), task(t, map[string]any{
		"url": "https://example.org", "headers": map[string]string{"X": "${env:GONE}"},
	}), nil)
	workerstest.WantFailure(t, got.Failure, workers.Terminal, "secret_missing")
}

func TestEndedFromOutside(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cause       error
		class, code string
	}{
		"cancelled": {workers.ErrCancelled, workers.Cancelled, "http_cancelled"},
		"stale":     {workers.ErrStale, workers.Stale, "http_stale"},
		"stopping":  {workers.ErrStopping, workers.Lost, "http_stopping"},
		"deadline":  {workers.ErrDeadline, workers.Timeout, "http_timeout"},
	} {
		for _, started := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx, end := context.WithCancelCause(t.Context())
				gone := make(chan struct{})
				url := serve(t, func(w std.ResponseWriter, r *std.Request) {
					if started {
						_, _ = io.WriteString(w, "a beginning")
						w.(std.Flusher).Flush()
					}
					end(test.cause)
					<-r.Context().Done() // the connection is closed
					close(gone)
				})
				got := http.Executor{}.Execute(ctx, task(t, map[string]any{"url": url}), nil)
				workerstest.WantFailure(t, got.Failure, test.class, test.code)
				<-gone
			})
		}
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	url := serve(t, func(_ std.ResponseWriter, r *std.Request) { <-r.Context().Done() })
	own := task(t, map[string]any{"url": url, "timeout": "20ms"})
	theirs := task(t, map[string]any{"url": url, "timeout": "1h"})
	theirs.Timeout = 20 * time.Millisecond
	for _, in := range []workers.Task{own, theirs} {
		workerstest.WantFailure(t, http.Executor{}.Execute(t.Context(), in, nil).Failure, workers.Timeout, "http_timeout")
	}
}

func TestConnectionsThatFail(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	workerstest.WantFailure(t, get(t, closed.URL).Failure, workers.Retryable, "http_unreachable")

	broken := serve(t, func(std.ResponseWriter, *std.Request) { panic(std.ErrAbortHandler) })
	workerstest.WantFailure(t, get(t, broken).Failure, workers.Retryable, "http_interrupted")

	half := serve(t, func(w std.ResponseWriter, _ *std.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
	})
	workerstest.WantFailure(t, get(t, half).Failure, workers.Retryable, "http_interrupted")

	foreign := httptest.NewUnstartedServer(nil)
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS()
	t.Cleanup(foreign.Close)
	workerstest.WantFailure(t, get(t, foreign.URL).Failure, workers.Terminal, "http_tls")
}

func TestLookupIsAskedLast(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w std.ResponseWriter, r *std.Request) { _, _ = io.WriteString(w, r.Header.Get("X")) })
	in := task(t, map[string]any{"url": url, "headers": map[string]string{"X": "${env:TOKEN} ${env:OTHER}"}})
	e := http.Executor{Lookup: func(_, name string) (string, error) {
		if name == "TOKEN" {
			return "", errors.New("the task has it")
		}
		return "of the worker", nil
	}}
	if got := e.Execute(t.Context(), in, nil); string(got.Value) != `"s3cret-token of the worker"` {
		t.Errorf("got %s, %+v", got.Value, got.Failure)
	}
}
