package rest_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/batonflow/baton/api/operation"
)

// TestNobodyComesInWithoutTheToken asks for everything there is, with nothing and with what is near it.
func TestNobodyComesInWithoutTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("baton:"+w.token))
	for _, headers := range [][]string{
		nil, {"Authorization", "Bearer "}, {"Authorization", "Bearer " + w.token[:len(w.token)-1]}, {"Authorization", "Bearer " + w.token + "0"},
		{"Authorization", w.token}, {"Authorization", basic}, {"X-Token", w.token}, {"Cookie", "baton=" + w.token},
	} {
		for _, o := range operation.Table() {
			if o.Route == "" {
				continue
			}
			status, body, h := w.do(w.request(o.Method(), sample(o), nil, headers...))
			if status != http.StatusUnauthorized || codeOf(body) != "token_missing" || h.Get("WWW-Authenticate") == "" {
				t.Fatalf("%s with %v: %d %s", o.Route, headers, status, body)
			}
		}
	}
	for _, path := range []string{"/", "/v1/openapi.json", "/metrics", "/mcp", "/nothing", "/v1/sessions?token=" + w.token, "/v1/sessions?access_token=" + w.token} {
		if status, body, _ := w.do(w.request("GET", path, nil)); status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, body, _ := w.do(w.request("GET", path, nil)); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	w.call("GET", "/v1/sessions", "")
}

// TestARequestThatWasLedHere: another origin's page, or a name bound to this address, reaches nothing,
// even with the token.
func TestARequestThatWasLedHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := strings.TrimPrefix(w.url, "http://")
	port := at[strings.LastIndex(at, ":"):]
	for _, tc := range []struct {
		headers []string
		status  int
		code    string
	}{
		{[]string{"Host", "evil.example"}, 421, "host_refused"},
		{[]string{"Host", "evil.example" + port}, 421, "host_refused"},
		{[]string{"Host", "127.0.0.1.evil.example" + port}, 421, "host_refused"},
		{[]string{"Host", "localhost.evil.example"}, 421, "host_refused"},
		{[]string{"Host", "192.0.2.1" + port}, 421, "host_refused"},
		{[]string{"Host", "[2001:db8::1]" + port}, 421, "host_refused"},
		{[]string{"Host", "evil.example", "X-Forwarded-Host", at}, 421, "host_refused"},
		{[]string{"Host", "localhost" + port}, 200, ""},
		{[]string{"Host", "LOCALHOST" + port}, 200, ""},
		{[]string{"Host", "[::1]" + port}, 200, ""},
		{[]string{"Origin", "http://evil.example"}, 403, "origin_refused"},
		{[]string{"Origin", "null"}, 403, "origin_refused"},
		{[]string{"Origin", "http://" + at + ".evil.example"}, 403, "origin_refused"},
		{[]string{"Origin", "https://" + at}, 403, "origin_refused"},
		{[]string{"Origin", "http://127.0.0.1:1"}, 403, "origin_refused"},
		{[]string{"Origin", "http://localhost" + port}, 403, "origin_refused"}, // it was asked as 127.0.0.1
		{[]string{"Origin", "http://" + at}, 200, ""},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403, "origin_refused"},
		{[]string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}, 403, "origin_refused"},
		{[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403, "origin_refused"},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200, ""},
	} {
		for _, method := range []string{"GET", "POST"} {
			r := w.request(method, "/v1/sessions", strings.NewReader(`{"goal":"g"}`), append(append([]string{"Content-Type", "application/json"}, w.bearer()...), tc.headers...)...)
			if method == "GET" {
				r = w.request(method, "/v1/sessions", nil, append(w.bearer(), tc.headers...)...)
			}
			status, body, h := w.do(r)
			if status != tc.status || codeOf(body) != tc.code {
				t.Errorf("%s with %v: %d %s, want %d %s", method, tc.headers, status, body, tc.status, tc.code)
			}
			if h.Get("Access-Control-Allow-Origin") != "" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s with %v: headers %v", method, tc.headers, h)
			}
		}
	}
	if list := w.call("GET", "/v1/sessions", ""); strings.Count(list, `"session":`) != 5 {
		t.Errorf("there are other sessions than those that were let in: %s", list)
	}
}

