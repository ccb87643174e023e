package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) sessionCommand() *cobra.Command {
	return a.group("session", "a session is one user goal and everything done for it", `
baton session new --goal "research into an article" --mode auto
baton session list
baton session end --summary "draft saved"`,
		a.sessionNew(), a.sessionList(), a.sessionUse(), a.sessionShow(), a.sessionEnd(), a.sessionGoal(), a.sessionFork())
}

func (a *app) sessionNew() *cobra.Command {
	var goal, mode string
	return a.verb(verb{
		use: "new --goal G [--mode auto|always|manual]", short: "begin a session and make it the active one",
		example: `baton session new --goal "research into an article" --mode auto`,
		need:    []string{"goal"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&goal, "goal", "", a.say("what the session is for"))
			f.StringVar(&mode, "mode", "auto", a.say("who picks the skill: `auto|always|manual`"))
		},
		run: func(ctx context.Context, _ []string) error {
			if err := sessions.CheckMode(mode); err != nil {
				return err
			}
			return a.beginSession(ctx, sessions.Begin{Goal: goal, Mode: mode})
		},
	})
}

func (a *app) beginSession(ctx context.Context, c sessions.Begin) error {
	if a.session != "" {
		return sessions.Refuse(sessions.Usage, "bad_value", "leave --session out; --request-id makes the id repeatable", "a new session gets its id from Baton")
	}
	workspace, err := a.newWorkspace()
	if err != nil {
		return err
	}
	id, err := operation.NewSession(a.request)
	if err != nil {
		return err
	}
	c.Workspace = workspace
	return a.linked(ctx, func(l *link) error {
		_, raw, err := answerOf[sessions.Begun](ctx, a, l, id, workflows.Of(c))
		if err != nil {
			return err
		}
		if err := a.activate(workspace, id); err != nil {
			return err
		}
		return reply(a, raw, nil, func(p *page, b sessions.Begun) {
			p.line("session %s begun: %s", b.Session, b.Goal)
			p.line("mode %s, workspace %s", b.Mode, b.Workspace)
		})
	})
}

func (a *app) sessionList() *cobra.Command {
	return a.verb(verb{
		use: "list", short: "list all sessions, the newest first", example: `baton session list --json`,
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				raw, err := l.Query(ctx, "session.list", "", engine.None{})
				active, _ := a.active()
				return reply(a, raw, err, func(p *page, rows []projections.SessionRow) { p.sessions(rows, active) })
			})
		},
	})
}

func (p *page) sessions(list []projections.SessionRow, active string) {
	var rows [][]string
	for _, s := range list {
		mark := ""
		if s.ID == active {
			mark = "*"
		}
		rows = append(rows, []string{mark, s.ID, s.Status, fmt.Sprint(s.Calls), clock(s.UpdatedAt), cut(s.Goal, 60)})
	}
	if len(rows) == 0 {
		p.line("there is no session yet; begin one with `baton session new --goal …`")
		return
	}
	p.rows([]string{"", "session", "status", "calls", "updated", "goal"}, rows)
}

func (a *app) sessionUse() *cobra.Command {
	return a.verb(verb{
		use: "use ID", short: "make a session the active one of this workspace", example: `baton session use 0193`, args: exactly("ID"),
		run: func(ctx context.Context, args []string) error {
			workspace, err := a.newWorkspace()
			if err != nil {
				return err
			}
			return a.linked(ctx, func(l *link) error {
				id, err := a.find(ctx, l, args[0])
				if err != nil {
					return err
				}
				raw, err := l.Query(ctx, "session.show", id, engine.None{})
				if err != nil {
					return err
				}
				if err := a.activate(workspace, id); err != nil {
					return err
				}
				return reply(a, raw, nil, func(p *page, o sessions.Overview) {
					p.line("session %s is the active one of %s: %s", o.Session, workspace, o.Goal)
				})
			})
		},
	})
}

func (a *app) sessionShow() *cobra.Command {
	return a.verb(verb{
		use: "show [ID]", short: "show a session", example: `baton session show @last`, args: between(0, "ID"),
		run: func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				a.session = args[0]
			}
			return look(ctx, a, "session.show", engine.None{}, (*page).overview)
		},
	})
}

func (p *page) overview(o sessions.Overview) {
	p.line("session   %s  %s", o.Session, p.status(o.Status, 0))
	p.line("goal      %s", o.Goal)
	p.line("mode      %s", o.Mode)
	p.line("workspace %s", o.Workspace)
	if o.Summary != "" {
		p.line("summary   %s", o.Summary)
	}
	if o.CurrentSkill != "" {
		p.line("skill     %s", o.CurrentSkill)
	}
	p.line("calls     %d, open %d; switches %d", o.CallsTotal, len(o.OpenCalls), o.Switches)
	for _, c := range o.OpenCalls {
		p.line("  %s  %s  %s  %s", c.CallID, p.status(c.Status, 0), c.Skill, c.Intent)
	}
	if len(o.ContextKeys) > 0 {
		p.line("context   %s", strings.Join(o.ContextKeys, " "))
	}
}

func (a *app) sessionEnd() *cobra.Command {
	var summary string
	return a.verb(verb{
		use: "end [--summary S]", short: "end the session; it takes nothing more", example: `baton session end --summary "draft saved, cover to come"`,
		flags: func(f *pflag.FlagSet) { f.StringVar(&summary, "summary", "", a.say("what came of it")) },
		run: func(ctx context.Context, _ []string) error {
			type ended struct{ Session, Summary string }
			return tell(ctx, a, sessions.End{Summary: summary}, func(p *page, e ended) { p.line("session %s has ended", e.Session) })
		},
	})
}
