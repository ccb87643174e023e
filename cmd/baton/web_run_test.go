package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/workflows"
)

// webSite is a site with a page of each kind, and counts what it is asked.
type webSite struct {
	mu    sync.Mutex
	asked []string
	first map[string]time.Time
	again map[string]time.Duration // from the first to the second request
	other string
}

func (s *webSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	n := 0
	for _, path := range s.asked {
		if path == r.URL.Path {
			n++
		}
	}
	if n == 1 {
		s.first[r.URL.Path] = time.Now()
	} else {
		s.again[r.URL.Path] = time.Since(s.first[r.URL.Path])
	}
	s.mu.Unlock()
	s.answer(w, r, n)
}

func (s *webSite) answer(w http.ResponseWriter, r *http.Request, n int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/page", "/two", "/three":
		fmt.Fprint(w, "<html><title>Bells</title><p>They ring.</p></html>")
	case "/shell":
		fmt.Fprint(w, `<html><div id="root"></div><script src="x.js"></script></html>`)
	case "/foreign":
		http.Redirect(w, r, s.other+"/page", http.StatusFound)
	case "/busy", "/gone":
		if n == 1 || r.URL.Path == "/gone" {
			w.Header().Set("Retry-After", map[string]string{"/busy": "1", "/gone": "900"}[r.URL.Path])
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, "<p>here</p>")
	case "/broken":
		w.WriteHeader(http.StatusBadGateway)
	case "/captcha":
		fmt.Fprint(w, `<html><div class="g-recaptcha"></div></html>`)
	case "/login":
		if n == 1 {
			fmt.Fprint(w, `<html><form><input type="password"></form></html>`)
			return
		}
		fmt.Fprint(w, "<p>welcome</p>")
	case "/paywall":
		fmt.Fprint(w, `<html><p>It began.</p><div class="paywall">Subscribe to continue reading</div></html>`)
	case "/endless":
		line := []byte(strings.Repeat("no end ", 4000))
		for r.Context().Err() == nil {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}
}

func (s *webSite) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked) - len(slices.DeleteFunc(slices.Clone(s.asked), func(p string) bool { return p == path }))
}

// newSite gives a site, and another server that nobody typed.
func newSite(t *testing.T) (*webSite, string) {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other server is asked") }))
	t.Cleanup(other.Close)
	site := &webSite{first: map[string]time.Time{}, again: map[string]time.Duration{}, other: other.URL}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	return site, server.URL
}

// TestWebOverHTTP: each kind of page ends as the table says, with the built-in retrieve and a browser
// that is a program.
func TestWebOverHTTP(t *testing.T) {
	site, url := newSite(t)
	c := newShell(t)
	c.write("browser.sh", "echo \"$1\" >> opened\necho '{\"text\":\"seen by a browser\",\"date\":\"2026-01-02\"}'\n")
	c.write("web.yaml", "timeout: 5s\ntools:\n- {name: browser, capability: interact, scope: session, exec: [sh, ./browser.sh, \"{target}\"]}\n")
	for _, tt := range []struct {
		path, more, status, reason string
		code, asked                int
		tool                       string
	}{
		{"/page", "", "completed", "", 0, 1, "web_fetch"},
		{"/shell", "", "completed", "", 0, 1, "browser"},
		{"/foreign", "", "failed", "invalid_url", 1, 1, ""},
		{"/busy", "", "completed", "", 0, 2, "web_fetch"},
		{"/gone", "--forbid browser", "blocked", "no_capability", 1, 1, ""},
		{"/broken", "--forbid browser", "blocked", "no_capability", 1, 2, ""},
		{"/captcha", "", "needs_user", "captcha", 5, 1, ""},
		{"/paywall", "", "blocked", "paywall", 1, 1, ""},
		{"/endless", "", "partial", "", 0, 1, "web_fetch"},
		{"/missing", "", "completed", "", 0, 1, "browser"},
	} {
		args := append([]string{"web", "run", "read " + url + tt.path, "--tools", "web.yaml"}, strings.Fields(tt.more)...)
		var v workflows.ErrandView
		c.answer(&v, tt.code, args...)
		if v.Final == nil || string(v.Final.Status) != tt.status || v.Final.Reason != tt.reason || site.count(tt.path) != tt.asked {
			t.Errorf("%s: asked %d times, ended %+v", tt.path, site.count(tt.path), v.Final)
		}
		if tt.tool != "" && (len(v.Pages) != 1 || v.Pages[0].Tool != tt.tool) {
			t.Errorf("%s: %d pages, %+v", tt.path, len(v.Pages), v.Calls)
		}
	}
	if waited := site.again["/busy"]; waited < time.Second {
		t.Errorf("tried again after %s, Retry-After said a second", waited)
	}
	var verified struct{ Equal bool }
	if c.answer(&verified, 0, "replay", "--session", "@last", "--verify"); !verified.Equal {
		t.Error("decided again it differs")
	}
}

