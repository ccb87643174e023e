package main

import (
	"context"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
)

// openCommand makes the link that lets a browser in.
func (a *app) openCommand() *cobra.Command {
	var only bool
	return a.verb(verb{
		use: "open [--print]", short: "open the page in a browser, by a link that works once", example: `
baton open
baton open --print`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&only, "print", false, a.say("print the link and open nothing")) },
		run: func(ctx context.Context, _ []string) error {
			return a.linked(ctx, func(l *link) error {
				raw, err := l.Query(ctx, "web.link", "", engine.None{})
				made, err := engine.As[host.WebLink](raw, err)
				if err != nil {
					return err
				}
				if err := a.answer(made, func(p *page) error { p.line("%s", made.URL); return nil }); err != nil {
					return err
				}
				if !only {
					a.browse(made.URL)
				}
				return nil
			})
		},
	})
}

// browse shows a page in the browser of whoever sits at this machine. Where there is none, the link that
// was printed is followed by hand.
func (a *app) browse(url string) {
	argv := a.browser()
	if argv == nil {
		a.notice("%s", a.say("there is no browser here: follow the link within two minutes"))
		return
	}
	shows := exec.Command(argv[0], append(argv[1:], url)...) // it may be the browser itself, and stay
	if err := shows.Start(); err != nil {
		a.notice("%s", a.say("the browser did not open: follow the link within two minutes"))
		return
	}
	_ = shows.Process.Release() // whatever becomes of it
}

// browser is what opens an address: BROWSER, or what the system has for it.
func (a *app) browser() []string {
	if named := a.Env("BROWSER"); named != "" {
		return []string{named}
	}
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil || a.Env("DISPLAY") == "" && a.Env("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{path}
}
