// Package page serves the web page: runs and sessions, one run as a waterfall with the selected call
// beside it, its graph, events, decisions and context, approvals, dead letters, what the server does. All
// of it is HTML made from answers to the engine's queries; what a person does on it becomes one of the
// engine's commands. No rule lives here.
//
// Promises: it works from embedded files alone, without network, and under a policy that allows no inline
// script and no inline style; what came from a skill, a page, a result or a person stays text; secrets
// by their form are shortened; a link names what it shows, so that it can be handed on.
//
// It guards nothing: who may ask, and from where, is decided by the server that it is mounted in.
package page

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

// Backend answers questions and takes commands. engine.Client does, and so does a server in its own process.
type Backend interface {
	Do(ctx context.Context, session string, c workflows.Command, m engine.Meta) (json.RawMessage, error)
	Query(ctx context.Context, name, session string, question any) (json.RawMessage, error)
}

// Config says what the page is made from.
type Config struct {
	Backend    Backend
	NewSession func() (string, error) // the id of a session that is to begin
	User       string                 // who answers, unless a person says otherwise
	Version    string
	Now        func() time.Time
	Logger     *slog.Logger
}

//go:embed templates/*.html assets/*
var files embed.FS

// page is the handler.
type page struct {
	Config
	languages map[string]*template.Template
}

// Handler serves the page. It wants every path that nothing else takes.
func Handler(c Config) (http.Handler, error) {
	p := &page{Config: c, languages: map[string]*template.Template{}}
	for lang := range tongues {
		set, err := template.New("page").Funcs(functions(lang)).ParseFS(files, "templates/*.html")
		if err != nil {
			return nil, fmt.Errorf("read the page's templates: %w", err)
		}
		p.languages[lang] = set
	}
	mux := http.NewServeMux()
	for _, r := range p.routes() {
		mux.Handle(r.pattern, p.handle(r.serve))
	}
	mux.HandleFunc("GET /assets/{version}/{file}", asset)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("file", "icon.svg") // what browsers ask for where no page has named another
		asset(w, r)
	})
	return mux, nil
}

// route is one line of the table of what the page answers.
type route struct {
	pattern string
	serve   func(*request) error
}

func (p *page) routes() []route {
	return []route{
		{"GET /{$}", func(r *request) error { return r.redirect("/runs") }},
		{"GET /runs", p.runs},
		{"POST /runs", p.bulk},
		{"GET /sessions", p.sessions},
		{"GET /inbox", p.inbox},
		{"GET /system", p.system},
		{"GET /prefs", p.prefs},
		{"GET /live", p.live},
		{"GET /compare", p.compare},
		{"GET /r/{run...}", p.permalink},
		{"GET /s/{session}", p.trace},
		{"GET /s/{session}/rows", p.rows},
		{"GET /s/{session}/export", p.export},
		{"POST /s/{session}/approve", p.approve},
		{"POST /s/{session}/cancel", p.cancel},
		{"POST /s/{session}/resume", p.resume},
		{"POST /s/{session}/resolve", p.resolve},
		{"POST /s/{session}/fork", p.fork},
		{"GET /", func(*request) error {
			return sessions.Refuse(sessions.NotFound, "page_not_found", "begin at the list of runs", "there is no such page")
		}},
	}
}

// request is one question to the page, with what the answer needs to know of who asks.
type request struct {
	*http.Request
	page *page
	w    http.ResponseWriter
	base
}

func (p *page) handle(serve func(*request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Vary", "Cookie, Baton-Part, Accept-Language")
		req := &request{Request: r, page: p, w: w, base: p.baseOf(r)}
		if err := serve(req); err != nil && r.Context().Err() == nil {
			req.fail(err)
		}
	})
}

// ask puts a question to the backend.
func ask[T any](r *request, name, session string, question any) (T, error) {
	return engine.As[T](r.page.Backend.Query(r.Context(), name, session, question))
}

// do has a command carried out.
func (r *request) do(session string, c workflows.Command) (json.RawMessage, error) {
	return r.page.Backend.Do(r.Context(), session, c, engine.Meta{Actor: "page"})
}

// render answers with a template; with the part of it that was asked for.
func (r *request) render(name string, data any) error { return r.status(http.StatusOK, name, data) }

func (r *request) status(code int, name string, data any) error {
	if part := r.Header.Get("Baton-Part"); part != "" && code == http.StatusOK {
		name = name + "-" + part
	}
	set := r.page.languages[r.Lang]
	if set.Lookup(name) == nil {
		return sessions.Refuse(sessions.NotFound, "page_not_found", "begin at the list of runs", "there is no such part of the page")
	}
	var out bytes.Buffer
	if err := set.ExecuteTemplate(&out, name, data); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	r.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.w.WriteHeader(code)
	_, _ = out.WriteTo(r.w) // who went away misses it
	return nil
}

func (r *request) redirect(to string) error {
	http.Redirect(r.w, r.Request, to, http.StatusSeeOther)
	return nil
}

// failure is what the page of an error shows.
type failure struct {
	base
	Refusal *sessions.Refusal
	Back    string
}

// fail shows what went wrong and what to do about it.
func (r *request) fail(err error) {
	var refusal *sessions.Refusal
	if !errors.As(err, &refusal) {
		r.page.Logger.Warn("page", "path", r.URL.Path, "err", err)
		refusal = sessions.Refuse(sessions.Failed, "internal", "see the server's log with `baton doctor`", "the page could not be made")
	}
	code, _ := operation.Status(refusal)
	data := failure{base: r.base, Refusal: refusal, Back: r.back("/runs")}
	if err := r.status(code, "error", data); err != nil {
		http.Error(r.w, refusal.Error(), code)
	}
}
