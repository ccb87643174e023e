package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/sessions"
)

func (a *app) completionCommand() *cobra.Command {
	c := a.verb(verb{
		use: "completion bash|zsh|fish", short: "print a script that completes commands in a shell",
		example: `source <(baton completion bash)`, args: exactly("bash|zsh|fish"),
	})
	run := func(_ context.Context, args []string) error {
		var script strings.Builder
		var err error
		switch args[0] {
		case "bash":
			err = c.Root().GenBashCompletionV2(&script, true)
		case "zsh":
			err = c.Root().GenZshCompletion(&script)
		case "fish":
			err = c.Root().GenFishCompletion(&script, true)
		default:
			return sessions.Refuse(sessions.Usage, "bad_value", "use bash, zsh or fish", "there is no completion for %q", args[0])
		}
		if err != nil {
			return err
		}
		return a.answer(map[string]string{"shell": args[0], "script": script.String()}, func(p *page) error { p.text(script.String()); return nil })
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		a.began = true
		return run(c.Context(), args)
	}
	return c
}
