package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

func (a *app) importCommand() *cobra.Command {
	return a.group("import", "take over what another router kept", `
baton import radoute .workbuddy/router`,
		a.verb(verb{
			use: "radoute DIR", short: "take over sessions, feedback and templates of the Python skill router", args: exactly("DIR"),
			example: `
baton import radoute .workbuddy/router
baton import radoute ~/.workbuddy --json`,
			run: func(ctx context.Context, args []string) error {
				from, err := findRadoute(args[0])
				if err != nil {
					return err
				}
				return a.linked(ctx, func(l *link) error { return a.importRadoute(ctx, l, from) })
			},
		}))
}

// radouteHome is where the Python router kept things.
type radouteHome struct {
	router    string // .workbuddy/router, or what SKILL_ROUTER_HOME named
	workspace string // the folder that it served
}

// findRadoute finds the router's folder: itself, or below what was named.
func findRadoute(dir string) (radouteHome, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return radouteHome{}, sessions.Refuse(sessions.NotFound, "folder_not_found", "name a folder that is there", "%q is no folder", dir)
	}
	for _, below := range []string{"", "router", ".workbuddy/router"} {
		router := filepath.Join(abs, below)
		if info, err := os.Stat(filepath.Join(router, "sessions")); err != nil || !info.IsDir() {
			continue
		}
		workspace := router
		if parent := filepath.Dir(router); filepath.Base(parent) == ".workbuddy" {
			workspace = filepath.Dir(parent)
		}
		return radouteHome{router, workspace}, nil
	}
	return radouteHome{}, sessions.Refuse(sessions.NotFound, "router_not_found", "name the folder that holds its sessions, usually .workbuddy/router",
		"%q holds no sessions of the Python router", dir)
}

// takenOver is the answer of import.
type takenOver struct {
	From      string                `json:"from"`
	Sessions  []host.RadouteSession `json:"sessions"`
	Feedback  int                   `json:"feedback"`
	Workflows []importedTemplate    `json:"workflows"`
	Faults    []string              `json:"faults"` // what could not be read, and why
}

func (a *app) importRadoute(ctx context.Context, l *link, from radouteHome) error {
	out := takenOver{From: from.router, Sessions: []host.RadouteSession{}, Workflows: []importedTemplate{}, Faults: []string{}}
	entries, err := os.ReadDir(filepath.Join(from.router, "sessions"))
	if err != nil {
		return fmt.Errorf("read the sessions of %s: %w", from.router, err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		got, err := a.importSession(ctx, l, from, e.Name())
		var refusal *sessions.Refusal
		switch {
		case errors.As(err, &refusal) && refusal.Kind != sessions.Unreachable && refusal.Kind != sessions.Damaged:
			out.Faults = append(out.Faults, e.Name()+": "+refusal.Message)
		case err != nil:
			return err
		default:
			out.Sessions = append(out.Sessions, got)
		}
	}
	if err := a.importLessons(ctx, l, from, &out); err != nil {
		return err
	}
	if err := a.importTemplates(from, &out); err != nil {
		return err
	}
	if err := a.goOn(from, out.Sessions); err != nil {
		return err
	}
	return a.answer(out, func(p *page) error { p.takenOver(out); return nil })
}

// mostRadoute bounds one file of the old router.
const mostRadoute = 64 << 20

// importSession puts the session's files where the server reads them, and takes them away again after.
func (a *app) importSession(ctx context.Context, l *link, from radouteHome, id string) (host.RadouteSession, error) {
	folder := filepath.Join(from.router, "sessions", id)
	ask := host.RadouteAsk{ID: id, From: folder, Workspace: from.workspace}
	for _, f := range []struct {
		name string
		sum  *string
	}{{"session.json", &ask.Session}, {"context.json", &ask.Context}, {"trace.jsonl", &ask.Trace}} {
		raw, err := a.readFrom(filepath.Join(folder, f.name), mostRadoute)
		if notThere(err) || err == nil && len(raw) == 0 {
			continue
		}
		if err != nil {
			return host.RadouteSession{}, err
		}
		if *f.sum, err = l.Payloads.Put(ctx, raw); err != nil {
			return host.RadouteSession{}, fmt.Errorf("store %s of session %s: %w", f.name, id, err)
		}
		defer func() { _ = l.Payloads.Delete(context.WithoutCancel(ctx), *f.sum) }() // what is left is only a copy
	}
	return engine.As[host.RadouteSession](l.Query(ctx, "import.radoute", "", ask))
}

// goOn makes the session that was the old router's current one the active one of its workspace, where
// there is none yet.
func (a *app) goOn(from radouteHome, list []host.RadouteSession) error {
	raw, err := os.ReadFile(filepath.Join(from.router, "current_session"))
	if err != nil {
		return nil // it had none
	}
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(s host.RadouteSession) bool { return s.ID == strings.TrimSpace(string(raw)) })
	if i < 0 || exists(activeFile(home.Dir, from.workspace)) {
		return nil
	}
	return a.activate(from.workspace, list[i].Session)
}

func notThere(err error) bool {
	var refusal *sessions.Refusal
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &refusal) && refusal.Kind == sessions.NotFound
}

func (p *page) takenOver(out takenOver) {
	for _, s := range out.Sessions {
		state := p.app.say("taken over")
		if s.Already {
			state = p.app.say("was there already")
		}
		p.line("%s  %s  %d events, %s", s.ID, s.Session, s.Events, state)
		if len(s.Skipped) > 0 {
			raw, _ := json.Marshal(s.Skipped) // a map of numbers always encodes
			p.line("  not said again: %s", string(raw))
		}
	}
	for _, w := range out.Workflows {
		p.line("template %s  %s", w.Name, w.Path)
	}
	for _, fault := range out.Faults {
		p.line("warning: %s", fault)
	}
	p.line("%d sessions, %d pieces of feedback, %d templates from %s", len(out.Sessions), out.Feedback, len(out.Workflows), out.From)
}
