package table

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/batonflow/baton/routing/words"
)

// faults puts what the schema says into lines of the text.
func (s *Schema) faults(err error, root *yaml.Node) Faults {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return Faults{{Message: err.Error()}}
	}
	var out Faults
	print := message.NewPrinter(language.English)
	for _, leaf := range leaves(invalid) {
		if extra, ok := leaf.ErrorKind.(*kind.AdditionalProperties); ok {
			known := s.known(leaf.SchemaURL)
			for _, name := range extra.Properties {
				at := append(slices.Clone(leaf.InstanceLocation), name)
				out = append(out, Fault{line(root, at), strings.Join(at, "."), unknown(name, known)})
			}
			continue
		}
		at := leaf.InstanceLocation
		out = append(out, Fault{line(root, at), strings.Join(at, "."), leaf.ErrorKind.LocalizedString(print)})
	}
	slices.SortStableFunc(out, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Path, b.Path)) })
	return slices.Compact(out)
}

// leaves are the errors that have no cause of their own.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var out []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		out = append(out, leaves(cause)...)
	}
	return out
}

// known lists the properties of the part of the schema that refused one.
func (s *Schema) known(url string) []string {
	var find func(*jsonschema.Schema, map[*jsonschema.Schema]bool) []string
	find = func(at *jsonschema.Schema, seen map[*jsonschema.Schema]bool) []string {
		if at == nil || seen[at] {
			return nil
		}
		seen[at] = true
		if at.Location == url {
			return slices.Sorted(maps.Keys(at.Properties))
		}
		for _, next := range below(at) {
			if got := find(next, seen); got != nil {
				return got
			}
		}
		return nil
	}
	return find(s.compiled, map[*jsonschema.Schema]bool{})
}

// below are the schemas that a schema is made of.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat([]*jsonschema.Schema{s.Ref, s.Items2020}, s.AnyOf, s.OneOf, s.AllOf)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		out = append(out, s.Properties[name])
	}
	if extra, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		out = append(out, extra)
	}
	return out
}

func unknown(name string, known []string) string {
	if near := words.Nearest(name, known); near != "" {
		return fmt.Sprintf("unknown key %q; did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown key %q; known are %s", name, strings.Join(known, ", "))
}

// line finds the line of a value, or of the nearest one around it.
func line(n *yaml.Node, path []string) int {
	at := n.Line
	for _, part := range path {
		next := child(n, part)
		if next == nil {
			break
		}
		n, at = next.value, next.line
	}
	return at
}

type found struct {
	value *yaml.Node
	line  int
}

func child(n *yaml.Node, part string) *found {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == part {
				return &found{n.Content[i+1], n.Content[i].Line}
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.Content) {
			return &found{n.Content[i], n.Content[i].Line}
		}
	}
	return nil
}
