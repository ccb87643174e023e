package operation_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/api/operation"
)

var update = flag.Bool("update", false, "rewrite docs/http.md")

// TestDocumentedOperations holds the list in docs/http.md against the table.
func TestDocumentedOperations(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/http.md", "<!-- operations -->\n", "<!-- end -->"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), begin)
	was, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the list", path)
	}
	var list strings.Builder
	list.WriteString("| route | command | MCP tool | |\n|---|---|---|---|\n")
	for _, o := range operation.Table() {
		tool := ""
		if o.Tool != "" {
			tool = "`" + o.Tool + "`"
		}
		fmt.Fprintf(&list, "| `%s` | `%s` | %s | %s |\n", o.Route, o.Command, tool, o.Summary)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+list.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(was, list.String()); diff != "" {
		t.Errorf("run make update:\n%s", diff)
	}
}
