package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/batonflow/baton/sessions"
)

// trusted is the answer to `skills trust`.
type trusted struct {
	Trusted string `json:"trusted"`
}

// skillsTrust lets the skills of a project folder be chosen. Whoever can write there can then say
// what is run.
func (a *app) skillsTrust() *cobra.Command {
	return a.verb(verb{
		use: "trust DIR", short: "let the skills of a project folder be chosen", args: exactly("DIR"),
		example: `
baton skills trust .`,
		run: func(_ context.Context, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err == nil {
				dir, err = filepath.EvalSymlinks(dir)
			}
			if info, stat := os.Stat(dir); err != nil || stat != nil || !info.IsDir() {
				return sessions.Refuse(sessions.NotFound, "folder_not_found", "name a folder that is there", "%q is no folder", args[0])
			}
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			if err := home.Trust(dir); err != nil {
				return err
			}
			return a.answer(trusted{dir}, func(p *page) error { p.line("%s", dir); return nil })
		},
	})
}
