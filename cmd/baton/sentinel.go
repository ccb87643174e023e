package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/api/operation"
	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/routing/intent"
	"github.com/batonflow/baton/routing/sentinel"
	"github.com/batonflow/baton/routing/skill"
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
			book, err := a.rules()
			if err != nil {
				return err
			}
			ask := operation.SentinelCheck{Task: args[0]}
			if ask.SubTasks, err = readSubTasks(subtasks); err != nil {
				return err
			}
			if skillNames != "" {
				ask.Skills = strings.Split(skillNames, ",")
			}
			return a.check(host.CheckTask(book, a.variables(), ask))
		},
	})
}

// check prints the verdict; a refusal is an answer with an exit status of its own.
func (a *app) check(v sentinel.Verdict) error {
	err := a.answer(v, func(p *page) error {
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

// rules are those by which the home routes.
func (a *app) rules() (*skill.Book, error) {
	home, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	return home.Rules(false)
}

func readSubTasks(given string) (list []intent.SubTask, err error) {
	if given == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(given), &list); err != nil {
		return nil, sessions.Refuse(sessions.Usage, "bad_json", `give a list like [{"type":"search","target":"…"}]`, "--subtasks: %v", err)
	}
	return append([]intent.SubTask{}, list...), nil
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
