package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var errDepth = errors.New("too deep")

// jsonTree reads JSON into the same nodes as YAML. JSON is nearly YAML, but not in its escapes of
// characters beyond the basic plane, nor in how long a key may be.
func jsonTree(text []byte) (*yaml.Node, error) {
	j := &jsonReader{text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1, column: 1}
	j.dec.UseNumber()
	return j.value(1)
}

type jsonReader struct {
	text []byte
	dec  *json.Decoder

	// the place up to which lines and columns have been counted
	at, line, column int
}

func (j *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > MaxDepth+1 {
		return nil, errDepth
	}
	n := j.here()
	token, err := j.dec.Token()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	switch v := token.(type) {
	case json.Delim:
		return n, j.children(n, v, depth)
	case string:
		n.Kind, n.Tag, n.Value, n.Style = yaml.ScalarNode, "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!bool", fmt.Sprint(v)
	case nil:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!null", "null"
	}
	return n, nil
}

// children reads what stands in an object or a list, keys and values in turn, and its end.
func (j *jsonReader) children(n *yaml.Node, open json.Delim, depth int) error {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for j.dec.More() {
		child, err := j.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
	_, err := j.dec.Token()
	return err
}

// here makes a node at the next token.
func (j *jsonReader) here() *yaml.Node {
	next := int(j.dec.InputOffset())
	for next < len(j.text) && strings.IndexByte(" \t\r\n,:", j.text[next]) >= 0 {
		next++
	}
	for ; j.at < next; j.at++ {
		switch c := j.text[j.at]; {
		case c == '\n':
			j.line, j.column = j.line+1, 1
		case utf8.RuneStart(c):
			j.column++
		}
	}
	return &yaml.Node{Line: j.line, Column: j.column}
}
