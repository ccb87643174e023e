package baton_test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// declarations notes the text constants and the functions that take a code.
func (r *codeReader) declarations(s source) {
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					r.constant(s.pkg, d.Tok, v)
				}
			}
		case *ast.FuncDecl:
			names := paramsOf(d)
			if givesCodes.MatchString(d.Name.Name) && slices.Contains(names, "code") {
				r.params[s.pkg+"."+d.Name.Name] = names
				if d.Name.IsExported() {
					r.params["."+d.Name.Name] = names
				}
			}
		}
	}
}

func paramsOf(d *ast.FuncDecl) (names []string) {
	for _, field := range d.Type.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// wrappers finds functions that hand their parameter code to one that gives codes. It says whether there
// are more than were known.
func (r *codeReader) wrappers(all []source) (more bool) {
	for _, s := range all {
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || s.test || d.Body == nil || !slices.Contains(paramsOf(d), "code") || r.params[s.pkg+"."+d.Name.Name] != nil {
				continue
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if params, at := r.codeAt(s.pkg, call); at >= 0 && params != nil && nameOf(call.Args[at]) == "code" {
					r.params[s.pkg+"."+d.Name.Name], more = paramsOf(d), true
				}
				return true
			})
		}
	}
	return more
}

// codeAt gives the names of a called function's parameters, and which of them is the code; -1: none.
func (r *codeReader) codeAt(pkg string, call *ast.CallExpr) (params []string, at int) {
	name := nameOf(call.Fun)
	params = r.params[pkg+"."+name]
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && params == nil {
		if _, from := sel.X.(*ast.Ident); from {
			params = r.params["."+name]
		}
	}
	if at = slices.Index(params, "code"); at >= len(call.Args) {
		at = -1
	}
	return params, at
}

func (r *codeReader) constant(pkg string, kind token.Token, v *ast.ValueSpec) {
	for i, name := range v.Names {
		if i >= len(v.Values) {
			continue
		}
		text, ok := literalText(v.Values[i])
		if ok && kind == token.CONST {
			r.constants[pkg+"."+name.Name] = text
		}
		if ok && nameOf(v.Type) == "Code" { // codes with a type of their own
			r.found = append(r.found, said{code: text, chapter: chapters[1].name, message: strings.TrimSpace(v.Comment.Text())})
		}
		if call, ok := v.Values[i].(*ast.CallExpr); ok && nameOf(call.Fun) == "New" && len(call.Args) == 1 {
			r.sentinel(pkg, call.Args[0])
		}
	}
}

// sentinel takes an error whose text begins with a code.
func (r *codeReader) sentinel(pkg string, arg ast.Expr) {
	text, _ := literalText(arg)
	code, rest, _ := strings.Cut(text, ": ")
	if !strings.HasPrefix(code, "E_") || !looksLikeCode.MatchString(code) {
		return
	}
	message, hint, _ := strings.Cut(rest, "; ")
	r.found = append(r.found, said{code, chapterOf(pkg, ""), "", message, hint})
}

// file looks at every call and every composite value of a file.
func (r *codeReader) file(s source) {
	for _, decl := range s.file.Decls {
		within, own := "", ""
		if f, ok := decl.(*ast.FuncDecl); ok {
			within = s.path + " " + f.Name.Name
			if r.params[s.pkg+"."+f.Name.Name] != nil {
				own = "code"
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				r.call(s, n, within, own)
			case *ast.CompositeLit:
				r.composite(s, n)
			}
			return true
		})
	}
}

func (r *codeReader) call(s source, call *ast.CallExpr, within, own string) {
	name := nameOf(call.Fun)
	params, at := r.codeAt(s.pkg, call)
	if at < 0 {
		return
	}
	arg := func(names ...string) ast.Expr {
		for _, name := range names {
			if i := slices.Index(params, name); i >= 0 && i < len(call.Args) {
				return call.Args[i]
			}
		}
		return nil
	}
	entry := said{chapter: chapterOf(s.pkg, name), message: words(arg("message", "format", "want", "reason", "err")), hint: words(arg("hint"))}
	if kind := arg("kind"); kind != nil {
		entry.exit = exitOf(nameOf(kind))
	} else if class := arg("class"); class != nil {
		entry.exit = classOf(strings.ToLower(nameOf(class)))
	}
	if code, ok := r.text(s.pkg, call.Args[at]); ok {
		if code == "" {
			return // nothing is wrong
		}
		entry.code = code
		r.found = append(r.found, entry)
		return
	}
	if nameOf(call.Args[at]) == own && own != "" || passedOn(call.Args[at]) {
		return // it passes on what it was given
	}
	codes, known := computed[within]
	if !known {
		r.t.Errorf("%s: the code is no constant; say in computed what it can be", s.at(call))
	}
	for _, code := range codes {
		entry.code = code
		r.found = append(r.found, entry)
	}
}

