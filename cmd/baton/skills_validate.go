package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
)

// skillsValidate needs no server: it reads what its path names and nothing else.
func (a *app) skillsValidate() *cobra.Command {
	standard := false
	return a.verb(verb{
		use: "validate PATH [--standard]", short: "say everything that is wrong with a SKILL.md, or with all below a folder", args: exactly("PATH"),
		example: `
baton skills validate ./my-skill
baton skills validate ~/.agents/skills --json`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&standard, "standard", false, a.say("also refuse what the specification's own reader refuses"))
		},
		run: func(ctx context.Context, args []string) error {
			read := disk.Reader(skills.Parse)
			if standard {
				read = skills.Standard
			}
			list, err := disk.Check(ctx, args[0], read)
			if errors.Is(err, fs.ErrNotExist) {
				return sessions.Refuse(sessions.NotFound, "path_not_found", "name a SKILL.md, its folder, or a folder of skills", "there is nothing at %q", args[0])
			}
			if err == nil && len(list) == 0 {
				return sessions.Refuse(sessions.NotFound, "skill_not_found", "name a SKILL.md, its folder, or a folder of skills", "there is no SKILL.md below %q", args[0])
			}
			if err != nil {
				return err
			}
			return a.checked(list)
		},
	})
}

// checked prints one skill as itself and several as a list; a broken rule is a no.
func (a *app) checked(list []disk.Checked) error {
	var shown any = list
	if len(list) == 1 {
		shown = list[0]
	}
	if err := a.answer(shown, func(p *page) error { p.checked(list); return nil }); err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(c disk.Checked) bool { return !c.Valid() }) {
		return answered(exitFailed)
	}
	return nil
}

func (p *page) checked(list []disk.Checked) {
	valid := 0
	for _, c := range list {
		if c.Valid() {
			valid++
		}
		for _, f := range c.Findings {
			p.line("%s:%d: %s: %s (%s)", c.Path, f.Line, string(f.Level), f.Message, f.Code)
		}
	}
	p.line("%d of %d valid", valid, len(list))
}
