package template

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

const (
	// mostSource bounds the text of one expression, in bytes.
	mostSource = 8 << 10
	// mostNodes bounds what it is parsed to.
	mostNodes = 2000
)

// ErrExpression says that an expression does not compile, fails, or gives what does not belong there.
var ErrExpression = errors.New("expression")

// Env is what an expression may read: inputs, ctx, item and index. Values are as [Value] decodes them.
type Env struct {
	Inputs map[string]any
	Ctx    map[string]any // context keys, "a.b" is one key; what is not there is nil
	Item   any            // of a foreach; else nil
	Index  int            // of the item in its list, from 0
}

// program is an expression, compiled, and what it reads.
type program struct {
	vm     *vm.Program
	keys   map[string]bool // context keys named; true: only where their absence is coped with
	inputs []string        // inputs named, sorted
	item   string          // "item" or "index" when one is named
}

// programs are compiled expressions by text. The map of a template is not changed after Parse.
type programs map[use]*program

// use is an expression and what it must give.
type use struct {
	source string
	gives  shape
}

type shape int

const (
	anything  shape = iota
	condition       // true or false
	list
)

// wrong says what is wrong with the type that an expression will give; empty: nothing, or not known.
func (s shape) wrong(kind reflect.Kind) string {
	switch {
	case kind == reflect.Interface:
	case s == condition && kind != reflect.Bool:
		return "a condition is true or false"
	case s == list && kind != reflect.Slice && kind != reflect.Array:
		return "a list is needed"
	}
	return ""
}

// get gives the compiled expression, compiling one that is not there yet without keeping it.
func (p programs) get(u use) (*program, error) {
	if known, ok := p[u]; ok {
		return known, nil
	}
	return compile(u)
}

// environment is what the checker knows of the names. Functions are bound to a budget when they run.
var environment = types.Map{
	"inputs": types.TypeOf(map[string]any{}),
	"ctx":    types.TypeOf(map[string]any{}),
	"item":   types.Any,
	"index":  types.TypeOf(0),

	"keys":    types.TypeOf((*budget)(nil).keys),
	"values":  types.TypeOf((*budget)(nil).values),
	"toPairs": types.TypeOf((*budget)(nil).pairs),
	"replace": types.TypeOf((*budget)(nil).replace),
	"join":    types.TypeOf((*budget)(nil).join),

	meterStep:   types.TypeOf((*budget)(nil).step),
	meterSize:   types.TypeOf((*budget)(nil).size),
	meterDeep:   types.TypeOf((*budget)(nil).deep),
	meterSquare: types.TypeOf((*budget)(nil).square),
	meterList:   types.TypeOf((*budget)(nil).list),
}

// absentHere are functions of the expression language that would make a decision depend on the
// machine or the moment, or make much out of little.
var absentHere = []string{"now", "date", "duration", "timezone", "repeat"}

func compile(u use) (*program, error) {
	if len(u.source) > mostSource {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are taken", ErrExpression, len(u.source), mostSource)
	}
	if strings.TrimSpace(u.source) == "" {
		return nil, fmt.Errorf("%w: it is empty", ErrExpression)
	}
	if _, _, ok := reference(u.source); ok {
		return nil, fmt.Errorf("%w: a reference like ${%s} may not stand here", ErrExpression, u.source)
	}
	reads := &reads{program: &program{keys: map[string]bool{}}}
	options := []expr.Option{
		expr.Env(environment), expr.Optimize(false), expr.MaxNodes(mostNodes), expr.Patch(reads), expr.Patch(meter{}),
	}
	for _, name := range absentHere {
		options = append(options, expr.DisableBuiltin(name))
	}
	compiled, err := expr.Compile(u.source, options...)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrExpression, exprMessage(err))
	}
	root := compiled.Node()
	if wrong := u.gives.wrong(root.Type().Kind()); wrong != "" {
		return nil, fmt.Errorf("%w: %s, this gives %s", ErrExpression, wrong, root.Type())
	}
	if reads.open > 0 {
		return nil, fmt.Errorf("%w: ctx is read other than by a key that is written out", ErrExpression)
	}
	p := reads.program
	p.vm, p.inputs = compiled, sortedUnique(p.inputs)
	return p, nil
}

