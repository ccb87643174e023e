package skills

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// tools reads allowed-tools: a list, or text with commas or else blanks between. What stands in
// parentheses belongs to its tool, even where a list was cut inside them. Declared and empty is not
// the same as not declared.
func tools(n *yaml.Node) []string {
	if n == nil || n.Kind == yaml.MappingNode || n.Tag == "!!null" {
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		return joined(list(n), ", ")
	}
	text := scalar(n)
	if parts := outside(text, ",，、;；\n"); len(parts) > 1 {
		return parts
	}
	return outside(text, " \t")
}

// outside cuts a text at separators that stand outside parentheses; what begins with a parenthesis
// goes on with the word before it.
func outside(text, separators string) []string {
	depth := 0
	cut := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		}
		return depth == 0 && strings.ContainsRune(separators, r)
	})
	out := []string{}
	for _, part := range cut {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case part[0] == '(' && len(out) > 0:
			out[len(out)-1] += " " + part
		default:
			out = append(out, part)
		}
	}
	return out
}

// joined puts items together again that were cut inside parentheses.
func joined(items []string, separator string) []string {
	out := []string{}
	depth := 0
	for _, item := range items {
		if depth > 0 {
			out[len(out)-1] += separator + item
		} else {
			out = append(out, item)
		}
		depth = max(0, depth+strings.Count(item, "(")-strings.Count(item, ")"))
	}
	return out
}
