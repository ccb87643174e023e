// Package table reads the YAML files that people may write for Baton, such as rules, providers and
// settings, and checks each against its JSON Schema. A file that does not parse or check is refused as
// a whole, with the line of every fault and the nearest known key for a mistyped one: a rule that was
// silently left out would be worse than none.
//
// The package is pure: it reads text, and the schemas it takes refer to nothing outside themselves.
package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// MaxBytes is how long a table's text may be.
const MaxBytes = 4 << 20

// Fault is one thing that is wrong with a table.
type Fault struct {
	Line    int    `json:"line"` // 0: of the whole text
	Path    string `json:"path"` // as in limits.gpu; "": the whole
	Message string `json:"message"`
}

// String is the fault in one line.
func (f Fault) String() string {
	where := strings.TrimSpace(fmt.Sprintf("line %d %s", f.Line, f.Path))
	if f.Line == 0 {
		where = f.Path
	}
	return strings.TrimPrefix(where+": "+f.Message, ": ")
}

// Faults are all that is wrong with a table, in the order of its lines.
type Faults []Fault

// Error lists the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// Schema is a JSON Schema ready to check tables with.
type Schema struct{ compiled *jsonschema.Schema }

// Compile reads a JSON Schema of draft 2020-12 that refers to nothing outside itself.
func Compile(text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	const here = "table.schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(nothing{})
	if err := c.AddResource(here, doc); err != nil {
		return nil, fmt.Errorf("add schema: %w", err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// nothing loads no schema: tables are checked with what the binary holds.
type nothing struct{}

func (nothing) Load(url string) (any, error) {
	return nil, errors.New("no schema is loaded from " + url)
}

// Tree reads a table and checks it; an empty text is an empty tree. The error is [Faults].
func (s *Schema) Tree(text []byte) (map[string]any, error) {
	if len(text) > MaxBytes {
		return nil, Faults{{Message: fmt.Sprintf("it has %d bytes, at most %d are taken", len(text), MaxBytes)}}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, Faults{{Message: strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	if root.Kind == 0 {
		return map[string]any{}, nil
	}
	if fault, found := aliased(&root); found {
		return nil, Faults{fault}
	}
	var raw any
	if err := root.Decode(&raw); err != nil {
		return nil, Faults{{Message: strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	value, err := asJSON(raw)
	if err != nil {
		return nil, Faults{{Message: err.Error()}}
	}
	if err := s.compiled.Validate(value); err != nil {
		return nil, s.faults(err, root.Content[0])
	}
	tree, ok := raw.(map[string]any)
	if !ok {
		return nil, Faults{{Line: root.Content[0].Line, Message: "it is no mapping"}}
	}
	return tree, nil
}

// Read reads a table, checks it and decodes it into a T by its yaml tags.
func Read[T any](text []byte, s *Schema) (T, error) {
	var out T
	if _, err := s.Tree(text); err != nil {
		return out, err
	}
	if err := yaml.Unmarshal(text, &out); err != nil {
		return out, Faults{{Message: strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	return out, nil
}

// Strict reads a table that has no schema beside its type: a field that T does not have is refused.
func Strict[T any](text []byte) (T, error) {
	var out T
	err := StrictInto(text, &out)
	return out, err
}

// StrictInto is Strict for a value that is there already.
func StrictInto(text []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	return dec.Decode(into)
}

// aliased finds the first alias: they make small files large, and no table needs them.
func aliased(n *yaml.Node) (Fault, bool) {
	if n.Kind == yaml.AliasNode {
		return Fault{Line: n.Line, Message: "aliases are not taken"}, true
	}
	for _, child := range n.Content {
		if f, found := aliased(child); found {
			return f, true
		}
	}
	return Fault{}, false
}

// asJSON gives the value with the types that JSON has.
func asJSON(raw any) (any, error) {
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("it cannot be written as JSON: %w", err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}