// TestForgedRequests: a page that makes a browser send its cookie changes nothing.
func TestForgedRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	browser := w.browser()
	post := func(kind string, headers ...string) (int, string) {
		r := w.request("POST", "/v1/sessions", strings.NewReader(`{"goal":"forged"}`), append([]string{"Content-Type", kind}, headers...)...)
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode, codeOf(read(t, answer.Body))
	}
	for _, tc := range []struct {
		kind    string
		headers []string
		status  int
		code    string
	}{
		{"application/json", nil, 403, "origin_missing"},
		{"application/json", []string{"Origin", "http://evil.example"}, 403, "origin_refused"},
		{"text/plain", []string{"Origin", "null"}, 403, "origin_refused"},
		{"text/plain", []string{"Sec-Fetch-Site", "cross-site"}, 403, "origin_refused"},
		{"text/plain", []string{"Sec-Fetch-Site", "same-site"}, 403, "origin_refused"},
		{"application/x-www-form-urlencoded", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403, "origin_refused"},
		{"text/plain", []string{"Origin", w.url}, 415, "bad_media_type"},
	} {
		if status, code := post(tc.kind, tc.headers...); status != tc.status || code != tc.code {
			t.Errorf("%s %v: %d %s, want %d %s", tc.kind, tc.headers, status, code, tc.status, tc.code)
		}
	}
	if list := w.call("GET", "/v1/sessions", ""); strings.TrimSpace(list) != "[]" {
		t.Fatalf("something was changed: %s", list)
	}
	for _, headers := range [][]string{{"Origin", w.url}, {"Sec-Fetch-Site", "same-origin"}} {
		if status, code := post("application/json", headers...); status != 200 {
			t.Errorf("the page itself with %v: %d %s", headers, status, code)
		}
	}
}

func TestALinkOpensOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link := w.oneTime()
	path := link[len(w.url):]
	if status, body, _ := w.do(w.request("GET", path, nil, "Sec-Purpose", "prefetch")); status != 401 {
		t.Errorf("a prefetch: %d %s", status, body)
	}
	if status, body, _ := w.do(w.request("POST", path, nil)); status != 405 {
		t.Errorf("a post: %d %s", status, body)
	}
	status, body, h := w.do(w.request("GET", path, nil, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
	cookie := h.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/", "Expires="} {
		if !strings.Contains(cookie, part) {
			t.Errorf("cookie %q has no %s", cookie, part)
		}
	}
	if status != 200 || strings.Contains(cookie, w.token) || strings.Contains(body, w.token) || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("the link: %d %s %v", status, body, h)
	}
	if status, body, h := w.do(w.request("GET", path, nil)); status != 401 || codeOf(body) != "link_used" || h.Get("Set-Cookie") != "" {
		t.Errorf("again: %d %s", status, body)
	}
	for _, guess := range []string{"/open", "/open?code=", "/open?code=" + strings.Repeat("A", 26)} {
		if status, body, _ := w.do(w.request("GET", guess, nil)); status != 401 {
			t.Errorf("%s: %d %s", guess, status, body)
		}
	}
	name, value, _ := strings.Cut(strings.SplitN(cookie, ";", 2)[0], "=")
	if status, body, _ := w.do(w.request("GET", "/v1/sessions", nil, "Cookie", name+"="+value)); status != 200 {
		t.Errorf("the cookie: %d %s", status, body)
	}
	later := []byte(value)
	later[3] ^= 1 // within its time
	for _, forged := range []string{string(later), value[:len(value)-2], "AAAA", url.QueryEscape(w.token), ""} {
		if status, body, _ := w.do(w.request("GET", "/v1/sessions", nil, "Cookie", name+"="+forged)); status != 401 {
			t.Errorf("the cookie %q: %d %s", forged, status, body)
		}
	}
}
