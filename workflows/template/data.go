package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// data reads any value: nil, bool, int, float64, string, []any, map[string]any.
func (r *reader) data(p place) any {
	switch p.node.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(p.node.Content))
		for i, n := range p.node.Content {
			list[i] = r.data(p.item(i, n))
		}
		return list
	case yaml.MappingNode:
		m := make(map[string]any, len(p.node.Content)/2)
		for i := 0; i+1 < len(p.node.Content); i += 2 {
			name := p.node.Content[i].Value
			m[name] = r.data(p.key(name, p.node.Content[i+1]))
		}
		return m
	}
	return r.scalar(p)
}

func (r *reader) scalar(p place) any {
	switch p.node.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		var v any
		if err := p.node.Decode(&v); err != nil {
			r.fail(p, CodeBadValue, short(p.node.Value)+" is no value of its type", "quote a text")
			return nil
		}
		switch v := v.(type) {
		case bool, int, string:
			return v
		case float64:
			if !strings.ContainsAny(p.node.Value, ".eE") {
				break
			}
			if math.IsInf(v, 0) || math.IsNaN(v) {
				r.fail(p, CodeBadValue, "JSON has no such number", "quote it if it is a text")
			}
			return v
		}
		r.fail(p, CodeBadValue, short(p.node.Value)+" has more digits than a number can hold", "quote it: an id is a text")
	}
	return p.node.Value
}

// Value decodes a JSON value for use in an [Env]: whole numbers that fit become int, so that they
// come out of an expression as they went in, other numbers float64.
func Value(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("decode a value: %w", err)
	}
	return numbers(v)
}

func numbers(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("decode a value: the number %s is too large", v)
		}
		return f, nil
	case []any:
		for i := range v {
			if v[i], err = numbers(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = numbers(v[k]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// compact gives JSON with sorted keys, without blanks and without HTML escapes.
func compact(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
