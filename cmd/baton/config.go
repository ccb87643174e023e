package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/cmd/baton/config"
)

func (a *app) configCommand() *cobra.Command {
	return a.group("config", "what is set for this installation", "baton config show", a.configShowCommand())
}

// configured is the answer of config show.
type configured struct {
	File     string         `json:"file"` // which need not be there
	Settings []config.Value `json:"settings"`
}

func (a *app) configShowCommand() *cobra.Command {
	return a.verb(verb{
		use: "show", short: "show every setting with where its value came from", example: `
baton config show
BATON_LEASE=30s baton config show --json`,
		run: func(context.Context, []string) error {
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			set, err := a.settings(nil)
			if err != nil {
				return err
			}
			return a.answer(configured{home.Config(), set.Values()}, func(p *page) error {
				for _, v := range set.Values() {
					value := fmt.Sprint(v.Value)
					if strings.TrimSpace(value) == "" {
						value = "-"
					}
					p.line("%s %s  %s", styled(pad(v.Key, 24)), pad(value, 24), v.Source)
				}
				return nil
			})
		},
	})
}
