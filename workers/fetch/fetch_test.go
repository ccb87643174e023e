package fetch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/fetch"
)

const article = `<!doctype html><html><head><title> Bells &amp; whistles </title><meta name="description" content="About bells">
<meta property="article:published_time" content="2026-03-01T00:00:00Z"><script>var x = "<p>no text</p>"</script></head>
<body><h1>Bells</h1><p>They <b>ring</b>. <a href="/more?utm_source=x#top">More</a> <a href="javascript:alert(1)">no</a></p></body></html>`

// site answers by the path.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	page := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /secret\n\nUser-agent: other\nDisallow: /\n")
	})
	for path, h := range map[string]http.HandlerFunc{
		"/article":  page(200, article),
		"/short":    page(200, "<p>hello</p>"),
		"/shell":    page(200, `<html><body><div id="root"></div><script src="/app.js"></script></body></html>`),
		"/noscript": page(200, `<html><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="app">Loading…</div></body></html>`),
		"/blank":    page(200, ""),
		"/captcha":  page(200, `<html><title>One more step</title><form><div class="g-recaptcha" data-sitekey="x"></div></form></html>`),
		"/robot":    page(503, `<html><body>请完成滑动验证</body></html>`),
		"/firewall": page(403, `<html><title>Just a moment...</title><body>Checking your browser</body></html>`),
		"/login":    page(200, `<html><form><input name=u><input type="password"></form></html>`),
		"/paywall":  page(200, `<html><p>The beginning.</p><div class="paywall">Subscribe to continue reading</div></html>`),
		"/about":    page(200, "<h1>On CAPTCHA</h1>"+strings.Repeat("<p>A captcha asks whether you are a robot.</p>", 60)),
		"/secret":   page(200, article),
		"/401":      page(401, "no"), "/402": page(402, "no"), "/403": page(403, "no"), "/404": page(404, "no"), "/451": page(451, "no"), "/500": page(500, "no"),
		"/429":     func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) },
		"/429bare": page(429, "slow down"),
		"/moved":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/article", http.StatusFound) },
		"/circle":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/circle", http.StatusFound) },
		"/file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		},
		"/inward": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		},
		"/hidden": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/secret", http.StatusFound) },
		"/json": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"a":1}`)
		},
		"/gbk": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=gbk")
			w.Write([]byte{0xd6, 0xd0, 0xce, 0xc4})
		},
		"/binary": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			w.Write([]byte{1, 0, 2})
		},
		"/endless": endless,
		"/hangs":   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "short")
		},
	} {
		mux.HandleFunc(path, h)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	line := []byte(strings.Repeat("no end ", 1000) + "\n")
	for r.Context().Err() == nil {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

func host(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// read fetches an address whose host the user typed.
func read(t *testing.T, address string, more map[string]any) (fetch.Page, *events.Failure) {
	t.Helper()
	settings := map[string]any{"url": address, "typed": []string{host(t, address)}}
	for key, v := range more {
		settings[key] = v
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	out := fetch.New("test").Execute(t.Context(), workers.Task{Execute: raw}, nil)
	var p fetch.Page
	if out.Failure == nil {
		if err := json.Unmarshal(out.Value, &p); err != nil {
			t.Fatal(err)
		}
	}
	return p, out.Failure
}

func TestAPageIsRead(t *testing.T) {
	t.Parallel()
	server := site(t)
	p, failure := read(t, server.URL+"/moved", nil)
	if failure != nil {
		t.Fatal(failure)
	}
	want := fetch.Page{
		Result: "ok", URL: server.URL + "/article", Status: 200, ContentType: "text/html", Title: "Bells & whistles", Description: "About bells",
		Date: "2026-03-01T00:00:00Z", Headings: []string{"Bells"}, Bytes: len(article), Links: []fetch.Link{{URL: server.URL + "/more", Text: "More"}},
	}
	if !strings.Contains(p.Text, "They **ring**") || strings.Contains(p.Text, "no text") {
		t.Errorf("text %q", p.Text)
	}
	p.Text = ""
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	if p, failure := read(t, server.URL+"/json", nil); failure != nil || string(p.Data) != `{"a":1}` {
		t.Errorf("%+v, %+v", p, failure)
	}
	if p, failure := read(t, server.URL+"/gbk", nil); failure != nil || p.Text != "中文" {
		t.Errorf("%+v, %+v", p, failure)
	}
	for _, path := range []string{"/short", "/about"} {
		if _, failure := read(t, server.URL+path, nil); failure != nil {
			t.Errorf("%s: %+v", path, failure)
		}
	}
}

func TestWhatIsNoPage(t *testing.T) {
	t.Parallel()
	server := site(t)
	for path, want := range map[string]string{
		"/shell": "empty_shell", "/noscript": "empty_shell", "/blank": "empty_shell", "/captcha": "captcha", "/robot": "captcha",
		"/firewall": "security_block", "/login": "login_required", "/paywall": "paywall", "/secret": "permission_denied",
		"/hidden": "permission_denied", "/401": "login_required", "/402": "paywall", "/403": "permission_denied", "/404": "not_found",
		"/451": "legal_block", "/500": "http_5xx", "/429": "rate_limited", "/429bare": "rate_limited", "/circle": "invalid_url",
		"/file": "invalid_url", "/inward": "invalid_url", "/binary": "parse_failed", "/cut": "connection_reset",
	} {
		_, failure := read(t, server.URL+path, nil)
		if failure == nil || failure.Code != want {
			t.Errorf("%s: %+v, want %s", path, failure, want)
		}
		if path == "/429" && failure.RetryAfter != 7 || path == "/429bare" && failure.RetryAfter != 0 {
			t.Errorf("%s: wait %v", path, failure.RetryAfter)
		}
	}
}

func TestAnEndlessPageIsCut(t *testing.T) {
	t.Parallel()
	p, failure := read(t, site(t).URL+"/endless", map[string]any{"max_bytes": 100_000})
	if failure != nil || !p.Truncated || p.Bytes != 100_000 {
		t.Errorf("%d bytes, truncated %v, %+v", p.Bytes, p.Truncated, failure)
	}
}

func TestAPrivateAddressMustBeTyped(t *testing.T) {
	t.Parallel()
	if _, failure := read(t, site(t).URL+"/article", map[string]any{"typed": []string{"other.example"}}); failure == nil || failure.Code != "invalid_url" {
		t.Errorf("%+v", failure)
	}
}

func TestTimeEndsAFetch(t *testing.T) {
	t.Parallel()
	address := site(t).URL + "/hangs"
	raw := json.RawMessage(fmt.Sprintf(`{"url":%q,"typed":[%q]}`, address, host(t, address)))
	late, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, workers.ErrDeadline)
	defer stop()
	if out := fetch.New("test").Execute(late, workers.Task{Execute: raw}, nil); out.Failure == nil || out.Failure.Code != "timeout" || out.Failure.Class != workers.Timeout {
		t.Errorf("late: %+v", out.Failure)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(workers.ErrCancelled)
	out := fetch.New("test").Execute(ctx, workers.Task{Execute: raw}, nil)
	if out.Failure == nil || out.Failure.Code != "cancelled" {
		t.Errorf("cancelled: %+v", out.Failure)
	}
}

// TestOfficialMeansEveryHop: an official entry leaves its domain nowhere.
func TestOfficialMeansEveryHop(t *testing.T) {
	t.Parallel()
	if _, failure := read(t, site(t).URL+"/article", map[string]any{"official": []string{"example.org"}}); failure == nil || failure.Code != "invalid_url" {
		t.Errorf("%+v", failure)
	}
}

// TestAForeignHostIsNotFollowedInward: the user typed one server, and it leads to another of this machine.
func TestAForeignHostIsNotFollowedInward(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.RedirectHandler(other.URL+"/", http.StatusFound))
	t.Cleanup(first.Close)
	if _, failure := read(t, first.URL+"/", nil); failure == nil || failure.Code != "invalid_url" || asked.Load() != 0 {
		t.Errorf("%+v; the other was asked %d times", failure, asked.Load())
	}
}

func TestRobotsAreAskedOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			asked.Add(1)
			http.NotFound(w, r)
			return
		}
		if agent := r.UserAgent(); !strings.HasPrefix(agent, "baton/test ") {
			t.Errorf("asked as %q", agent)
		}
		fmt.Fprint(w, "hello")
	}))
	t.Cleanup(server.Close)
	e := fetch.New("test")
	raw := json.RawMessage(fmt.Sprintf(`{"url":%q,"typed":[%q]}`, server.URL+"/a", host(t, server.URL)))
	for range 3 {
		if out := e.Execute(t.Context(), workers.Task{Execute: raw}, nil); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, raw := range []string{`{}`, `"x"`, `{"url":"ftp://a.example/"}`, `{"url":"http://127.0.0.1:1/"}`} {
		out := fetch.New("test").Execute(t.Context(), workers.Task{Execute: json.RawMessage(raw)}, nil)
		if out.Failure == nil || out.Failure.Code != "fetch_settings" && out.Failure.Code != "invalid_url" {
			t.Errorf("%s: %+v", raw, out.Failure)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
