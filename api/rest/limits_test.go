package rest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/batonflow/baton/api/rest"
)

func read(t *testing.T, from io.Reader) string {
	t.Helper()
	raw, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// zeros gives as much as is asked for, and counts it.
type zeros struct{ given atomic.Int64 }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.given.Add(int64(len(p)))
	return len(p), nil
}

// TestABodyOfAGigabyte is refused before it has come, whether its length is said or not.
func TestABodyOfAGigabyte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const gigabyte = 1 << 30
	for _, said := range []bool{true, false} {
		z := &zeros{}
		r := w.request("POST", "/v1/sessions", io.LimitReader(z, gigabyte), append(w.bearer(), "Content-Type", "application/json")...)
		r.ContentLength = -1
		if said {
			r.ContentLength = gigabyte
			r.Header.Set("Expect", "100-continue")
		}
		w.client.Transport = &http.Transport{ExpectContinueTimeout: time.Minute}
		answer, err := w.client.Do(r)
		if err != nil {
			t.Fatalf("length said %v: %v", said, err)
		}
		body := read(t, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusRequestEntityTooLarge || codeOf(body) != "body_too_large" {
			t.Errorf("length said %v: %d %s", said, answer.StatusCode, body)
		}
		if n := z.given.Load(); said && n != 0 || n > 64<<20 {
			t.Errorf("length said %v: %d bytes were taken", said, n)
		}
		w.client.CloseIdleConnections()
	}
	w.call("GET", "/v1/sessions", "")
}

// dial sends text on a connection of its own.
func (w *world) dial(text string) (net.Conn, *bufio.Reader) {
	w.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		w.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// TestASlowBody is cut off; one that came in time may be worked on for longer.
func TestASlowBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bounds(rest.Bounds{Arrive: 300 * time.Millisecond}))
	head := "Host: localhost\r\nAuthorization: Bearer " + w.token + "\r\nContent-Type: application/json\r\n"
	c, in := w.dial("POST /v1/sessions HTTP/1.1\r\n" + head + "Content-Length: 100\r\n\r\n{")
	go func() { // a byte at a time, so that no single read is slow
		for {
			if _, err := io.WriteString(c, " "); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body := read(t, answer.Body); answer.StatusCode != http.StatusRequestTimeout || codeOf(body) != "body_too_slow" {
		t.Errorf("a slow body: %d %s", answer.StatusCode, body)
	}
	started := time.Now()
	status, body, _ := w.do(w.request("POST", "/v1/claims", strings.NewReader(`{"queue":"empty","wait":1}`), append(w.bearer(), "Content-Type", "application/json")...))
	if status != http.StatusNotFound || codeOf(body) != "queue_empty" || time.Since(started) < time.Second {
		t.Errorf("a wait that is longer than a body may take: %d %s after %s", status, body, time.Since(started))
	}
}

// TestTenThousandStreams are not opened: the bound holds, everybody else is served, and places that
// become free are given again.
func TestTenThousandStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const asked, bound = 10_000, 256
	request := "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + w.token + "\r\n\r\n"
	var open []net.Conn
	refused := 0
	for i := range asked {
		c, in := w.dial(request)
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
		switch answer.StatusCode {
		case http.StatusOK:
			open = append(open, c)
		case http.StatusServiceUnavailable:
			refused++
			if body := read(t, answer.Body); codeOf(body) != "server_full" || answer.Header.Get("Retry-After") == "" {
				t.Fatalf("stream %d: %s %v", i, body, answer.Header)
			}
			_ = c.Close()
		default:
			t.Fatalf("stream %d: %d", i, answer.StatusCode)
		}
		if i%1000 == 0 {
			w.call("GET", "/v1/sessions", "")
		}
	}
	if len(open) != bound || refused != asked-bound {
		t.Errorf("%d streams are open and %d were refused", len(open), refused)
	}
	session := w.session()
	for _, c := range open {
		_ = c.Close()
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		_, in := w.dial(request)
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode == http.StatusOK {
			got := bufio.NewScanner(answer.Body)
			for got.Scan() && !strings.Contains(got.Text(), session) {
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no place becomes free")
		}
	}
}

// TestPathTricks asks for what is not there in every way that a path can be written.
func TestPathTricks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session()
	for _, path := range []string{
		"/v1/../../etc/passwd", "/v1/sessions/../../../etc/passwd", "/v1/sessions/..%2f..%2f..%2fetc%2fpasswd", "/v1/sessions/%2e%2e/%2e%2e/etc/passwd",
		"//etc/passwd", "/v1//sessions", "/v1/sessions/", "/v1/sessions/%00", "/v1/sessions/x%00y", "/v1/skills/..%2f..%2fhttp-token", "/v1/skills/%2e%2e",
		"/v1/skills/..%5c..%5chttp-token", "/v1/sessions/a.b.%3e", "/v1/sessions/*", "/v1/runs/..%2f..%2fx", "/v1/sessions/%ff%fe", "/v1/sessions/@last/calls/..%2f..",
		"/v1/sessions/@last/context/..%2f..%2fhttp-token", "/http-token", "/.baton/http-token", "/open/../v1/sessions/x", "/healthz/../v1/sessions/x", "/v1/sessions/x;/y", "/v1/sessions/" + strings.Repeat("a", 9000),
	} {
		_, in := w.dial(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n", path, w.token))
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		body := read(t, answer.Body)
		if answer.StatusCode < 300 || answer.StatusCode >= 500 || strings.Contains(body, w.token) || strings.Contains(body, "root:") {
			t.Errorf("%s: %d %s", path, answer.StatusCode, body)
		}
		if to := answer.Header.Get("Location"); to != "" && !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
			t.Errorf("%s leads away to %s", path, to)
		}
	}
	for _, without := range []string{"/healthz/../v1/sessions", "/open/../v1/sessions", "/healthz%2f..%2fv1/sessions", "/readyz/..;/v1/sessions"} {
		_, in := w.dial("GET " + without + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", without, answer.StatusCode)
		}
	}
}

// TestNoSecretIsTold: neither the log nor an answer has the token, a link's code or a cookie.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link := w.oneTime()
	_, code, _ := strings.Cut(link, "code=")
	_, _, h := w.do(w.request("GET", link[len(w.url):], nil))
	_, cookie, _ := strings.Cut(strings.SplitN(h.Get("Set-Cookie"), ";", 2)[0], "=")
	secrets := map[string]string{"token": w.token, "code": code, "cookie": cookie}
	var told strings.Builder
	for _, headers := range [][]string{nil, w.bearer(), {"Authorization", "Bearer x" + w.token}, {"Host", "evil.example", "Authorization", "Bearer " + w.token}, {"Origin", "http://evil.example", "Authorization", "Bearer " + w.token}} {
		for _, path := range []string{"/v1/sessions?token=" + w.token, "/v1/nothing?code=" + code, "/v1/sessions/x", "/open?code=" + code, "/readyz", "/v1/openapi.json", "/v1/events?cookie=" + cookie} {
			for _, method := range []string{"GET", "POST", "BREW"} {
				_, body, h := w.do(w.request(method, path, nil, headers...))
				fmt.Fprintln(&told, body, h)
			}
		}
	}
	_, in := w.dial("GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token + "\r\nbroken header\r\n\r\n")
	_, _ = in.ReadString(0) // to its end
	fmt.Fprintln(&told, w.log)
	for name, secret := range secrets {
		if secret == "" || strings.Contains(told.String(), secret) {
			t.Errorf("the %s %q is told: %s", name, secret, told.String())
		}
	}
}
