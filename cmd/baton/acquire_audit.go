package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/skills/audit"
)

func (a *app) acquireAudit() *cobra.Command {
	var min string
	return a.verb(verb{
		use: "audit DIR [--min low|medium|high]", short: "say what in a skill's folder a person should see before it is used", args: exactly("DIR"),
		example: `
baton acquire audit ./some-skill
baton acquire audit ~/.claude/skills/pdf --min medium --json`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&min, "min", "low", a.say("the least level that is listed, `low|medium|high`"))
		},
		run: func(ctx context.Context, args []string) error {
			if !audit.Level(min).Valid() {
				return sessions.Refuse(sessions.Usage, "bad_value", "use low, medium or high", "--min %q is no level", min)
			}
			return a.auditFolder(ctx, args[0], audit.Level(min))
		},
	})
}

func (a *app) auditFolder(ctx context.Context, dir string, min audit.Level) error {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if info, stat := os.Stat(abs); err != nil || stat != nil || !info.IsDir() {
		return sessions.Refuse(sessions.NotFound, "folder_not_found", "name a folder that is there", "%q is no folder", dir)
	}
	files, err := acquire.Folder(ctx, abs)
	switch {
	case errors.Is(err, acquire.ErrTooLarge):
		return sessions.Refuse(sessions.Refused, "folder_too_large", "name the folder of one skill", "%s is no skill: %v", abs, err)
	case errors.Is(err, fs.ErrPermission):
		return sessions.Refuse(sessions.Failed, "folder_unreadable", "make it readable: what cannot be read cannot be audited", "%v", err)
	case err != nil:
		return err
	case len(files) == 0:
		return sessions.Refuse(sessions.NotFound, "folder_empty", "name the folder of a skill", "there is no file in %s", abs)
	}
	report, err := acquire.Audit(files, nil)
	if err != nil {
		return err
	}
	report = report.AtLeast(min)
	if err := a.answer(report, func(p *page) error { p.audited(report); return nil }); err != nil {
		return err
	}
	return auditStatus(report.Verdict)
}

// auditStatus is the exit status of an audit.
func auditStatus(v audit.Verdict) error {
	switch v {
	case audit.P0:
		return answered(exitRefused)
	case audit.P1:
		return answered(exitFailed)
	}
	return nil
}

func (p *page) audited(r audit.Report) {
	for _, f := range r.Findings {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		p.line("%s  %s  %s  %s", p.status(string(f.Level), 6), styled(pad(f.Rule, 22)), place, p.app.say(f.Note))
		if f.Excerpt != "" {
			p.line("        %s", f.Excerpt)
		}
	}
	if len(r.Findings) == 0 {
		p.line("no finding")
	}
	p.line("%s, risk %s: %d findings in %d files", string(r.Verdict), string(r.Risk), len(r.Findings), len(r.Files))
	if len(r.Hosts) > 0 {
		p.line("hosts it names: %s", join(r.Hosts))
	}
	if len(r.Commands) > 0 {
		p.line("commands it calls: %s", join(r.Commands))
	}
	p.line("An audit finds what it knows; no finding is no proof.")
}
