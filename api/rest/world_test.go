package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/api/rest"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers/shim"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == shim.Arg {
		os.Exit(shim.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// world is a real server with its HTTP, and a client that shows the token.
type world struct {
	*testing.T
	url, token string
	home       host.Home
	link       *host.Link
	log        *lines
	client     *http.Client
}

// lines collects what the server logs.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T, with ...func(*host.Options)) *world {
	t.Helper()
	w := &world{T: t, home: host.Home{Dir: t.TempDir()}, log: &lines{}}
	durability, err := stream.ParseDurability("interval=1s") // no test here is about the disk
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan host.Endpoint, 1), make(chan error, 1)
	go func() {
		o := host.Options{
			Home: w.home, HTTP: "127.0.0.1:0", Durability: durability, Queues: []string{"default"}, Workers: 4, Lease: 10 * time.Second, Grace: time.Second,
			Version: "1.0.0", Env: map[string]string{"PATH": os.Getenv("PATH"), "HOME": w.home.Dir}, Log: w.log,
		}
		for _, set := range with {
			set(&o)
		}
		done <- host.Serve(ctx, o, func(e host.Endpoint) { ready <- e })
	}()
	select {
	case e := <-ready:
		w.url = e.HTTP
	case err := <-done:
		t.Fatalf("serve: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if w.token, err = w.home.HTTPToken(); err != nil {
		t.Fatal(err)
	}
	if w.link, err = host.Connect(t.Context(), host.Dial{Home: w.home, Version: "1.0.0", NoStart: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.link.Close() })
	w.client = &http.Client{Transport: &http.Transport{}}
	t.Cleanup(w.client.CloseIdleConnections)
	return w
}

func bounds(b rest.Bounds) func(*host.Options) { return func(o *host.Options) { o.Bounds = b } }

// request makes a request; headers stand in pairs, one with the name Host sets the host.
func (w *world) request(method, path string, body io.Reader, headers ...string) *http.Request {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.url+path, body)
	if err != nil {
		w.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// do gives status and body.
func (w *world) do(r *http.Request) (int, string, http.Header) {
	w.Helper()
	answer, err := w.client.Do(r)
	if err != nil {
		w.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		w.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	return answer.StatusCode, string(raw), answer.Header
}

func (w *world) bearer() []string { return []string{"Authorization", "Bearer " + w.token} }

// call sends JSON with the token and wants the answer.
func (w *world) call(method, path, body string, headers ...string) string {
	w.Helper()
	var from io.Reader
	if body != "" {
		from = strings.NewReader(body)
		headers = append(headers, "Content-Type", "application/json")
	}
	status, text, _ := w.do(w.request(method, path, from, append(headers, w.bearer()...)...))
	if status != http.StatusOK {
		w.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// browser follows the one-time link and keeps its cookie.
func (w *world) browser() *http.Client {
	w.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	answer, err := client.Get(w.oneTime())
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		w.Fatalf("the link gives %d", answer.StatusCode)
	}
	w.Cleanup(client.CloseIdleConnections)
	return client
}

func (w *world) oneTime() string {
	w.Helper()
	made, err := engine.As[host.WebLink](w.link.Query(w.Context(), "web.link", "", engine.None{}))
	if err != nil {
		w.Fatal(err)
	}
	return made.URL
}

// session begins one and gives its id.
func (w *world) session() string {
	w.Helper()
	var got struct{ Session string }
	if err := json.Unmarshal([]byte(w.call("POST", "/v1/sessions", `{"goal":"g","workspace":"/tmp"}`)), &got); err != nil {
		w.Fatal(err)
	}
	return got.Session
}

// codeOf is the code of a problem.
func codeOf(body string) string {
	var p rest.Problem
	_ = json.Unmarshal([]byte(body), &p) // what is no problem has none
	return p.Code
}

// sample is a path of an operation, with something in each place.
func sample(o operation.Operation) string {
	path := o.Path()
	for _, name := range []string{"session", "run", "call", "key", "step", "name"} {
		path = strings.ReplaceAll(path, "{"+name+"}", "x")
	}
	return path
}