// TestWebAsksPeople: a login is handed over and gone on with; an action is confirmed when it is about to
// be done, by an approval of the engine, and a no ends the task.
func TestWebAsksPeople(t *testing.T) {
	site, url := newSite(t)
	c := newShell(t)
	c.write("post.sh", "echo \"$1\" >> posted\necho '{\"text\":\"posted\"}'\n")
	c.write("web.yaml", "tools:\n- {name: browser, capability: interact, scope: session, exec: [sh, ./post.sh, \"{target}\"]}\n")
	var v workflows.ErrandView
	c.answer(&v, 5, "web", "run", "read it", "--url", url+"/login")
	if v.Final == nil || v.Final.Status != web.NeedsUser || *v.Final.ResumeAt != url+"/login" || v.Waits == nil {
		t.Fatalf("%+v waits %+v", v.Final, v.Waits)
	}
	var why struct{ Reasons []struct{ Reason string } }
	if c.answer(&why, 0, "why", v.Run); len(why.Reasons) != 1 || !strings.Contains(why.Reasons[0].Reason, "login_required") {
		t.Errorf("%+v", why)
	}
	var said map[string]any
	c.answer(&said, 0, "workflow", "approve", v.Run, v.Waits.Step, "--yes")
	if c.answer(&v, 0, "web", "show", v.Run, "--wait"); v.Final.Status != web.Completed || site.count("/login") != 2 {
		t.Errorf("%+v after %d requests", v.Final, site.count("/login"))
	}

	post := []string{"web", "run", "post it", "--url", url + "/page", "--effect", "post", "--need", "actions", "--tools", "web.yaml"}
	c.answer(&v, 5, post...)
	if v.Final.Status != web.NeedsConfirmation || v.Final.Reason != "post" || c.read("posted") != "" {
		t.Fatalf("%+v, posted %q", v.Final, c.read("posted"))
	}
	c.answer(&said, 0, "workflow", "approve", v.Run, v.Waits.Step, "--yes")
	if c.answer(&v, 0, "web", "show", v.Run, "--wait"); v.Final.Status != web.Completed || c.read("posted") != url+"/page\n" {
		t.Errorf("%+v, posted %q", v.Final, c.read("posted"))
	}
	var used []string
	for _, e := range v.Trace {
		if strings.HasPrefix(e.Event, "confirmation") {
			used = append(used, e.Event+" "+e.Action)
		}
	}
	if diff := cmp.Diff([]string{"confirmation_requested post", "confirmation_used post"}, used); diff != "" {
		t.Error(diff)
	}
	c.answer(&v, 5, post...)
	c.answer(&said, 0, "workflow", "approve", v.Run, v.Waits.Step, "--no")
	if c.answer(&v, 5, "web", "show", v.Run, "--wait"); v.Final.Status != web.NeedsConfirmation || v.Waits != nil || c.read("posted") != url+"/page\n" {
		t.Errorf("%+v, waits %+v, posted %q", v.Final, v.Waits, c.read("posted"))
	}
	var verified struct{ Equal bool }
	if c.answer(&verified, 0, "replay", "--session", "@last", "--verify"); !verified.Equal {
		t.Error("decided again it differs")
	}
}