// exprMessage gives the message and the place within the expression, without its source.
func exprMessage(err error) string {
	var at *file.Error
	if !errors.As(err, &at) {
		return err.Error()
	}
	if at.Line > 1 {
		return fmt.Sprintf("%s at line %d, character %d of the expression", at.Message, at.Line, at.Column+1)
	}
	return fmt.Sprintf("%s at character %d of the expression", at.Message, at.Column+1)
}

var unknownName = regexp.MustCompile(`unknown name (\S+)`)

// expressionHint says what to do about an expression that does not compile.
func expressionHint(err error, inputs map[string]Input) string {
	message := err.Error()
	if strings.Contains(message, "ctx is read other than") {
		return "write ctx['some.key'], so that what the step reads is known before it starts"
	}
	m := unknownName.FindStringSubmatch(message)
	switch {
	case m == nil:
		return ""
	case has(absentHere, m[1]):
		return "an expression must give the same answer in every replay; " + m[1] + " is left out for that"
	}
	if _, ok := inputs[m[1]]; ok {
		return "write inputs." + m[1]
	}
	return "an expression reads inputs, ctx['key'], item and index; for a literal ${ write $${"
}

// reads collects which context keys and inputs an expression names. It is walked children first.
type reads struct {
	program *program
	open    int // mentions of ctx whose key has not been seen
}

// Visit looks at one node.
func (r *reads) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "ctx":
			r.open++
		case "item", "index":
			r.program.item = n.Value
		case "$env":
			r.open++ // the whole environment, ctx in it
		}
	case *ast.MemberNode:
		r.member(n.Node, n.Property, false)
	case *ast.BuiltinNode:
		if n.Name == "get" && len(n.Arguments) == 2 {
			r.member(n.Arguments[0], n.Arguments[1], true)
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "in":
			r.member(n.Right, n.Left, true)
		case "??":
			if key, ok := baseKey(n.Left); ok {
				r.program.keys[key] = true
			}
		}
	}
}

func (r *reads) member(of, property ast.Node, optional bool) {
	base, ok := of.(*ast.IdentifierNode)
	key, written := property.(*ast.StringNode)
	if !ok || !written {
		return
	}
	switch base.Value {
	case "ctx":
		r.open--
		_, seen := r.program.keys[key.Value]
		r.program.keys[key.Value] = optional && (!seen || r.program.keys[key.Value])
	case "inputs":
		if !optional {
			r.program.inputs = append(r.program.inputs, key.Value)
		}
	}
}

// baseKey gives the context key that a chain of members begins with.
func baseKey(n ast.Node) (string, bool) {
	for {
		switch m := n.(type) {
		case *ast.ChainNode:
			n = m.Node
		case *ast.MemberNode:
			if base, ok := m.Node.(*ast.IdentifierNode); ok && base.Value == "ctx" {
				key, ok := m.Property.(*ast.StringNode)
				if !ok {
					return "", false
				}
				return key.Value, true
			}
			n = m.Node
		default:
			return "", false
		}
	}
}

// eval runs a compiled expression with a bound on its work. Its value is plain: nil, bool, int, float64, string, []any,
// map[string]any.
func (p *program) eval(env Env, most int) (any, error) {
	b := &budget{left: most}
	machine := vm.VM{MemoryBudget: mostWork}
	out, err := machine.Run(p.vm, map[string]any{
		"inputs": orEmpty(env.Inputs), "ctx": orEmpty(env.Ctx), "item": env.Item, "index": env.Index,
		"keys": b.keys, "values": b.values, "toPairs": b.pairs, "replace": b.replace, "join": b.join,
		meterStep: b.step, meterSize: b.size, meterDeep: b.deep, meterSquare: b.square, meterList: b.list,
	})
	if err == nil {
		out, err = b.plain(out, 0)
	}
	if err != nil {
		var at *file.Error
		if errors.As(err, &at) {
			return nil, fmt.Errorf("%w: %s", ErrExpression, exprMessage(err))
		}
		return nil, fmt.Errorf("%w: %w", ErrExpression, err)
	}
	return out, nil
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func keysOf(m map[string]bool) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
