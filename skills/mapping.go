package skills

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mapping is the top level of the front matter: the last value of each key.
type mapping struct {
	values map[string]*yaml.Node
	lines  []string // of the front matter, to look at what was really written
	start  int      // line of the file on which the front matter begins
}

// read parses front matter, repairing it once if YAML refuses it as it stands.
func read(doc document) (mapping, []Finding) {
	root, err := parse(doc.front)
	front, found := doc.front, []Finding(nil)
	if err != nil {
		var fixed string
		if fixed, found = repair(doc.front, doc.line); len(found) > 0 {
			if again, retry := parse(fixed); retry == nil {
				root, err, front = again, nil, fixed
			}
		}
	}
	if err != nil {
		return mapping{}, []Finding{yamlFault(err, doc.line)}
	}
	m := mapping{values: map[string]*yaml.Node{}, lines: strings.Split(front, "\n"), start: doc.line}
	if root == nil {
		return m, found
	}
	if root.Kind != yaml.MappingNode {
		return m, append(found, notMapping(root, doc.line))
	}
	if f, bad := refused(root, 1, doc.line); bad {
		return m, append(found, f)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if _, twice := m.values[key.Value]; twice {
			found = append(found, warning(CodeDuplicateKey, m.line(key), "the key "+key.Value+" stands twice; the last one counts"))
		}
		m.values[key.Value] = value
	}
	return m, found
}

// parse gives the root node of the first document; nil when there is none.
func parse(front string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if n := doc.Content[0]; n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	return doc.Content[0], nil
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func yamlFault(err error, start int) Finding {
	line := start
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		n, _ := strconv.Atoi(m[1])
		line = start + n - 1
	}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		message = strings.Join(typed.Errors, "; ")
	}
	return fault(CodeYAML, line, "the front matter is not YAML: "+yamlLine.ReplaceAllString(message, fmt.Sprintf("line %d", line)))
}

func notMapping(root *yaml.Node, start int) Finding {
	message := "the front matter is not a list of keys and values"
	if strings.ContainsRune(root.Value, '：') {
		message += "; it has full-width colons, write : and a space"
	}
	return fault(CodeNotMapping, start, message)
}

// refused finds aliases, merge keys and nesting too deep: they make small files big and are in no
// honest SKILL.md.
func refused(n *yaml.Node, depth, start int) (Finding, bool) {
	switch {
	case n.Kind == yaml.AliasNode:
		return fault(CodeAlias, start+n.Line-1, "aliases are not read; write the value out"), true
	case n.Tag == "!!merge":
		return fault(CodeAlias, start+n.Line-1, "merge keys are not read; write the values out"), true
	case depth > MaxDepth:
		return fault(CodeDepth, start+n.Line-1, "the front matter is nested deeper than 16 levels"), true
	}
	for _, child := range n.Content {
		if f, bad := refused(child, depth+1, start); bad {
			return f, true
		}
	}
	return Finding{}, false
}

func (m mapping) line(n *yaml.Node) int { return m.start + n.Line - 1 }

// child gives the value of a key in a nested mapping; the last one counts.
func child(n *yaml.Node, key string) *yaml.Node {
	var last *yaml.Node
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			last = n.Content[i+1]
		}
	}
	return last
}

// firstLine gives what a plain scalar has on the line it begins on, and whether it went on after.
func (m mapping) firstLine(n *yaml.Node) (string, bool) {
	if n.Style != 0 || n.Line < 1 || n.Line > len(m.lines) {
		return n.Value, false
	}
	line := []rune(m.lines[n.Line-1])
	if n.Column < 1 || n.Column > len(line) {
		return n.Value, false
	}
	first, _, _ := strings.Cut(string(line[n.Column-1:]), " #")
	first = strings.TrimSpace(first)
	if len(first) < len(n.Value) && strings.HasPrefix(n.Value, first) {
		return first, true
	}
	return n.Value, false
}
