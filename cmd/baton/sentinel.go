package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/sessions"
)

func (a *app) sentinelCommand() *cobra.Command {
	return a.group("sentinel", "the first gate: what is refused before it is routed", `baton sentinel check "scan my own server for open ports"`, a.sentinelCheck())
}

func (a *app) sentinelCheck() *cobra.Command {
	var subtasks, skillNames string
	return a.verb(verb{
		use: "check TASK [--subtasks JSON] [--skills a,b]", short: "say whether a task would be let through", example: `baton sentinel check "scan my own server for open ports"`, args: exactly("TASK"),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&subtasks, "subtasks", "", a.say("`JSON` list of {type, target} (default: read from the task)"))
			f.StringVar(&skillNames, "skills", "", a.say("names of the skills there are, comma-separated"))
		},
		run: func(_ context.Context, args []string) error {
			r := sentinel.Request{Text: args[0], Env: a.variables(), Soft: true}
			var err error
			if r.Types, err = subTaskTypes(args[0], subtasks); err != nil {
				return err
			}
			if skillNames != "" {
				r.Skills = strings.Split(skillNames, ",")
			}
			return a.check(r)
		},
	})
}

// check prints the verdict; a refusal is an answer with an exit status of its own.
func (a *app) check(r sentinel.Request) error {
	guard, err := a.sentinel()
	if err != nil {
		return err
	}
	v := guard.Check(r)
	err = a.answer(v, func(p *page) error {
		if v.Proceed {
			p.line("proceed")
		} else {
			p.line("%s: %s (%s)", p.status("blocked", 0), v.Reason, v.Matched)
		}
		for _, w := range v.Warnings {
			p.line("warning: %s", w)
		}
		if v.Suggestion != "" {
			p.line("%s", v.Suggestion)
		}
		return nil
	})
	if err == nil && !v.Proceed {
		return answered(exitRefused)
	}
	return err
}

// sentinel goes by the rules of the home, or by those of the binary when it has none. Rules that
// cannot be read are no reason to be silent.
func (a *app) sentinel() (sentinel.Sentinel, error) {
	home, err := a.homeDir()
	if err != nil {
		return sentinel.Sentinel{}, err
	}
	path := filepath.Join(home.Dir, "sentinel.yaml")
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sentinel.New(nil)
	}
	var rules sentinel.Rules
	if err == nil {
		rules, err = sentinel.ReadRules(file)
	}
	if err != nil {
		return sentinel.Sentinel{}, sessions.Refuse(sessions.Usage, "sentinel_rules", "mend the file, or remove it", "%s: %v", path, err)
	}
	return sentinel.New(&rules)
}

func subTaskTypes(task, given string) ([]string, error) {
	if given == "" {
		reader, err := intent.New()
		if err != nil {
			return nil, err
		}
		return reader.Parse(task).Types(), nil
	}
	var list []intent.SubTask
	if err := json.Unmarshal([]byte(given), &list); err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_json", `give a list like [{"type":"search","target":"…"}]`, "--subtasks: %v", err)
	}
	return intent.Intent{SubTasks: list}.Types(), nil
}

// variables are the variables of the environment.
func (a *app) variables() map[string]string {
	out := map[string]string{}
	for _, entry := range a.environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			out[name] = value
		}
	}
	return out
}
