// Package fetch reads a public page as it is served: the built-in retrieve of the web router.
//
// It asks with GET and nothing of its own beside a name: no cookie, no credentials. Every redirect is
// checked before it is followed, a private address is refused unless the user typed it, also when a
// public name leads there, and robots.txt is kept to. What is read is bounded in time and bytes, decoded
// by its charset and, if it is HTML, turned into Markdown. A page that a machine is not meant to get past
// (CAPTCHA, login, paywall, a firewall's block) is a failure of that name and never a success.
//
// What a page says is data: links and texts are given back, none is followed or obeyed. Codes of failure
// are those of package routing/web, and fetch_settings.
package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/workers"
)

// Executor runs calls of the form {"fetch": {"url": "https://…"}}. Make it with [New].
type Executor struct {
	version string
	robots  *robots
}

var _ workers.Executor = Executor{}

// New makes an executor of this version of Baton.
func New(version string) Executor { return Executor{version, newRobots()} }

// settings are a call's own.
type settings struct {
	URL      string   `json:"url"`
	Typed    []string `json:"typed"`    // hosts, with ports, that the user typed: they may be private ones
	Official []string `json:"official"` // domains that every hop must belong to; none: any
	MaxBytes int64    `json:"max_bytes"`
}

const (
	// MaxBytes is how much of a page is read at most.
	MaxBytes = 5 << 20
	mostHops = 5
	// patience bounds a fetch that nobody else bounds.
	patience = 30 * time.Second
)

// Execute fetches the page once.
func (e Executor) Execute(ctx context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	var s settings
	if err := json.Unmarshal(t.Execute, &s); err != nil || s.URL == "" {
		return workers.Failed(workers.Terminal, "fetch_settings", fmt.Sprintf(`fetch needs {"url": "https://…"}, not %.80s`, t.Execute))
	}
	if s.MaxBytes <= 0 || s.MaxBytes > MaxBytes {
		s.MaxBytes = MaxBytes
	}
	ctx, stop := context.WithTimeoutCause(ctx, patience, workers.ErrDeadline)
	defer stop()
	v := visit{settings: s, agent: "baton/" + e.version + " (+https://github.com/batonflow/baton)", robots: e.robots}
	page, err := v.read(ctx)
	if err != nil {
		return workers.Outcome{Failure: failureOf(ctx, err)}
	}
	value, err := events.Marshal(page)
	if err != nil {
		return workers.Failed(workers.Terminal, string(web.Unknown), err.Error())
	}
	return workers.Outcome{Value: value}
}

// visit is one page on its way.
type visit struct {
	settings
	agent  string
	robots *robots
}

// read follows the address to a page, hop by hop, and reads it.
func (v visit) read(ctx context.Context) (*Page, error) {
	for at, hop := v.URL, 0; ; hop++ {
		if hop > mostHops {
			return nil, refusal{code: "invalid_url", message: fmt.Sprintf("%s leads on more than %d times", v.URL, mostHops)}
		}
		next, page, err := v.hop(ctx, at)
		if err != nil || page != nil {
			return page, err
		}
		at = next
	}
}

// hop asks for one address: a page, or where it leads on to.
func (v visit) hop(ctx context.Context, at string) (next string, page *Page, err error) {
	typed, err := v.allowed(at)
	if err != nil {
		return "", nil, err
	}
	client := v.client(typed)
	defer client.CloseIdleConnections()
	if !v.robots.allow(ctx, client, v.agent, at) {
		return "", nil, refusal{code: "permission_denied", message: "robots.txt does not let programs read " + at}
	}
	resp, err := get(ctx, client, v.agent, at)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	if location := resp.Header.Get("Location"); location != "" && resp.StatusCode >= 300 && resp.StatusCode < 400 {
		to, err := resp.Request.URL.Parse(location)
		if err != nil {
			return "", nil, refusal{code: "invalid_url", message: at + " leads to what is no address"}
		}
		return to.String(), nil, nil
	}
	page, err = v.page(resp)
	return "", page, err
}

// allowed says whether an address may be asked for, and whether the user typed its host.
func (v visit) allowed(at string) (typed bool, err error) {
	authority, private, err := web.Place(at)
	if err != nil {
		return false, refusal{code: "invalid_url", message: at + ": " + err.Error()}
	}
	typed = slices.Contains(v.Typed, authority)
	if private && !typed {
		return false, refusal{code: "invalid_url", message: at + ": " + web.ErrURLPrivate.Error()}
	}
	if len(v.Official) > 0 {
		if _, err := web.Official(at, v.Official); err != nil {
			return false, refusal{code: "invalid_url", message: at + ": " + err.Error()}
		}
	}
	return typed, nil
}

func get(ctx context.Context, client *http.Client, agent, at string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, refusal{code: "invalid_url", message: err.Error()}
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/json,application/xml;q=0.9,text/*;q=0.9,*/*;q=0.1")
	return client.Do(req)
}

// refusal is a failure with its code.
type refusal struct {
	code    web.Code
	message string
	status  int
	after   float64 // seconds that the server asked for; 0: it did not
}

func (r refusal) Error() string { return r.message }

// failureOf puts an error into the words of a failure.
func failureOf(ctx context.Context, err error) *events.Failure {
	var r refusal
	if errors.As(err, &r) {
		return &events.Failure{Class: workers.Terminal, Code: string(r.code), Message: r.message, Status: r.status, RetryAfter: r.after}
	}
	code, class := brokenBy(ctx, err)
	return &events.Failure{Class: class, Code: string(code), Message: err.Error()}
}
