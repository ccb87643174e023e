package http

import (
	"encoding/json"
	"fmt"
	std "net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers"
)

// run sends a GET with three secrets of different kinds.
func run(t *testing.T, url string) workers.Outcome {
	t.Helper()
	raw := fmt.Sprintf(`{"url":%q,"headers":{"Authorization":"Bearer ${env:KEY}","X-Own":"${env:KEY}","X-Plain":"p"}}`, url)
	in := workers.Task{Execute: json.RawMessage(raw), Env: map[string]string{"KEY": "s3cret"}}
	return Executor{}.Execute(t.Context(), in, nil)
}

// show answers with the headers that matter.
func show(w std.ResponseWriter, r *std.Request) {
	_, _ = fmt.Fprintf(w, "%s|%s|%s", r.Header.Get("Authorization"), r.Header.Get("X-Own"), r.Header.Get("X-Plain"))
}

// hops leads to /0 in n steps and then to where it shows.
func hops(t *testing.T, last std.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(std.HandlerFunc(func(w std.ResponseWriter, r *std.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil || n == 0 {
			last(w, r)
			return
		}
		std.Redirect(w, r, fmt.Sprintf("/%d", n-1), std.StatusFound)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestFiveRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	s := hops(t, show)
	if got := run(t, s.URL+"/5"); got.Failure != nil || string(got.Value) != `"Bearer s3cret|s3cret|p"` {
		t.Errorf("got %s, %+v", got.Value, got.Failure)
	}
	f := run(t, s.URL+"/6").Failure
	if f == nil || f.Class != workers.Terminal || f.Code != "http_redirect" {
		t.Errorf("got %+v", f)
	}
}

func TestNoSecretFollowsToAnotherHost(t *testing.T) {
	t.Parallel()
	home := hops(t, show)
	other := hops(t, show)
	back := hops(t, func(w std.ResponseWriter, r *std.Request) { std.Redirect(w, r, home.URL+"/1", std.StatusFound) })
	for name, to := range map[string]string{"another": other.URL, "over another": back.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := httptest.NewServer(std.RedirectHandler(to+"/0", std.StatusTemporaryRedirect))
			t.Cleanup(first.Close)
			if got := run(t, first.URL); got.Failure != nil || string(got.Value) != `"||p"` {
				t.Errorf("got %s, %+v; want nothing but the plain header", got.Value, got.Failure)
			}
		})
	}
}

func TestSecretsStayAwayAfterTheWayBack(t *testing.T) {
	t.Parallel()
	var home, other string
	home = hops(t, func(w std.ResponseWriter, r *std.Request) {
		if r.URL.Path == "/back" {
			show(w, r)
			return
		}
		std.Redirect(w, r, other, std.StatusFound)
	}).URL
	other = hops(t, func(w std.ResponseWriter, r *std.Request) { std.Redirect(w, r, home+"/back", std.StatusFound) }).URL
	if got := run(t, home); got.Failure != nil || string(got.Value) != `"||p"` {
		t.Errorf("got %s, %+v", got.Value, got.Failure)
	}
}

func TestWhereNobodyFollows(t *testing.T) {
	t.Parallel()
	at := func(text string) *url.URL {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, test := range []struct {
		from, to string
		follows  bool
	}{
		{"https://a/", "http://a/", false},
		{"http://a/", "https://a/", true},
		{"http://a/", "http://b/", true},
		{"https://a/", "ftp://a/", false},
		{"http://a/", "file:///etc/passwd", false},
	} {
		err := follow(at(test.to), []*std.Request{{URL: at(test.from)}})
		if (err == nil) != test.follows {
			t.Errorf("from %s to %s: %v", test.from, test.to, err)
		}
	}
	if host(at("https://A.example:443/")) != host(at("https://a.example/x")) || host(at("http://a:443/")) == host(at("http://a/")) {
		t.Error("hosts are told wrongly")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 500_000_000, time.UTC)
	const sent, later = "Fri, 02 Jan 2026 03:00:00 GMT", "Fri, 02 Jan 2026 03:04:15 GMT"
	for _, test := range []struct {
		said, date string
		want       time.Duration
		ok         bool
	}{
		{"", "", 0, false},
		{"soon", "", 0, false},
		{"-1", "", 0, false},
		{"0", "", 0, true},
		{" 120 ", "", 2 * time.Minute, true},
		{"99999999999", "", 1 << 31 * time.Second, true},
		{later, "", 10 * time.Second, true},
		{later, sent, 255 * time.Second, true},
		{sent, later, 0, true},
	} {
		h := std.Header{"Retry-After": {test.said}, "Date": {test.date}}
		if got, ok := retryAfter(h, now); got != test.want || ok != test.ok {
			t.Errorf("%q at %q: got %v, %v; want %v, %v", test.said, test.date, got, ok, test.want, test.ok)
		}
	}
}

func TestTraceIsOfTheSession(t *testing.T) {
	t.Parallel()
	for session, want := range map[string]string{
		"0190f3a1-7b2c-7def-8123-456789abcdef": "00-0190f3a17b2c7def8123456789abcdef-0011223344556677-01",
		"a-session-of-its-own-name":            "",
		"0190F3A1-7B2C-7DEF-8123-456789ABCDEF": "",
	} {
		if diff := cmp.Diff(want, Traceparent(workers.Task{Session: session, EffectKey: "00112233445566778899"})); diff != "" {
			t.Error(session, diff)
		}
	}
	if got := Traceparent(workers.Task{Session: "0190f3a1-7b2c-7def-8123-456789abcdef", EffectKey: "short"}); got != "" {
		t.Error(got)
	}
}

// FuzzValue: whatever a service answers is one JSON document or a failure.
func FuzzValue(f *testing.F) {
	for _, kind := range []string{"application/json", "text/plain", "", "a/b+json;;", "Text/HTML"} {
		for _, body := range []string{"", "{}", "\ufeff1", "\xff", "a\x00b", `{"a":1}{"b":2}`} {
			f.Add(kind, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		v, failure := value(kind, body)
		if failure == nil && !json.Valid(v) {
			t.Errorf("%q of type %q gave %q", body, kind, v)
		}
	})
}

// FuzzParse: settings that are taken name a web service.
func FuzzParse(f *testing.F) {
	for _, raw := range []string{`{"url":"https://a/b"}`, `{"url":"http://[::1]:80","timeout":"1s"}`, `{"url":"//a"}`, `null`, `[]`, `{"url":"https://a@b"}`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := parse(raw)
		if err != nil {
			return
		}
		req, err := std.NewRequest("GET", s.URL, nil)
		if err != nil || !strings.HasPrefix(req.URL.Scheme, "http") || req.URL.Host == "" {
			t.Errorf("%q was taken: %v", raw, err)
		}
		if _, _, err := s.body(s.Headers); err != nil && len(s.Body) == 0 {
			t.Errorf("no body: %v", err)
		}
	})
}

// FuzzRetryAfter: a wait is never negative and never without bound.
func FuzzRetryAfter(f *testing.F) {
	for _, said := range []string{"1", "-1", "Fri, 02 Jan 2026 03:04:15 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"} {
		f.Add(said, "")
	}
	f.Fuzz(func(t *testing.T, said, date string) {
		wait, ok := retryAfter(std.Header{"Retry-After": {said}, "Date": {date}}, time.Unix(0, 0))
		if wait < 0 || wait > 1<<31*time.Second || !ok && wait != 0 {
			t.Errorf("%q, %q: %v", said, date, wait)
		}
	})
}

// FuzzCut: what is kept is short, and of whole characters.
func FuzzCut(f *testing.F) {
	f.Add(strings.Repeat("é", 3000), 1)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, n int) {
		text = strings.ToValidUTF8(strings.Repeat("x", min(max(n, 0), 9))+text, "")
		got := cut(text)
		if len(got) > tailBytes || !strings.HasPrefix(text, got) || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%d bytes were kept of %d", len(got), len(text))
		}
	})
}
