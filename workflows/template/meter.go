package template

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/expr-lang/expr/ast"
)

const (
	// mostWork bounds what one evaluation may do: loop turns, elements looked at, and characters by
	// the dozen. It is far above any sensible condition and well under a second.
	mostWork = 1_000_000
	// mostListWork is the same for the list of a foreach, which may be as large as a result.
	mostListWork = 16_000_000
	// textUnit is how many bytes of text count as one.
	textUnit = 16
	// mostNesting bounds how deep a value may be.
	mostNesting = 500
)

// Names under which the meter's functions stand in the environment. No expression can say them, for
// the blank.
const (
	meterStep   = " step"   // one turn of a loop
	meterSize   = " size"   // a value whose length matters
	meterDeep   = " deep"   // a value that is looked through
	meterSquare = " square" // a list whose elements are compared with each other
	meterList   = " list"   // a list that is looked through, or a mapping in which one key is looked up
)

var errWork = errors.New("the expression does more work than is allowed")

// meter is woven into an expression when it is compiled: every turn of a loop and every argument
// that costs by its size is charged against the evaluation's budget.
type meter struct{}

// Visit weaves the meter around one node.
func (meter) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		n.Node = &ast.SequenceNode{Nodes: []ast.Node{charge(meterStep), n.Node}}
	case *ast.BuiltinNode:
		name := price(n)
		for i := range n.Arguments {
			weigh(&n.Arguments[i], name)
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "==", "!=":
			weigh(&n.Left, meterDeep)
			weigh(&n.Right, meterDeep)
		case "in":
			weigh(&n.Left, meterDeep)
			weigh(&n.Right, meterList)
		case "+", "matches", "contains", "startsWith", "endsWith":
			weigh(&n.Left, meterSize)
			weigh(&n.Right, meterSize)
		}
	}
}

// price says how a builtin's arguments are charged; empty: not at all.
func price(n *ast.BuiltinNode) string {
	switch n.Name {
	case "len", "type", "first", "last", "get", "take", "int", "float", "abs", "ceil", "floor", "round",
		"bitand", "bitor", "bitxor", "bitnand", "bitnot", "bitshl", "bitshr", "bitushr":
		return ""
	case "uniq":
		return meterSquare
	case "all", "none", "any", "one", "filter", "map", "count", "sum", "find", "findIndex", "findLast",
		"findLastIndex", "groupBy", "sortBy", "reduce":
		if len(n.Arguments) > 1 {
			return "" // its loop is charged turn by turn
		}
		return meterSize
	case "split", "splitAfter", "upper", "lower", "trim", "trimPrefix", "trimSuffix", "reverse", "concat",
		"indexOf", "lastIndexOf", "hasPrefix", "hasSuffix", "fromJSON", "toBase64", "fromBase64":
		return meterSize
	}
	return meterDeep
}

// weigh wraps a node whose value may be large.
func weigh(node *ast.Node, name string) {
	if name == "" {
		return
	}
	switch (*node).(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NilNode, *ast.PredicateNode:
		return
	}
	switch (*node).Type().Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return
	}
	ast.Patch(node, charge(name, *node))
}

func charge(name string, arguments ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}

// budget is what is left of an evaluation's work.
type budget struct{ left int }

func (b *budget) spend(n int) error {
	if b.left -= n; n < 0 || b.left < 0 {
		b.left = 0
		return fmt.Errorf("%w; look at less data", errWork)
	}
	return nil
}

func (b *budget) step() (bool, error) { return true, b.spend(1) }

func (b *budget) size(v any) (any, error) { return v, b.spend(weight(v)) }

func (b *budget) list(v any) (any, error) {
	if list, ok := v.([]any); ok {
		return b.deep(list)
	}
	return v, b.spend(1)
}

func (b *budget) square(v any) (any, error) {
	n := weight(v)
	if n > mostWork {
		return nil, b.spend(n)
	}
	if err := b.spend(n * n); err != nil {
		return nil, err
	}
	return b.deep(v)
}

// deep charges for a value with all that is in it.
func (b *budget) deep(v any) (any, error) { return v, b.through(v, 0) }

func (b *budget) through(v any, depth int) error {
	if depth > mostNesting {
		return fmt.Errorf("%w: a value is nested more than %d deep", errWork, mostNesting)
	}
	if err := b.spend(weight(v)); err != nil {
		return err
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if err := b.through(one, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, one := range v {
			if err := b.through(one, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func weight(v any) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)/textUnit
	case []any:
		return 1 + len(v)
	case map[string]any:
		return 1 + len(v)
	case nil, bool, int, float64:
		return 1
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice || r.Kind() == reflect.Map {
		return 1 + r.Len()
	}
	return 1
}
