package baton_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/batonflow/baton"

// source is one Go file of the tree.
type source struct {
	path  string // from the root, with slashes
	pkg   string // its folder
	test  bool
	lines int
	file  *ast.File
	set   *token.FileSet
}

// sources reads every Go file of the module, for all platforms; other modules (tools) and test data
// are left out.
var sources = sync.OnceValues(func() ([]source, error) {
	var all []source
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			base := d.Name()
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || name == "tools" || name == "outputs") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{
			path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			lines: set.File(file.Pos()).LineCount(), file: file, set: set,
		})
		return nil
	})
	return all, err
})

// tree gives the module's files.
func tree(t *testing.T) []source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files were found: the test does not see the tree", len(all))
	}
	return all
}

// at names a place in a file.
func (s source) at(n ast.Node) string {
	p := s.set.Position(n.Pos())
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// imports lists the paths that the file imports, and the names under which it does.
func (s source) imports() map[string]string {
	names := make(map[string]string, len(s.file.Imports))
	for _, spec := range s.file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser takes nothing else than a quoted path
		}
		name := path.Base(imported)
		if name == "v2" || name == "v3" {
			name = path.Base(path.Dir(imported))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[imported] = name
	}
	return names
}

// ours gives the folder of an imported package of this module.
func ours(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// standard says whether an import is of the standard library.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
