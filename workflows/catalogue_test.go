package workflows_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/batonflow/baton/events"
)

// ignored lists the events that no session's fold takes, and why.
var ignored = map[string]string{
	"skills.scanned":   "it stands on an entity of its own",
	"permit.granted":   "it stands on an entity of its own",
	"permit.freed":     "it stands on an entity of its own",
	"feedback.cleared": "it stands on an entity of its own",
	"schedule.set":     "it stands on an entity of its own",
	"schedule.fired":   "it stands on an entity of its own",
	"schedule.skipped": "it stands on an entity of its own",
	"schedule.queued":  "it stands on an entity of its own",
	"schedule.paused":  "it stands on an entity of its own",
	"schedule.resumed": "it stands on an entity of its own",
	"schedule.removed": "it stands on an entity of its own",
}

// TestEveryEventIsFolded finds events of the catalogue that no case of a fold names.
func TestEveryEventIsFolded(t *testing.T) {
	t.Parallel()
	folded := map[string]bool{}
	for _, file := range []string{"../sessions/fold.go", "fold.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(strings.ToLower(f.Name.Name), "fold") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok {
					for _, e := range c.List {
						if of, ok := e.(*ast.SelectorExpr); ok {
							folded[of.Sel.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	for _, e := range events.Catalogue {
		_, skip := ignored[e.Type]
		if name := reflect.TypeOf(e.Zero()).Name(); folded[name] == skip {
			t.Errorf("%s: folded %t, on the list of those ignored %t", e.Type, folded[name], skip)
		}
	}
}
