package baton_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const (
	mostFileLines     = 500
	mostFunctionLines = 70
)

// emptyNames are names of packages that say nothing about what is in them.
var emptyNames = []string{"base", "common", "helpers", "manager", "models", "pkg", "shared", "types", "util", "utils"}

// mayPanic lists files whose panic can only be met by whoever builds the program, because what it
// reads is embedded.
var mayPanic = []string{"workers/agent/profile.go", "routing/"}

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	t.Parallel()
	var files, functions []int
	code, tests := 0, 0
	for _, s := range tree(t) {
		if s.lines > mostFileLines {
			t.Errorf("%s has %d lines, at most %d: it holds more than one idea", s.path, s.lines, mostFileLines)
		}
		if s.test || slices.Contains(forTests, s.pkg) {
			tests += s.lines
			continue
		}
		code += s.lines
		files = append(files, s.lines)
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			functions = append(functions, lines)
			if lines > mostFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d: it does not fit a screen", s.at(f), f.Name.Name, lines, mostFunctionLines)
			}
		}
	}
	t.Logf("%d files: median %d, p90 %d, max %d lines (budget 120, 300, 500)", len(files), quantile(files, 50), quantile(files, 90), slices.Max(files))
	t.Logf("%d functions: median %d, p90 %d, max %d lines (budget 10, 35, 70)", len(functions), quantile(functions, 50), quantile(functions, 90), slices.Max(functions))
	t.Logf("%d lines of code, %d of tests: %.2f a line (budget 0.9 to 1.3)", code, tests, float64(tests)/float64(code))
}

func quantile(numbers []int, percent int) int {
	slices.Sort(numbers)
	return numbers[(len(numbers)-1)*percent/100]
}

func TestPackagesSayWhyTheyExist(t *testing.T) {
	t.Parallel()
	comments := map[string]string{}
	for _, s := range tree(t) {
		if !s.test {
			comments[s.pkg] += s.file.Doc.Text()
		}
	}
	for pkg, comment := range comments {
		if lines := strings.Count(comment, "\n"); lines < 3 && !slices.Contains(forTests, pkg) {
			t.Errorf("%s has a package comment of %d lines: say why it exists and what it promises", pkg, lines)
		}
		if name := pkg[strings.LastIndexByte(pkg, '/')+1:]; slices.Contains(emptyNames, name) {
			t.Errorf("%s is named for nothing that is in it", pkg)
		}
	}
}

func TestNothingHappensOnImport(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: init runs before anybody asked", s.at(f))
			}
		}
		for imported, name := range s.imports() {
			if name == "_" && imported != "embed" || name == "." {
				t.Errorf("%s imports %s as %s", s.path, imported, name)
			}
		}
	}
}

func TestNothingPanicsOnInput(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		if s.test || slices.Contains(forTests, s.pkg) || slices.ContainsFunc(mayPanic, func(p string) bool { return strings.HasPrefix(s.path, p) }) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" {
					t.Errorf("%s: panic; give an error", s.at(n))
				}
			}
			return true
		})
	}
}

// TestOnlyMainEndsTheProgram: elsewhere an exit would skip what has yet to be closed.
func TestOnlyMainEndsTheProgram(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := sel.X.(*ast.Ident)
			exits := ok && (from.Name == "os" && sel.Sel.Name == "Exit" || from.Name == "log" && strings.HasPrefix(sel.Sel.Name, "Fatal"))
			if exits && s.path != "cmd/baton/main.go" && s.path != "cmd/eval/main.go" && !strings.HasPrefix(s.path, "workers/shim/") {
				t.Errorf("%s: %s.%s outside main", s.at(n), from.Name, sel.Sel.Name)
			}
			return true
		})
	}
}
