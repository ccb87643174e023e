package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// source turns the text into a tree of nodes with positions, or nil and faults. What leaves here has
// no aliases, anchors, foreign tags, doubled keys or excessive depth.
func (r *reader) source(text []byte) *yaml.Node {
	root := r.tree(text)
	if root == nil {
		return nil
	}
	r.plain(place{node: root}, 1)
	for _, f := range r.faults {
		if f.Code == CodeYAML || f.Code == CodeTooLarge {
			return nil
		}
	}
	return root
}

func (r *reader) tree(text []byte) *yaml.Node {
	r.lines = bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n")) + 1
	if len(text) > MaxBytes {
		r.faultAt(1, 1, CodeTooLarge, fmt.Sprintf("the template has %d bytes, at most %d are read", len(text), MaxBytes),
			"move data into files or inputs")
		return nil
	}
	if at, what := unreadable(text); what != "" {
		line, column := position(text, at)
		r.faultAt(line, column, CodeYAML, what, "save the file as UTF-8 text")
		return nil
	}
	if json.Valid(text) {
		if root, err := jsonTree(text); err == nil {
			return root
		}
		r.faultAt(1, 1, CodeTooLarge, fmt.Sprintf("lists and mappings stand in each other more than %d deep", MaxDepth), "flatten the data")
		return nil
	}
	return r.yamlTree(text)
}

func (r *reader) yamlTree(text []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && (len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null") {
		r.faultAt(1, 1, CodeNoSteps, "the template is empty", "write at least one step")
		return nil
	}
	if err == nil {
		if err = dec.Decode(&second); err == nil {
			r.faultAt(second.Line, max(second.Column, 1), CodeYAML, "a second document begins here", "write one template a file")
			return nil
		}
		if errors.Is(err, io.EOF) {
			return doc.Content[0]
		}
	}
	if looksLikeJSON.Match(text) {
		var syntax *json.SyntaxError
		if errors.As(json.Unmarshal(text, new(any)), &syntax) {
			line, column := position(text, int(syntax.Offset)-1)
			r.faultAt(line, column, CodeYAML, syntax.Error(), "check commas, quotes and brackets")
			return nil
		}
	}
	line, column := whereYAML(text, err)
	message, hint := explainYAML(err)
	r.faultAt(line, column, CodeYAML, message, hint)
	return nil
}

var looksLikeJSON = regexp.MustCompile(`^\s*\{\s*"`)

// plain refuses what would make a template more than a tree of values.
func (r *reader) plain(p place, depth int) {
	n := p.node
	if depth > MaxDepth {
		r.fail(p, CodeTooLarge, fmt.Sprintf("lists and mappings stand in each other more than %d deep", MaxDepth), "flatten the data")
		return
	}
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		r.fail(p, CodeYAML, "anchors and aliases are not taken", "write the value out; defaults: holds what all steps share")
		return
	}
	if !slices.Contains(tags, n.ShortTag()) {
		r.fail(p, CodeYAML, fmt.Sprintf("the tag %s is not taken", short(n.Tag)), "write a plain value")
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			r.plain(p.item(i, item), depth+1)
		}
	case yaml.MappingNode:
		r.plainMapping(p, depth)
	}
}

func (r *reader) plainMapping(p place, depth int) {
	seen := make(map[string]int, len(p.node.Content)/2)
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		key, value := p.node.Content[i], p.node.Content[i+1]
		at := place{key, p.path}
		switch {
		case key.Kind == yaml.AliasNode || key.Anchor != "" || key.ShortTag() == "!!merge":
			r.fail(at, CodeYAML, "anchors, aliases and merge keys are not taken", "write the values out")
		case key.Kind != yaml.ScalarNode:
			r.fail(at, CodeYAML, "a key must be a word", "quote it if it holds brackets")
		case seen[key.Value] > 0:
			r.fail(p.key(key.Value, key), CodeDuplicateKey,
				fmt.Sprintf("%s is already given in line %d", short(key.Value), seen[key.Value]), "remove one of the two")
		default:
			seen[key.Value] = key.Line
		}
		r.plain(p.key(key.Value, value), depth+1)
	}
}

// tags are the kinds of value that a template may hold. The last is a date, taken as written.
var tags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp"}

// unreadable finds the first byte that no text holds.
func unreadable(text []byte) (at int, what string) {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			return i, "the text is not UTF-8"
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c == 0x7f, c > 0x7f && c < 0xa0 && c != 0x85:
			return i, fmt.Sprintf("the control character %U is not taken", c)
		}
		i += size
	}
	return 0, ""
}

// position gives line and column, from 1, of a byte offset.
func position(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// explainYAML gives the YAML reader's complaint without its position, which is often off, and a hint.
func explainYAML(err error) (message, hint string) {
	message = yamlLine.ReplaceAllString(err.Error(), "")
	switch {
	case strings.Contains(message, "anchor"):
		return "anchors and aliases are not taken", "write the value out; quote a text that begins with * or &"
	case strings.Contains(message, "tab character"):
		return message, "indent with spaces"
	case strings.Contains(message, "cannot start any token"):
		return message, "quote the text, and indent with spaces"
	case strings.Contains(message, "mapping values are not allowed"):
		return message, "quote a text that holds a colon, or check the indentation"
	case strings.Contains(message, "unexpected end of stream"):
		return message, "close the quote"
	}
	return message, "check indentation, quotes and brackets"
}
