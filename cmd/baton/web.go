package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/routing/web"
	"github.com/batonflow/baton/sessions"
)

func (a *app) webCommand() *cobra.Command {
	return a.group("web", a.webSay("tasks on the web: which tool, and what follows a failure"),
		`baton web route "what is new in JetStream"`, a.webRoute(), a.webRun(), a.webShow(), a.webRecover(), a.webURLs())
}

// webAsk is what `web route` was given.
type webAsk struct {
	web.Request
	needs  []string
	tools  string
	dryRun bool
	given  *pflag.FlagSet
}

func (a *app) webRoute() *cobra.Command {
	var ask webAsk
	return a.verb(verb{
		use: "route TASK", short: a.webSay("say which tool a task on the web begins with, and why"),
		example: `
baton web route "what is new in JetStream"
baton web route "read it" --url https://example.org/page --forbid browser --tools tools.json
baton web route case.json --dry-run --json`,
		args:  exactly("TASK"),
		flags: func(f *pflag.FlagSet) { a.webFlags(f, &ask) },
		run: func(ctx context.Context, args []string) error {
			tables, adapters, err := a.webAdapters()
			if err != nil {
				return host.WebRefusal(err)
			}
			if ask.dryRun {
				return a.webRehearse(args[0], ask, adapters)
			}
			ask.Query = args[0]
			return a.webOpen(ctx, ask, tables, adapters)
		},
	})
}

func (a *app) webFlags(f *pflag.FlagSet, ask *webAsk) {
	ask.given = f
	a.webRequestFlags(f, ask)
	f.StringVar(&ask.tools, "tools", "", a.webSay("`FILE|-` with the host's tools in JSON (default: web.yaml of the home, else one of each capability)"))
	f.BoolVar(&ask.dryRun, "dry-run", false, a.webSay("TASK is a file, or -, with {request, host, outcomes}: go through it as if the calls went so"))
}

// webRequestFlags are those of what is asked for.
func (a *app) webRequestFlags(f *pflag.FlagSet, ask *webAsk) {
	f.StringArrayVar(&ask.URLs, "url", nil, a.webSay("`URL` to read (repeat); addresses in the task count too"))
	f.StringSliceVar(&ask.needs, "need", nil, a.webSay("what the page needs: `js,visual,login,actions,fresh`"))
	f.StringVar(&ask.Site, "site", "", a.webSay("`SITE` that a tool may know"))
	f.StringVar(&ask.Operation, "operation", "", a.webSay("`OPERATION` of the site"))
	f.StringArrayVar(&ask.SideEffects, "effect", nil, a.webSay("`ACTION` that changes something: post, pay, upload … (repeat)"))
	f.StringArrayVar(&ask.Prefer, "prefer", nil, a.webSay("`TOOL` that goes first (repeat)"))
	f.StringArrayVar(&ask.Forbid, "forbid", nil, a.webSay("`TOOL` that is never used (repeat)"))
	f.IntVar(&ask.Enough, "enough", 0, a.webSay("how many good sources suffice (default: all)"))
}

// webRehearse goes through a case from a file. What happens in it is its answer, good or bad.
func (a *app) webRehearse(path string, ask webAsk, adapters web.Adapters) error {
	for _, name := range []string{"url", "tools", "need", "site", "operation", "effect", "prefer", "forbid", "enough"} {
		if ask.given.Changed(name) {
			return sessions.Refuse(sessions.Usage, "flags_clash", "write it into the file's request or host", "--%s and --dry-run do not go together", name)
		}
	}
	file, err := a.readFrom(path, maxValue)
	if err != nil {
		return err
	}
	c, err := web.ReadCase(file)
	if err != nil {
		return host.WebRefusal(err)
	}
	r := web.Rehearse(c, adapters)
	return a.answer(r, func(p *page) error { p.rehearsal(r); return nil })
}

// webOpen says what would be done first for a task, and records it in the session, if there is one.
func (a *app) webOpen(ctx context.Context, ask webAsk, tables map[string]string, adapters web.Adapters) error {
	r, err := ask.request()
	if err != nil {
		return err
	}
	at, err := a.webHost(ask.tools, adapters)
	if err != nil {
		return host.WebRefusal(err)
	}
	o, err := web.Open(r, at, adapters)
	if err != nil {
		return host.WebRefusal(err)
	}
	if err := a.record(ctx, sessions.RouteTask{Router: "web", Task: r.Query, Tables: tables}, web.Case{Request: r, Host: at}); err != nil {
		return err
	}
	return a.answer(o, func(p *page) error { p.opening(o); return nil })
}

