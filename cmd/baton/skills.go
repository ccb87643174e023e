package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/routing/skill"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/disk"
	"github.com/batonflow/baton/workflows"
)

func (a *app) skillsCommand() *cobra.Command {
	c := a.group("skills", "the installed skills: SKILL.md folders of every host", `
baton skills scan
baton skills search "draw a system diagram" --top 3
baton skills show drawio-skill`,
		a.skillsScan(), a.skillsSearch(), a.skillsShow(), a.skillsSources(), a.skillsAdd(), a.skillsValidate(),
		a.skillsCache(), a.skillsBudget(), a.skillsTrust())
	c.Aliases = []string{"registry"}
	return c
}

// skillsPath is BATON_SKILLS_PATH with every folder made absolute: the server stands elsewhere.
func (a *app) skillsPath() string {
	dirs := filepath.SplitList(a.Env(workflows.SkillsPath))
	for i, dir := range dirs {
		if abs, err := filepath.Abs(dir); err == nil {
			dirs[i] = abs
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// shelf asks for the skills that this workspace sees.
func (a *app) shelf(ctx context.Context, l *link) (list operation.SkillsList, report disk.Report, err error) {
	workspace, err := a.workspace()
	if err != nil {
		return list, report, err
	}
	list, err = engine.As[operation.SkillsList](l.Query(ctx, "skills.list", "", operation.SkillsAsk{Workspace: workspace, Path: a.skillsPath()}))
	if err != nil {
		return list, report, err
	}
	if err := json.Unmarshal(list.Report, &report); err != nil {
		return list, report, fmt.Errorf("read the report of the scan: %w", err)
	}
	return list, report, nil
}

func (a *app) skillsScan() *cobra.Command {
	return a.verb(verb{
		use: "scan", short: "look for skills in every place and list what was found", example: `baton skills scan`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				if err := a.askTrust(ctx, l); err != nil {
					return err
				}
				list, report, err := a.shelf(ctx, l)
				if err != nil {
					return err
				}
				return a.answer(list, func(p *page) error { p.scanned(list, report); return nil })
			})
		},
	})
}

func (p *page) scanned(list operation.SkillsList, report disk.Report) {
	var rows [][]string
	for _, s := range list.Skills {
		state := ""
		switch {
		case !s.Usable:
			state = s.Reason
		case !s.Trusted:
			state = p.app.say("untrusted folder")
		case len(s.Flagged) > 0:
			state = p.app.say("its text instructs the reader")
		}
		rows = append(rows, []string{s.Name, s.Tier, s.Host, cut(s.Description, 60), state})
	}
	if len(rows) > 0 {
		p.rows([]string{"skill", "tier", "host", "description", ""}, rows)
	}
	for _, u := range report.Unusable {
		p.line("unusable: %s: %s", u.File, u.Reason)
	}
	for _, c := range report.Clashes {
		p.line("name %s: %s wins over %s", c.Name, c.Winner, join(c.Others))
	}
	p.line("%d skills in %d folders, index %s", len(list.Skills), len(report.Roots), cut(list.Digest, 13))
}

func (a *app) skillsSearch() *cobra.Command {
	var top int
	return a.verb(verb{
		use: "search TASK [--top N]", short: "list the skills that fit a task best", example: `baton skills search "draw a system diagram" --top 3`, args: exactly("TASK"),
		flags: func(f *pflag.FlagSet) { f.IntVar(&top, "top", skill.DefaultTop, a.say("how many are listed")) },
		run: func(ctx context.Context, args []string) error {
			if top < 1 || top > 1000 {
				return sessions.Refuse(sessions.Usage, "bad_top", "use a number from 1 to 1000", "--top %d makes no list", top)
			}
			return a.linked(ctx, func(l *link) error {
				workspace, err := a.workspace()
				if err != nil {
					return err
				}
				raw, err := l.Query(ctx, "skills.search", "", operation.SkillsAsk{Workspace: workspace, Path: a.skillsPath(), Task: args[0], Top: top})
				return reply(a, raw, err, (*page).found)
			})
		},
	})
}

func (p *page) found(list []skill.Candidate) {
	if len(list) == 0 {
		p.line("no skill fits")
	}
	for i, c := range list {
		p.line("%3d. %s  %.2f  %s  %s", i+1, styled(pad(c.Name, 24)), c.Score, styled(pad(c.Tier, 8)), cut(c.Description, 80))
		for _, why := range c.Why {
			p.line("     - %s", why)
		}
	}
}

func (a *app) skillsShow() *cobra.Command {
	return a.verb(verb{
		use: "show N", short: "show a skill and its whole text", example: `baton skills show drawio-skill`, args: exactly("N"),
		run: func(ctx context.Context, args []string) error {
			return a.linked(ctx, func(l *link) error {
				raw, err := a.aboutSkill(ctx, l, "skills.load", args[0])
				return reply(a, raw, err, (*page).skill)
			})
		},
	})
}

// aboutSkill asks the server about a skill of this workspace.
func (a *app) aboutSkill(ctx context.Context, l *link, query, name string) (json.RawMessage, error) {
	workspace, err := a.workspace()
	if err != nil {
		return nil, err
	}
	return l.Query(ctx, query, "", operation.SkillAsk{Workspace: workspace, Path: a.skillsPath(), Name: name})
}

func (p *page) skill(s operation.Loaded) {
	p.line("%s  %s/%s  %s", s.Name, s.Host, s.Tier, s.File)
	for _, flag := range s.Flagged {
		p.line("warning: %s", flag)
	}
	for line := range strings.Lines(s.Body) {
		p.line("%s", strings.TrimRight(line, "\r\n"))
	}
}

func (a *app) skillsSources() *cobra.Command {
	return a.verb(verb{
		use: "sources", short: "list the folders where skills were looked for", example: `baton skills sources`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				_, report, err := a.shelf(ctx, l)
				if err != nil {
					return err
				}
				return a.answer(report.Roots, func(p *page) error {
					var rows [][]string
					for _, r := range report.Roots {
						rows = append(rows, []string{r.Tier, r.Host, fmt.Sprint(r.Trusted), fmt.Sprint(r.Count), r.Root})
					}
					p.rows([]string{"tier", "host", "trusted", "skills", "folder"}, rows)
					return nil
				})
			})
		},
	})
}
