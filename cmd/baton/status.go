package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

// standing is the answer of status: the session, if there is one, and the server.
type standing struct {
	Session *string `json:"session"` // null: the workspace has no active session
	sessions.Overview
	Hint   string `json:"hint,omitempty"`
	Server server `json:"server"`
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
				s, err := a.standing(ctx, l)
				if err != nil {
					return err
				}
				return a.answer(s, func(p *page) error { p.standing(s); return nil })
			})
		},
	})
}

func (a *app) standing(ctx context.Context, l *link) (standing, error) {
	s := standing{Overview: sessions.Overview{OpenCalls: []sessions.OpenCall{}, ContextKeys: []string{}}}
	info, err := engine.As[host.Info](l.Query(ctx, "server", "", engine.None{}))
	if err != nil {
		return s, err
	}
	s.Server = server{info.PID, info.HTTP, info.Durability, info.Version, info.Uptime}
	id, err := a.chosen(ctx, l)
	if err != nil {
		return s, err
	}
	if id == "" {
		s.Hint = "begin a session with `baton session new --goal …`"
		return s, nil
	}
	s.Overview, err = engine.As[sessions.Overview](l.Query(ctx, "session.show", id, engine.None{}))
	s.Session = &s.Overview.Session
	return s, err
}

func (p *page) standing(s standing) {
	if s.Session != nil {
		p.overview(s.Overview)
	} else {
		p.line("no active session; begin one with `baton session new --goal …`")
	}
	up := time.Duration(s.Server.Uptime * float64(time.Second)).Round(time.Second)
	p.line("server    process %d, version %s, up %s, durability %s", s.Server.PID, s.Server.Version, up, s.Server.Durability)
	if s.Server.URL != "" {
		p.line("          %s", s.Server.URL)
	}
}
