package main

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	sourcing "github.com/batonflow/baton/routing/source"
	"github.com/batonflow/baton/routing/way"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/entrypoint"
	"github.com/batonflow/baton/workflows"
)

// sourcesFile says in the home how providers are asked.
const sourcesFile = "sources.yaml"

// searchAsk is what `source run` was given.
type searchAsk struct {
	commands []string
	sources  string
	timeout  string
}

func (a *app) sourceRun() *cobra.Command {
	var ask searchAsk
	return a.verb(verb{
		use: "run PLAN|- [--provider-cmd NAME=CMD]…", short: a.sourceSay("search as planned, over the providers that are configured"),
		example: `
baton source plan task.json --json | baton source run -
baton source run task.json --provider-cmd 'tavily_search=./tavily.sh {query}' --timeout 10s`,
		args: exactly("PLAN"),
		flags: func(f *pflag.FlagSet) {
			f.StringArrayVar(&ask.commands, "provider-cmd", nil, a.sourceSay("`NAME=CMD` asks a provider by a program; {query} stands for what is asked, stdin has it too (repeat)"))
			f.StringVar(&ask.sources, "sources", "", a.sourceSay("`FILE` that says how providers are asked (default: sources.yaml of the home)"))
			f.StringVar(&ask.timeout, "timeout", "", a.sourceSay("how long an answer is waited for (default and most: `30s`)"))
		},
		run: func(ctx context.Context, args []string) error { return a.searchAlong(ctx, args[0], ask) },
	})
}

// searchAlong plans, if there is no plan yet, and carries the plan out.
func (a *app) searchAlong(ctx context.Context, path string, ask searchAsk) error {
	document, err := a.readFrom(path, maxSourceTask)
	if err != nil {
		return err
	}
	tools, err := a.sourceTools(ask)
	if err != nil {
		return err
	}
	plan, decision, faults, err := a.searchPlan(document)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return a.sourceAnswer(plan, faults)
	}
	start, err := a.newRouted("source", "source "+plan.TaskID, workflows.SearchDocument{Plan: plan, Tools: tools})
	if err != nil {
		return err
	}
	start.Route = decision
	return a.linked(ctx, func(l *link) error {
		return a.runRouted(ctx, l, start, func(l *link, w engine.Watched) error { return a.searched(ctx, l, w) })
	})
}

// searchPlan reads a plan, or makes one of the description of a task: a decision that is recorded.
func (a *app) searchPlan(document []byte) (sourcing.Plan, *sessions.RouteTask, sourcing.Errors, error) {
	if sourcing.IsPlan(document) {
		plan, err := sourcing.ReadPlan(document)
		if err != nil {
			return plan, nil, nil, sessions.Refuse(sessions.Usage, "E_PLAN", a.sourceSay("make one with `baton source plan … --json`"), "%s", strings.TrimPrefix(err.Error(), "E_PLAN: "))
		}
		return plan, nil, nil, nil
	}
	router, tables, err := a.sourceRouter()
	if err != nil {
		return sourcing.Plan{}, nil, nil, err
	}
	plan, faults := router.Plan(document)
	ask := host.SourceAsk(plan, tables)
	ask.Input.JSON = json.RawMessage(document)
	return plan, &ask, faults, nil
}

// sourceTools is how providers are asked: by the file, and by what was typed.
func (a *app) sourceTools(ask searchAsk) (sourcing.Tools, error) {
	var tools sourcing.Tools
	home, err := a.homeDir()
	if err != nil {
		return tools, err
	}
	path := filepath.Join(home.Dir, sourcesFile)
	file, err := home.File(sourcesFile)
	if ask.sources != "" {
		path = ask.sources
		file, err = a.readFrom(path, maxSourceTask)
	}
	if err != nil {
		return tools, err
	}
	if tools, err = sourcing.ReadTools(file); err != nil {
		return tools, sessions.Refuse(sessions.Usage, "E_SOURCES", a.sourceSay("mend the file, or remove it"), "%s: %s", path, strings.TrimPrefix(err.Error(), "E_SOURCES: "))
	}
	if path, err = filepath.Abs(filepath.Dir(path)); err != nil {
		return tools, err
	}
	tools = tools.From(path)
	if ask.timeout != "" {
		tools.Timeout = ask.timeout
	}
	return a.typedTools(tools, ask.commands)
}

// typedTools adds the providers that were given by their commands.
func (a *app) typedTools(tools sourcing.Tools, commands []string) (sourcing.Tools, error) {
	tools.Providers = maps.Clone(tools.Providers)
	if tools.Providers == nil {
		tools.Providers = map[string]way.Way{}
	}
	for _, text := range commands {
		name, command, found := strings.Cut(text, "=")
		argv, err := typedCommand(command)
		if !found || err != nil {
			return tools, sessions.Refuse(sessions.Usage, "bad_pair", "write --provider-cmd 'web_search=./search.sh {query}'", "--provider-cmd %q names no provider and command", text)
		}
		tool := way.Way{}
		for _, word := range argv {
			tool.Exec = append(tool.Exec, word)
		}
		tools.Providers[strings.TrimSpace(name)] = tool
	}
	if err := tools.Check(); err != nil {
		return tools, sessions.Refuse(sessions.Usage, "E_SOURCES", "see `baton source run -h`", "%v", err)
	}
	return tools, nil
}

// typedCommand gives the words of a command that a user typed. One that needs a shell gets it; what is
// asked comes to it as a variable and is never a part of its text.
func typedCommand(command string) ([]string, error) {
	if strings.ContainsAny(command, "|&;<>()`\n") {
		script := `query=$1; export query; ` + strings.ReplaceAll(command, "{query}", `"$query"`)
		return []string{"sh", "-c", script, "sh", "{query}"}, nil
	}
	return entrypoint.Argv(command, map[string]string{"query": "{query}"})
}

// searched shows how a search ended. One in which nobody answered has failed.
func (a *app) searched(ctx context.Context, l *link, w engine.Watched) error {
	raw, err := l.Query(ctx, "run.routed", w.Session, engine.RunAsk{Run: w.Run})
	if err := reply(a, raw, err, (*page).search); err != nil {
		return err
	}
	if w.Status == workflows.Completed {
		return nil
	}
	return answered(exitFailed)
}
