package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/skills/acquire"
	"github.com/batonflow/baton/workflows"
)

func (a *app) acquireCommand() *cobra.Command {
	return a.group("acquire", "bring a skill in: find, fetch, audit, confirm, install, register", `
baton acquire trust add tavily --repo owner/tavily-skill --version v1.2.0 --sha256 9f86d081884c7d65…
baton acquire run --query tavily
baton acquire audit ./some-skill`,
		a.acquireRun(), a.acquireResume(), a.acquireReset(), a.acquireStatus(), a.acquireAudit(), a.acquireTrust(), a.acquireVerify(), a.acquireRemove())
}

func (a *app) acquireRun() *cobra.Command {
	var r acquire.Request
	var detach bool
	return a.verb(verb{
		use: "run --query Q [--version V] [--slug S] [--source K] [--auto] [--force]", short: "bring in the skill that fits, as the table of trust pins it",
		example: `
baton acquire run --query tavily --version v1.2.0
baton acquire run --query "make a poster" --auto --json`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&r.Query, "query", "", a.say("what is needed: a name, or words"))
			f.StringVar(&r.Version, "version", "", a.say("the `VERSION`; only where the table of trust pins exactly one it may be left out"))
			f.StringVar(&r.Slug, "slug", "", a.say("the skill's `NAME`"))
			f.StringVar(&r.Source, "source", "", a.say("only from this kind of source, `dir|github|https`"))
			f.StringVar(&r.To, "to", "", a.say("install into the skills of this `HOST`, or into this folder"))
			f.BoolVar(&r.Auto, "auto", false, a.say("do not ask about P1; P0 is always asked about"))
			f.BoolVar(&r.Force, "force", false, a.say("put it in the place of one that is installed; P0 is asked about all the same"))
			f.BoolVar(&detach, "detach", false, a.say("do not wait"))
		},
		run: func(ctx context.Context, _ []string) error {
			if err := r.Check(); err != nil {
				return err
			}
			to, err := a.skillsFolder(r.To)
			if err != nil {
				return err
			}
			r.To = to
			inputs := host.AcquireInputs(r)
			return a.linked(ctx, func(l *link) error {
				v, err := a.startBuiltin(ctx, l, acquire.TemplateAcquire, inputs)
				if err != nil || detach {
					return a.shownAcquisition(ctx, l, v, err)
				}
				return a.acquisition(ctx, l, v)
			})
		},
	})
}

// startBuiltin starts a template that is built in, in the session that a run would be started in.
func (a *app) startBuiltin(ctx context.Context, l *link, name string, inputs map[string]any) (workflows.View, error) {
	start, err := a.builtinStart(name, inputs)
	if err != nil {
		return workflows.View{}, err
	}
	session, fresh, err := a.runSession(ctx, l, start.Run)
	if err != nil {
		return workflows.View{}, err
	}
	view, _, err := answerOf[workflows.View](ctx, a, l, session, start)
	if err == nil && fresh {
		err = a.activate(start.Workspace, session)
	}
	return view, err
}

func (a *app) builtinStart(name string, inputs map[string]any) (workflows.Start, error) {
	start, err := a.blankStart()
	if err != nil {
		return workflows.Start{}, err
	}
	return start, host.FillAcquisition(&start, name, inputs)
}

// skillsFolder is the folder of skills that --to means: a host's, a path, or the installation's own.
func (a *app) skillsFolder(to string) (string, error) {
	return host.SkillsFolder(to, a.variables())
}
