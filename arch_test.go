package baton_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// The layers, from the inside out. A package may import what lies in a layer below its own.
const (
	facts  = iota // what can happen
	rules         // pure decisions and folds
	ports         // what is asked of the substrate
	work          // load, decide, append; claim, run, report
	edges         // one technology each
	wiring        // puts the parts of a process together
	door          // the command line
)

// layers says where each package lies; a folder stands for all below it that have no line of their own.
var layers = map[string]int{
	"events":           facts,
	"sessions":         rules,
	"workflows":        rules,
	"schedules":        rules,
	"projections":      rules,
	"routing":          rules,
	"skills":           rules,
	"skills/acquire":   edges,
	"skills/disk":      edges,
	"stream":           ports,
	"engine":           work,
	"workers":          work,
	"workers/shim":     edges,
	"workers/exec":     edges,
	"workers/agent":    edges,
	"workers/skill":    edges,
	"workers/builtin":  edges,
	"workers/http":     edges,
	"workers/local":    edges,
	"workers/fetch":    edges,
	"workers/mcp":      edges,
	"telemetry":        edges,
	"stream/memory":    edges,
	"stream/jetstream": edges,
	"api":              edges,
	"cmd/baton/config": edges,
	"cmd/baton/host":   wiring,
	"cmd/baton/bench":  wiring,
	"cmd/baton":        door,
	"cmd/eval":         door,
	"test":             door, // modules of their own, and what drives a browser
}

// forTests lists packages that only tests may import.
var forTests = []string{"stream/streamtest", "stream/jetstream/natstest", "stream/memory", "workers/shim/shimtest", "workers/workerstest"}

// mayUse lists the modules beyond the standard library that pure packages use: libraries that are
// pure themselves.
var mayUse = []string{"go.yaml.in/yaml/v3", "github.com/expr-lang/expr", "golang.org/x/text", "github.com/kljensen/snowball", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/mod/sumdb"}

// values lists packages below net that hold values and reach nothing.
var values = []string{"net/netip", "net/url"}

// impure lists imports that a pure package does not have, with all below them.
var impure = []string{
	"context", "crypto/rand", "database", "log", "math/rand", "net", "os", "plugin", "runtime", "syscall", "testing", "unsafe",
}

// reaching lists functions of otherwise harmless packages that reach for the clock, the time zone, the
// disk or the terminal.
var reaching = map[string][]string{
	"time":          {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"},
	"path/filepath": {"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"},
	"fmt":           {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

// layer finds a package's layer by its folder or the nearest one above it.
func layer(pkg string) (int, bool) {
	for at := pkg; ; {
		if l, ok := layers[at]; ok {
			return l, true
		}
		cut := strings.LastIndexByte(at, '/')
		if cut < 0 {
			return 0, false
		}
		at = at[:cut]
	}
}

func pure(pkg string) bool {
	l, ok := layer(pkg)
	return ok && l <= rules
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		if s.test || s.pkg == "." || slices.Contains(forTests, s.pkg) {
			continue
		}
		own, ok := layer(s.pkg)
		if !ok {
			t.Errorf("%s lies in no layer: give it a line in layers", s.pkg)
			continue
		}
		for imported := range s.imports() {
			pkg, ok := ours(imported)
			if !ok {
				continue
			}
			below, known := layer(pkg)
			if !known || below > own || below == own && !neighbours(s.pkg, pkg) {
				t.Errorf("%s: %s imports %s, which does not lie below it", s.path, s.pkg, pkg)
			}
		}
	}
}

// neighbours says whether one package may import another of its own layer: rules may build on rules,
// and what lies below one folder belongs together.
func neighbours(from, to string) bool {
	top := func(pkg string) string { first, _, _ := strings.Cut(pkg, "/"); return first }
	return pure(from) || top(from) == top(to)
}

func TestOnlyTestsImportTestPackages(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		if s.test || slices.Contains(forTests, s.pkg) {
			continue
		}
		for imported := range s.imports() {
			if pkg, ok := ours(imported); ok && slices.Contains(forTests, pkg) || imported == "testing" {
				t.Errorf("%s imports %s, which is for tests", s.path, imported)
			}
		}
	}
}

func TestOnlyTheAdapterKnowsNATS(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		for imported := range s.imports() {
			if strings.HasPrefix(imported, "github.com/nats-io/") && s.pkg != "stream/jetstream" {
				t.Errorf("%s imports %s; only stream/jetstream may", s.path, imported)
			}
		}
	}
}

func TestEventsNeedNothing(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		if s.test || s.pkg != "events" && s.pkg != "events/schema" {
			continue
		}
		for imported := range s.imports() {
			if !standard(imported) {
				t.Errorf("%s imports %s; events use the standard library only", s.path, imported)
			}
		}
	}
}

func TestPureCodeStaysPure(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		if s.test || !pure(s.pkg) {
			continue
		}
		names := s.imports()
		for imported := range names {
			if _, mine := ours(imported); !mine && !standard(imported) && !slices.ContainsFunc(mayUse, below(imported)) {
				t.Errorf("%s imports %s; pure code uses %v", s.path, imported, mayUse)
			}
			if slices.ContainsFunc(impure, below(imported)) && !slices.Contains(values, imported) {
				t.Errorf("%s imports %s; pure code knows no clock, chance, file, network or process", s.path, imported)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if what := reaches(n, names); what != "" {
				t.Errorf("%s: %s; what is outside comes in as a value", s.at(n), what)
			}
			return true
		})
	}
}

// below says whether an import is a package or lies below it.
func below(imported string) func(string) bool {
	return func(root string) bool { return imported == root || strings.HasPrefix(imported, root+"/") }
}

// reaches names what a node of pure code does that it may not; empty: nothing.
func reaches(n ast.Node, names map[string]string) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "starts a goroutine"
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "print" || name.Name == "println") {
			return "calls " + name.Name
		}
	case *ast.SelectorExpr:
		from, ok := n.X.(*ast.Ident)
		if !ok || from.Obj != nil {
			return "" // a field or method, or a variable that hides a package
		}
		for imported, functions := range reaching {
			if names[imported] == from.Name && slices.Contains(functions, n.Sel.Name) {
				return "uses " + imported + "." + n.Sel.Name
			}
		}
	}
	return ""
}

// TestTheRulesBite holds the checks against code that breaks them, so that a rule that sees nothing
// is noticed.
func TestTheRulesBite(t *testing.T) {
	t.Parallel()
	names := map[string]string{"time": "clock", "fmt": "fmt"}
	call := func(pkg, name string) ast.Node {
		return &ast.SelectorExpr{X: ast.NewIdent(pkg), Sel: ast.NewIdent(name)}
	}
	for _, n := range []ast.Node{call("clock", "Now"), call("fmt", "Println"), &ast.GoStmt{}, &ast.CallExpr{Fun: ast.NewIdent("println")}} {
		if reaches(n, names) == "" {
			t.Errorf("%T is not found", n)
		}
	}
	for _, n := range []ast.Node{call("clock", "Unix"), call("time", "Now"), call("fmt", "Sprint")} {
		if what := reaches(n, names); what != "" {
			t.Errorf("%T is said to be: %s", n, what)
		}
	}
	if l, ok := layer("routing/task"); !ok || l != rules {
		t.Errorf("a new router lies in layer %d, %v", l, ok)
	}
	if _, ok := layer("utils"); ok {
		t.Error("a package out of nowhere has a layer")
	}
	if neighbours("engine", "workers") || !neighbours("workers/agent", "workers/exec") || !neighbours("workflows", "sessions") {
		t.Error("neighbours are told wrongly")
	}
}
