package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/workflows"
)

func (a *app) webRun() *cobra.Command {
	var ask webAsk
	var timeout string
	return a.verb(verb{
		use: "run TASK", short: a.webSay("carry a task on the web out, over the tools that are configured"),
		example: `
baton web run "read https://example.org/page and https://example.org/other"
baton web run "post the summary" --url https://example.org/form --effect post --need actions`,
		args: exactly("TASK"),
		flags: func(f *pflag.FlagSet) {
			a.webRequestFlags(f, &ask)
			f.StringVar(&ask.tools, "tools", "", a.webSay("`FILE|-` with the tools and how each is asked (default: web.yaml of the home)"))
			f.StringVar(&timeout, "timeout", "", a.webSay("how long a call may take (default and most: `30s`)"))
		},
		run: func(ctx context.Context, args []string) error {
			ask.Query = args[0]
			start, err := a.webStart(ask, timeout)
			if err != nil {
				return host.WebRefusal(err)
			}
			return a.linked(ctx, func(l *link) error {
				return a.runRouted(ctx, l, start, func(l *link, w engine.Watched) error { return a.webShown(ctx, l, w.View) })
			})
		},
	})
}

// webStart is the command that starts the task, with what the router decides first.
func (a *app) webStart(ask webAsk, timeout string) (workflows.Start, error) {
	var none workflows.Start
	document, err := a.webDocument(ask, timeout)
	if err != nil {
		return none, err
	}
	start, err := a.newRouted("web", cut("web "+document.Request.Query, 120), document)
	if err != nil {
		return none, err
	}
	input, err := events.Marshal(web.Case{Request: document.Request, Host: document.Tools.Host(document.Fallbacks)})
	if err != nil {
		return none, err
	}
	start.Route = &sessions.RouteTask{
		Router: "web", Task: document.Request.Query, Input: events.Value{JSON: input}, Tables: map[string]string{"adapters": document.Adapters},
	}
	return start, nil
}

// webDocument is what the run goes by.
func (a *app) webDocument(ask webAsk, timeout string) (d workflows.ErrandDocument, err error) {
	if d.Request, err = ask.request(); err != nil {
		return d, err
	}
	if d.Tools, err = a.webTools(ask.tools); err != nil {
		return d, err
	}
	if timeout != "" {
		d.Tools.Timeout = timeout
		if err := d.Tools.Check(); err != nil {
			return d, sessions.Refuse(sessions.Usage, "bad_value", "give a time up to 30s, like 5s", "--timeout: %v", err)
		}
	}
	home, err := a.homeDir()
	if err != nil {
		return d, err
	}
	if d.Fallbacks, err = home.WebFallbacks(); err != nil {
		return d, err
	}
	tables, adapters, err := a.webAdapters()
	if err != nil {
		return d, err
	}
	if d.Adapters = tables["adapters"]; d.Adapters == "" {
		d.Adapters = string(web.AdaptersFile())
	}
	_, err = web.Open(d.Request, d.Tools.Host(d.Fallbacks), adapters)
	return d, err
}

// webTools are those of the file that was named, or of the home.
func (a *app) webTools(named string) (web.Tools, error) {
	home, err := a.homeDir()
	if err != nil || named == "" {
		return home.HomeWebTools()
	}
	file, err := a.readFrom(named, maxValue)
	if err != nil {
		return web.Tools{}, err
	}
	return host.WebTools(named, file)
}

func (a *app) webShow() *cobra.Command {
	var wait bool
	return a.verb(verb{
		use: "show [RUN] [--wait]", short: a.webSay("show a task on the web as it stands"), example: `baton web show @last --wait`, args: between(0, "RUN"),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&wait, "wait", false, a.webSay("wait for its end, or until it asks somebody"))
		},
		run: func(ctx context.Context, args []string) error {
			return a.about(ctx, args, func(l *link, run projections.RunRow) error {
				view, err := engine.As[workflows.View](l.Query(ctx, "run.show", run.Session, engine.RunAsk{Run: run.ID}))
				if err != nil {
					return err
				}
				if !wait {
					return a.webShown(ctx, l, view)
				}
				return a.watchUntil(ctx, l, view, func(l *link, w engine.Watched) error { return a.webShown(ctx, l, w.View) })
			})
		},
	})
}

// webShown shows a task. One that waits for a person, and one that came to nothing, have an exit status
// of their own.
func (a *app) webShown(ctx context.Context, l *link, run workflows.View) error {
	raw, err := l.Query(ctx, "run.routed", run.Session, engine.RunAsk{Run: run.Run})
	if err != nil {
		return err
	}
	var v workflows.ErrandView
	if run.Router != "web" || json.Unmarshal(raw, &v) != nil {
		return sessions.Refuse(sessions.Usage, "not_web", "see `baton workflow show "+run.Run+"`", "run %s is no task on the web", run.Run)
	}
	if err := a.answer(raw, func(p *page) error { p.errand(v); return nil }); err != nil {
		return err
	}
	switch {
	case v.Waits != nil, v.Final != nil && v.Final.ResumeAt != nil:
		return answered(exits[sessions.Waits])
	case run.Status == workflows.Failed:
		return answered(exitFailed)
	}
	return nil
}

// errand writes a task on the web.
func (p *page) errand(v workflows.ErrandView) {
	for _, e := range v.Trace {
		p.webEvent(e)
	}
	p.webNotes(v.Notes)
	if v.Final != nil {
		p.webFinal(*v.Final)
	}
	for _, found := range v.Pages {
		var read struct{ Title, Text string }
		_ = json.Unmarshal(found.Value, &read) // a value without them has none
		p.line("- %s  %s", found.Target, read.Title)
		if text := strings.Join(strings.Fields(read.Text), " "); text != "" {
			p.line("    %s", cut(text, 400))
		}
	}
	if v.Waits != nil {
		p.web("it waits for a person: %s, or --no; then `baton web show %s --wait`", v.Waits.Answer, v.Run)
	}
}
