package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
)

func (a *app) acquireVerify() *cobra.Command {
	var to string
	return a.verb(verb{
		use: "verify [S] [--to HOST]", short: "hold installed skills against their manifest, and that against the log", args: between(0, "S"),
		example: `
baton acquire verify
baton acquire verify tavily --json`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&to, "to", "", a.say("of the skills of this `HOST`, or of this folder"))
		},
		run: func(ctx context.Context, args []string) error {
			dir, err := a.skillsFolder(to)
			if err != nil {
				return err
			}
			if dir == "" {
				home, err := a.homeDir()
				if err != nil {
					return err
				}
				dir = acquire.Skills(home.Dir)
			}
			return a.linked(ctx, func(l *link) error { return a.verifyIn(ctx, l, dir, args) })
		},
	})
}

func (a *app) verifyIn(ctx context.Context, l *link, dir string, args []string) error {
	slugs := args
	if len(args) == 0 {
		slugs = installedIn(dir)
	}
	list := []acquire.Verified{}
	for _, slug := range slugs {
		if err := acquire.CheckSlug(slug); err != nil {
			return err
		}
		v, err := acquire.Verify(filepath.Join(dir, slug))
		if err != nil {
			return err
		}
		if err := compareLog(ctx, l, &v); err != nil {
			return err
		}
		list = append(list, v)
	}
	var answer any = list
	if len(args) > 0 {
		answer = list[0]
	}
	if err := a.answer(answer, func(p *page) error { p.installed(list); return nil }); err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(v acquire.Verified) bool { return !v.OK }) {
		return answered(exitUnverified)
	}
	return nil
}

// installedIn lists the skills in a folder that Baton installed.
func installedIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none yet
	}
	var out []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), acquire.ManifestFile)); err == nil && acquire.CheckSlug(e.Name()) == nil {
			out = append(out, e.Name())
		}
	}
	return out
}

// compareLog holds the manifest against what the step that wrote it recorded: whoever can change a
// skill's files can change its manifest too, and not the log.
func compareLog(ctx context.Context, l *link, v *acquire.Verified) error {
	m := v.Manifest
	if m.Run == "" {
		return nil
	}
	var r *sessions.Refusal
	run, err := showRun(ctx, l, m.Session, m.Run)
	if errors.As(err, &r) && r.Kind == sessions.NotFound {
		differs(v, "the log knows nothing of this installation")
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range run.Steps {
		if s.ID != "install" || s.CallID == "" {
			continue
		}
		row, err := engine.As[sessions.Row](l.Query(ctx, "call.show", m.Session, engine.CallAsk{Call: s.CallID}))
		if err != nil {
			return err
		}
		var installed acquire.Installed
		if json.Unmarshal(row.Value, &installed) == nil && installed.Tree == m.Tree && filepath.Base(installed.Path) == v.Slug {
			v.Logged = true
			return nil
		}
	}
	differs(v, "the log has another digest than the manifest")
	return nil
}

func differs(v *acquire.Verified, reason string) {
	v.OK = false
	if v.Reason == "" {
		v.Reason = reason
	}
}

func (p *page) installed(list []acquire.Verified) {
	if len(list) == 0 {
		p.line("no skill was installed by Baton")
	}
	for _, v := range list {
		if v.OK {
			p.line("%s %s  as installed", v.Slug, v.Version)
			continue
		}
		p.line("%s %s  %s", v.Slug, v.Version, v.Reason)
		for _, c := range v.Changes {
			p.line("  %s  %s", c.How, c.Path)
		}
	}
}
