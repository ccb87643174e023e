package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) workflowRun() *cobra.Command {
	var inputs []string
	var mode string
	var detach bool
	return a.verb(verb{
		use: "run T [--input K=V]… [--detach]", short: "run a template by name or path and wait for its end",
		example: `
baton workflow run research-publish --input topic="AI agents"
baton workflow run ./nightly.yaml --detach --json`, args: exactly("T"),
		flags: func(f *pflag.FlagSet) {
			f.StringArrayVar(&inputs, "input", nil, a.say("`K=V` of the template's inputs; V is JSON where it parses (repeat)"))
			f.BoolVar(&detach, "detach", false, a.say("do not wait"))
			f.StringVar(&mode, "mode", "auto", a.say("`auto|always|manual`, of a session that begins with the run"))
		},
		run: func(ctx context.Context, args []string) error {
			if err := sessions.CheckMode(mode); err != nil {
				return err
			}
			given, err := pairs("input", inputs)
			if err != nil {
				return err
			}
			templates, s, err := a.template(args[0])
			if err != nil {
				return err
			}
			start, err := a.newStart(templates, s)
			if err != nil {
				return err
			}
			start.Inputs, start.Mode = given, mode
			return a.linked(ctx, func(l *link) error { return a.start(ctx, l, start, detach) })
		},
	})
}

// blankStart is a command that starts a run of its own id in the workspace; what it runs is still to be said.
func (a *app) blankStart() (workflows.Start, error) {
	run, err := operation.NewRun(a.request)
	if err != nil {
		return workflows.Start{}, err
	}
	workspace, err := a.workspace()
	return workflows.Start{Run: run, Workspace: workspace, Mode: "auto"}, err
}

// newStart is the command that starts the template, in a session that begins with it if need be.
func (a *app) newStart(templates host.Templates, s host.Template) (workflows.Start, error) {
	start, err := a.blankStart()
	if err != nil {
		return start, err
	}
	start.Env = a.stepEnv()
	return start, templates.Fill(&start, s)
}

// stepEnv is what steps get of this environment, with what lets a step's own `baton` find this
// installation.
func (a *app) stepEnv() map[string]string {
	named := ""
	if home, err := a.homeDir(); err == nil && (a.home != "" || a.Env("BATON_HOME") != "") {
		named = home.Dir
	}
	return host.StepEnv(a.environ, a.skillsPath(), named)
}

func (a *app) start(ctx context.Context, l *link, c workflows.Start, detach bool) error {
	session, fresh, err := a.runSession(ctx, l, c.Run)
	if err != nil {
		return err
	}
	view, raw, err := answerOf[workflows.View](ctx, a, l, session, c)
	if err != nil {
		return err
	}
	if fresh {
		if err := a.activate(c.Workspace, session); err != nil {
			return err
		}
	}
	if detach {
		return reply(a, raw, nil, (*page).run)
	}
	return a.await(ctx, l, view, func(v workflows.View) any { return v })
}

// startedIn gives the session of a run that the request has started; naming another one is another command.
func (a *app) startedIn(ctx context.Context, l *link, row projections.RunRow) (string, bool, error) {
	if a.session != "" {
		named, err := a.current(ctx, l)
		if err != nil {
			return "", false, err
		}
		if named != row.Session {
			return "", false, sessions.Refuse(sessions.Conflict, "request_id_taken", "give another --request-id",
				"request %s started run %s in session %s", a.request, row.ID, row.Session)
		}
	}
	return row.Session, false, nil
}

// runSession is the session that a run is started in: where the request has started it already, the one
// that is named, the active one, or a fresh one that becomes active.
func (a *app) runSession(ctx context.Context, l *link, run string) (session string, fresh bool, err error) {
	if a.request != "" {
		row, err := engine.As[projections.RunRow](l.Query(ctx, "run.find", "", engine.FindAsk{ID: run}))
		if err == nil {
			return a.startedIn(ctx, l, row)
		}
		var r *sessions.Refusal
		if !errors.As(err, &r) || r.Kind != sessions.NotFound {
			return "", false, err
		}
	}
	if a.session != "" || a.Env("BATON_SESSION") != "" {
		session, err = a.current(ctx, l)
		return session, false, err
	}
	active, err := a.active()
	if err != nil {
		return "", false, err
	}
	if active != "" {
		o, err := engine.As[sessions.Overview](l.Query(ctx, "session.show", active, engine.None{}))
		var r *sessions.Refusal
		if err != nil && !(errors.As(err, &r) && r.Kind == sessions.NotFound) {
			return "", false, err
		}
		if err == nil && o.Status == sessions.Active {
			return active, false, nil
		}
	}
	session, err = operation.NewSession(a.request)
	return session, true, err
}

func (a *app) workflowResume() *cobra.Command {
	var pin, accept, detach bool
	var redo []string
	return a.verb(verb{
		use: "resume [RUN] [--pin|--accept] [--redo STEP]…", short: "take a failed run up again where it stopped",
		example: `
baton workflow resume
baton workflow resume r-01jq --accept --redo summary`, args: between(0, "RUN"),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&pin, "pin", false, a.say("go on with the template as it was recorded"))
			f.BoolVar(&accept, "accept", false, a.say("go on with the template as it is now"))
			f.StringArrayVar(&redo, "redo", nil, a.say("`STEP` that is run again though it has finished (repeat)"))
			f.BoolVar(&detach, "detach", false, a.say("do not wait"))
		},
		run: func(ctx context.Context, args []string) error {
			if pin && accept {
				return sessions.Refuse(sessions.Usage, "bad_value", "choose one", "--pin and --accept say the opposite")
			}
			return a.about(ctx, args, func(l *link, run projections.RunRow) error {
				c := workflows.ResumeRun{Run: run.ID, By: a.resumer(), Redo: redo}
				if pin {
					c.Policy = "pin"
				} else if accept {
					c.Policy = "accept"
				}
				var err error
				if c.Text, err = a.changedText(ctx, l, run); err != nil {
					return err
				}
				return a.resume(ctx, l, run, c, detach)
			})
		},
	})
}

func (a *app) resume(ctx context.Context, l *link, run projections.RunRow, c workflows.ResumeRun, detach bool) error {
	got, raw, err := answerOf[workflows.Resumed](ctx, a, l, run.Session, c)
	if err != nil {
		return err
	}
	if got.Already || detach {
		return reply(a, raw, nil, func(p *page, r workflows.Resumed) {
			if r.Already {
				p.line("run %s goes on already, taken up by %s", r.Run, r.By)
			}
			p.run(r.View)
		})
	}
	return a.await(ctx, l, got.View, func(v workflows.View) any { return workflows.Resumed{View: v, By: got.By} })
}

// resumer names this use of the command, so that of many at once each knows whether it was the one.
func (a *app) resumer() string {
	if a.request != "" {
		return "request " + a.request
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "unknown"
	}
	return fmt.Sprintf("%s, process %d on %s", a.actor(), os.Getpid(), machine)
}

// changedText is the text of the run's template as it is now, if its file is still there and differs
// from what was recorded.
func (a *app) changedText(ctx context.Context, l *link, run projections.RunRow) (string, error) {
	recorded, err := engine.As[host.TemplateInfo](l.Query(ctx, "run.template", run.Session, engine.RunAsk{Run: run.ID}))
	if err != nil {
		return "", err
	}
	templates, err := a.templates()
	if err != nil {
		return "", err
	}
	return templates.Changed(recorded)
}
