package main

import (
	"strings"
	"testing"

	"github.com/batonflow/baton/api/operation"
)

// TestEveryOperationHasItsCommand holds the table of operations against the tree of commands.
func TestEveryOperationHasItsCommand(t *testing.T) {
	t.Parallel()
	a, _, _ := testApp(t)
	root := a.root()
	for _, o := range operation.Table() {
		c, rest, err := root.Find(strings.Fields(o.Command))
		if err != nil || len(rest) > 0 || c.CommandPath() != "baton "+o.Command || c.RunE == nil {
			t.Errorf("%s names the command %q, which there is not", o.Name, o.Command)
		}
	}
}