// passedOn says whether a code is that of another refusal: r.Code, or an error that is a code.
func passedOn(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "code" // cut from the front of an error
	case *ast.SelectorExpr:
		return e.Sel.Name == "Code" || e.Sel.Name == "Reason"
	case *ast.CallExpr:
		return nameOf(e.Fun) == "Error"
	}
	return false
}

// composite takes values with a field Code, such as events.Failure{Class: …, Code: …, Message: …}.
func (r *codeReader) composite(s source, lit *ast.CompositeLit) {
	fields := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			fields[nameOf(kv.Key)] = kv.Value
		}
	}
	code, ok := r.text(s.pkg, fields["Code"])
	if !ok || !looksLikeCode.MatchString(code) {
		return
	}
	entry := said{code: code, chapter: chapterOf(s.pkg, nameOf(lit.Type)), hint: words(fields["Hint"])}
	entry.message = words(fields["Message"])
	if entry.message == "" {
		entry.message = words(fields["Reason"])
	}
	if kind := fields["Kind"]; kind != nil {
		entry.exit = exitOf(nameOf(kind))
	} else if class, ok := r.text(s.pkg, fields["Class"]); ok {
		entry.exit = class
	}
	r.found = append(r.found, entry)
}

// text is what a constant expression says.
func (r *codeReader) text(pkg string, e ast.Expr) (string, bool) {
	if text, ok := literalText(e); ok {
		return text, true
	}
	switch e := e.(type) {
	case *ast.Ident:
		text, ok := r.constants[pkg+"."+e.Name]
		return text, ok
	case *ast.SelectorExpr:
		from, ok := e.X.(*ast.Ident)
		if !ok {
			return "", false
		}
		for name, text := range r.constants {
			folder, constant, _ := strings.Cut(name, ".")
			if path.Base(folder) == from.Name && constant == e.Sel.Name {
				return text, true
			}
		}
	}
	return "", false
}

func literalText(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return nameOf(e.X)
	}
	return ""
}

var verbs = regexp.MustCompile(`%[-+#0-9.*]*[a-zA-Z]`)

// words is a text as a reader sees it, with … for what is known only when it is said.
func words(e ast.Expr) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *ast.BasicLit:
		text, _ := literalText(e)
		return verbs.ReplaceAllString(text, "…")
	case *ast.BinaryExpr:
		return words(e.X) + words(e.Y)
	case *ast.ParenExpr:
		return words(e.X)
	case *ast.CallExpr:
		if name := nameOf(e.Fun); (name == "Sprintf" || name == "Errorf") && len(e.Args) > 0 {
			return words(e.Args[0])
		}
	}
	return "…"
}

// exitOf gives the exit status of a kind of refusal.
func exitOf(kind string) string {
	kinds := []string{"Failed", "Usage", "NotFound", "Conflict", "Waits", "Refused", "Unreachable", "Damaged", "Unverified"}
	if i := slices.Index(kinds, kind); i >= 0 {
		return strconv.Itoa(i + 1)
	}
	return ""
}

// classOf leaves out what is no class but a variable that holds one.
func classOf(name string) string {
	if slices.Contains([]string{"retryable", "terminal", "timeout", "lost", "cancelled", "stale", "unknown"}, name) {
		return name
	}
	return ""
}

func chapterOf(pkg, by string) string {
	switch {
	case by == "Refuse" || by == "Refusal" && pkg == "sessions":
		return chapters[0].name
	case pkg == "workflows/template":
		return chapters[2].name
	case pkg == "skills/entrypoint":
		return chapters[1].name
	case pkg == "skills" || strings.HasPrefix(pkg, "skills/") && by != "":
		return chapters[3].name
	case strings.HasPrefix(pkg, "routing/"):
		return chapters[4].name
	case strings.HasPrefix(pkg, "workers"), strings.HasPrefix(pkg, "workflows"), pkg == "sessions", strings.HasPrefix(pkg, "projections"), pkg == "schedules":
		return chapters[1].name
	}
	return chapters[0].name
}
