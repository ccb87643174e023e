package baton_test

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// shownBy matches a test that the page names: `package: TestName` or, for a script, `package: TestScripts/name`.
var shownBy = regexp.MustCompile("`([a-z/]+): (Test[A-Za-z0-9]+)(?:/([a-z_]+))?`")

// TestGuaranteesAreShown: each row names tests that there are, or says that none shows it yet; and each fault of
// the list has a row.
func TestGuaranteesAreShown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, s := range tree(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				there[s.pkg+": "+f.Name.Name] = true
			}
		}
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| fault") {
			continue
		}
		rows++
		named := shownBy.FindAllStringSubmatch(line, -1)
		if len(named) == 0 && !strings.Contains(line, "not yet") {
			t.Errorf("nothing shows it: %s", line)
		}
		for _, m := range named {
			if !there[m[1]+": "+m[2]] {
				t.Errorf("there is no %s in %s", m[2], m[1])
			}
			if m[3] == "" {
				continue
			}
			if _, err := os.Stat(m[1] + "/testdata/" + m[3] + ".txtar"); err != nil {
				t.Errorf("the script of %s is not there: %v", m[0], err)
			}
		}
	}
	for _, fault := range []string{"1", "1b", "2", "3", "4", "5", "6", "7", "8", "9", "9b", "9c", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"} {
		if !strings.Contains(string(page), "\n| "+fault+". ") {
			t.Errorf("fault %s has no row", fault)
		}
	}
	if rows < 30 {
		t.Errorf("only %d rows were read", rows)
	}
}
