package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

// standing is the answer of status: the session and the server.
type standing struct {
	sessions.Overview
	Server server `json:"server"`
}

// idle is the answer where the workspace has no active session.
type idle struct {
	Session     *string  `json:"session"` // null
	OpenCalls   []string `json:"open_calls"`
	ContextKeys []string `json:"context_keys"`
	Hint        string   `json:"hint"`
	Server      server   `json:"server"`
}

// server is the part of a server's information that status gives.
type server struct {
	PID        int     `json:"pid"`
	URL        string  `json:"url"` // of the HTTP API
	Durability string  `json:"durability"`
	Version    string  `json:"version"`
	Uptime     float64 `json:"uptime"` // seconds
}

func (a *app) statusCommand() *cobra.Command {
	return a.verb(verb{
		use: "status", short: "show the active session and the server", example: `baton status`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				info, err := engine.As[host.Info](l.Query(ctx, "server", "", engine.None{}))
				if err != nil {
					return err
				}
				session, err := a.chosen(ctx, l)
				if err != nil {
					return err
				}
				return a.standing(ctx, l, session, server{info.PID, info.HTTP, info.Durability, info.Version, info.Uptime})
			})
		},
	})
}

func (a *app) standing(ctx context.Context, l *link, session string, at server) error {
	if session == "" {
		s := idle{OpenCalls: []string{}, ContextKeys: []string{}, Hint: "begin one with `baton session new --goal …`", Server: at}
		return a.answer(s, func(p *page) error {
			p.line("no active session; begin one with `baton session new --goal …`")
			p.server(at)
			return nil
		})
	}
	o, err := engine.As[sessions.Overview](l.Query(ctx, "session.show", session, engine.None{}))
	if err != nil {
		return err
	}
	return a.answer(standing{o, at}, func(p *page) error {
		p.overview(o)
		p.server(at)
		return nil
	})
}

func (p *page) server(s server) {
	up := time.Duration(s.Uptime * float64(time.Second)).Round(time.Second)
	p.line("server    process %d, version %s, up %s, durability %s", s.PID, s.Version, up, s.Durability)
	if s.URL != "" {
		p.line("          %s", s.URL)
	}
}
