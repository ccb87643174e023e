package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/engine"
)

// table lists every command. Adding one is a file and a line.
var table = []func(*app) *cobra.Command{
	(*app).sessionCommand,
	(*app).statusCommand,
	(*app).routeCommand,
	(*app).callCommand,
	(*app).ctxCommand,
	(*app).switchCommand,
	(*app).traceCommand,
	(*app).replayCommand,
	(*app).workflowCommand,
	(*app).whyCommand,
	(*app).skillsCommand,
	(*app).acquireCommand,
	(*app).feedbackCommand,
	(*app).importCommand,
	(*app).intentCommand,
	(*app).sentinelCommand,
	(*app).sourceCommand,
	(*app).taskCommand,
	(*app).webCommand,
	(*app).eventsCommand,
	(*app).projectionsCommand,
	(*app).auditCommand,
	(*app).serveCommand,
	(*app).openCommand,
	(*app).workerCommand,
	(*app).mcpCommand,
	(*app).hookCommand,
	(*app).stopCommand,
	(*app).doctorCommand,
	(*app).benchCommand,
	(*app).configCommand,
	(*app).versionCommand,
	(*app).completionCommand,
}

// flags are the flags that every command takes.
type flags struct {
	json    bool
	session string
	home    string
	nats    string
	request string
	quiet   bool
	lang    string
}

// app is one use of the command: its flags and everything it has of the world outside.
type app struct {
	flags
	args    []string
	environ []string // "name=value" each
	in      io.Reader
	out     io.Writer
	err     io.Writer
	now     func() time.Time
	place   string // of an error: the command that was typed
	began   bool   // the command itself runs: flags and arguments were well-formed
}

// run is the whole program. It returns the exit status.
func run(args []string, env []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{args: args, environ: env, in: stdin, out: stdout, err: stderr, now: time.Now}
	defer func() {
		if r := recover(); r != nil {
			code = a.finish(fmt.Errorf("internal fault: %v", r))
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends at once: nothing acknowledged is lost by it
	a.lang = a.language()
	root := a.root()
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	a.place = c.CommandPath()
	return a.finish(err)
}

func (a *app) root() *cobra.Command {
	root := a.group("baton", "chain skills and agents; every decision is in the log", `
baton session new --goal "research into an article" --mode auto
baton route "turn the research into an article"
baton workflow run research-publish --input topic="AI agents"
baton trace`)
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return a.unknownCommand(c, args[0])
		}
		return c.Help()
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = a.write(a.help(c)) })
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetIn(a.in)
	f := root.PersistentFlags()
	f.BoolP("help", "h", false, a.say("show an example and the flags"))
	f.BoolVar(&a.json, "json", false, a.say("print one JSON document and nothing else"))
	f.StringVar(&a.session, "session", "", a.say("`ID` of the session, a prefix of it, or @last (default: the active one of this workspace)"))
	f.StringVar(&a.home, "home", "", a.say("`DIR` of the installation (BATON_HOME, default ~/.baton)"))
	f.StringVar(&a.nats, "nats", "", a.say("`URL` of a NATS cluster (BATON_NATS_URL)"))
	f.StringVar(&a.request, "request-id", "", a.say("`ID` that makes the command repeatable"))
	f.BoolVar(&a.quiet, "quiet", false, a.say("no messages and no progress on stderr"))
	f.StringVar(&a.lang, "lang", a.lang, a.say("language of texts, `en|zh`"))
	root.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true, Args: cobra.ArbitraryArgs, RunE: func(c *cobra.Command, args []string) error {
		if at, _, err := root.Find(args); err == nil {
			return at.Help()
		}
		return a.unknownCommand(root, strings.Join(args, " "))
	}})
	for _, command := range table {
		root.AddCommand(command(a))
	}
	return root
}

// Env gives a variable of the environment; "" when it is not set.
func (a *app) Env(name string) string {
	for _, entry := range slices.Backward(a.environ) {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// meta is what every command of this use brings along.
func (a *app) meta() engine.Meta { return engine.Meta{Actor: "cli", Request: a.request} }

// raw finds a global flag in the arguments as they were typed, for what is needed before or in spite
// of their being read.
func (a *app) raw(name string) (value string, ok bool) {
	for i, arg := range a.args {
		switch {
		case arg == "--":
			return "", false
		case arg == "--"+name && i+1 < len(a.args):
			return a.args[i+1], true
		case arg == "--"+name:
			return "", true
		case strings.HasPrefix(arg, "--"+name+"="):
			return strings.TrimPrefix(arg, "--"+name+"="), true
		}
	}
	return "", false
}

// wantsJSON says whether the answer is JSON, also when the flags could not be read.
func (a *app) wantsJSON() bool {
	if a.json || a.began {
		return a.json
	}
	value, ok := a.raw("json")
	return ok && value != "false"
}