// request is what was typed, with the addresses in the task.
func (ask webAsk) request() (web.Request, error) {
	r := ask.Request
	r.URLs = append(r.URLs, web.TypedURLs(r.Query)...)
	return r, webNeed(&r.Need, ask.needs)
}

func webNeed(need *web.Need, names []string) error {
	fields := map[string]*bool{"js": &need.JS, "visual": &need.Visual, "login": &need.Login, "actions": &need.Actions, "fresh": &need.Fresh}
	for _, name := range names {
		field, known := fields[name]
		if !known {
			return sessions.Refuse(sessions.Usage, "bad_value", "use js, visual, login, actions or fresh", "--need %q is nothing that a page needs", name)
		}
		*field = true
	}
	return nil
}

// webHost is the host with its official entries: of the file that was named, else of the home or the
// binary. Where neither lists tools, the usual ones are assumed, and that is said.
func (a *app) webHost(path string, adapters web.Adapters) (web.Host, error) {
	home, err := a.homeDir()
	if err != nil {
		return web.Host{}, err
	}
	var file []byte
	if path != "" {
		if file, err = a.readFrom(path, maxValue); err != nil {
			return web.Host{}, err
		}
	}
	host, assumed, err := home.WebHost(file, adapters)
	if assumed && err == nil {
		a.note("%s", a.webSay("no --tools: one tool of each capability is assumed"))
	}
	return host, err
}

// webAdapters are those of the home, or of the binary when it has none. The home's file is given too.
func (a *app) webAdapters() (map[string]string, web.Adapters, error) {
	home, err := a.homeDir()
	if err != nil {
		return nil, web.Adapters{}, err
	}
	return home.WebAdapters()
}

func (a *app) webRecover() *cobra.Command {
	var after float64
	var f operation.WebRecover
	var given *pflag.FlagSet
	return a.verb(verb{
		use: "recover --error E", short: a.webSay("say what follows a failure: retry, switch, ask, stop"), need: []string{"error"},
		example: `
baton web recover --error timeout
baton web recover --error 429 --retry-after 20
baton web recover --error http_503 --error captcha --write`,
		flags: func(fs *pflag.FlagSet) {
			given = fs
			fs.StringArrayVar(&f.Errors, "error", nil, a.webSay("`CODE` or HTTP status (repeat: what it looks like)"))
			fs.Float64Var(&after, "retry-after", 0, a.webSay("`SECONDS` that the server asked for"))
			fs.BoolVar(&f.Retried, "retried", false, a.webSay("the tool was retried for this target already"))
			fs.BoolVar(&f.Write, "write", false, a.webSay("the call was to change something"))
		},
		run: func(context.Context, []string) error {
			if given.Changed("retry-after") {
				f.RetryAfter = &after
			}
			return a.webVerdict(f)
		},
	})
}

func (a *app) webVerdict(f operation.WebRecover) error {
	v, err := f.Verdict()
	if err != nil {
		return err
	}
	for _, text := range f.Errors {
		if web.ReadCode(text) == web.Unknown && text != string(web.Unknown) {
			a.note(a.webSay("%s is no known failure; known are %s"), text, webCodes())
		}
	}
	return a.answer(v, func(p *page) error { p.verdict(v); return nil })
}

func webCodes() string {
	var names []string
	for _, c := range web.Codes() {
		names = append(names, string(c))
	}
	return join(names)
}

func (a *app) webURLs() *cobra.Command {
	return a.verb(verb{
		use: "urls URL…", short: a.webSay("give addresses the form in which they are compared"), example: `baton web urls "HTTP://Example.ORG:80/a/../b?utm_source=x#y"`,
		args: func(c *cobra.Command, args []string) error { return between(1, "URL")(c, args[:min(1, len(args))]) },
		run: func(_ context.Context, args []string) error {
			list := operation.WebURLs{URLs: args}.Normalise()
			return a.answer(list, func(p *page) error { p.addresses(list); return nil })
		},
	})
}

// webSay gives a text of the web commands in the user's language.
func (a *app) webSay(text string) string {
	if i := slices.IndexFunc(webTexts, func(pair [2]string) bool { return pair[0] == text }); i >= 0 && a.lang == "zh" {
		return webTexts[i][1]
	}
	return text
}
