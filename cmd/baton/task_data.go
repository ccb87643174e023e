package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/sessions"
)

func (a *app) taskData() *cobra.Command {
	var schema bool
	return a.verb(verb{
		use: "data rules|genes|atoms", short: a.taskSay("print a table of the task router, or its JSON Schema"),
		example: `
baton task data atoms > ~/.baton/task-atoms.yaml
baton task data rules --schema`, args: exactly("TABLE"),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&schema, "schema", false, a.taskSay("the JSON Schema of the table"))
		},
		run: func(_ context.Context, args []string) error {
			data, _, err := a.taskRouter()
			if err != nil {
				return a.taskRefusal(err)
			}
			own := task.DefaultData()
			if schema {
				data, own = task.Schemas(), task.Schemas()
			}
			files := map[string][2][]byte{"rules": {data.Rules, own.Rules}, "genes": {data.Genes, own.Genes}, "atoms": {data.Atoms, own.Atoms}}
			file, ok := files[args[0]]
			if !ok {
				return sessions.Refuse(sessions.Usage, "bad_value", "use rules, genes or atoms", "there is no table %q", args[0])
			}
			if file[0] != nil { // that of the home
				return a.write(file[0])
			}
			return a.write(file[1])
		},
	})
}
