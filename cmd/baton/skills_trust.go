package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
)

// trusted is the answer to `skills trust`.
type trusted struct {
	Trusted string `json:"trusted"`
}

// skillsTrust lets the skills of a project folder be chosen. Whoever can write there can then say
// what is run.
func (a *app) skillsTrust() *cobra.Command {
	return a.verb(verb{
		use: "trust DIR", short: "let the skills of a project folder be chosen", args: exactly("DIR"),
		example: `
baton skills trust .`,
		run: func(_ context.Context, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err == nil {
				dir, err = filepath.EvalSymlinks(dir)
			}
			if info, stat := os.Stat(dir); err != nil || stat != nil || !info.IsDir() {
				return sessions.Refuse(sessions.NotFound, "folder_not_found", "name a folder that is there", "%q is no folder", args[0])
			}
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			if err := home.Trust(dir); err != nil {
				return err
			}
			return a.answer(trusted{dir}, func(p *page) error { p.line("%s", dir); return nil })
		},
	})
}

// askTrust asks a person at the terminal, once for each project folder, whether its skills may be chosen.
// Without a terminal, or where the answer is for a program, nobody is asked and nothing is trusted.
func (a *app) askTrust(ctx context.Context, l *link) error {
	if a.json || a.quiet || !isTerminal(a.err) {
		return nil
	}
	workspace, err := a.workspace()
	if err != nil {
		return err
	}
	ask := operation.SkillsAsk{Workspace: workspace, Path: a.skillsPath()}
	list, err := engine.As[[]host.Untrusted](l.Query(ctx, "skills.untrusted", "", ask))
	if err != nil || len(list) == 0 {
		return err
	}
	t, ok := openTerminal()
	if !ok {
		return nil
	}
	defer t.Close()
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	for _, u := range list {
		p := &page{app: a, colour: true}
		p.line("the folder %s brings %d skills of its own; whoever can write there can then say what is run", u.Project, u.Skills)
		p.text(a.say("May they be chosen? [y/n] "))
		p.Truncate(p.Len() - 1) // the answer stands on the same line
		if _, err := t.Write(p.Bytes()); err != nil {
			return nil // it is gone
		}
		line, ok := readLine(ctx, t)
		if !ok {
			return ctx.Err()
		}
		answer := home.Decline
		if word := strings.ToLower(strings.TrimSpace(line)); word == "y" || word == "yes" || word == "是" {
			answer = home.Trust
		}
		if err := answer(u.Project); err != nil {
			return err
		}
	}
	return nil
}
