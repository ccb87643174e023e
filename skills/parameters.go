package skills

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// parameterKeys are the fields under which skills declare what they take; none is in the specification,
// all are in use.
var parameterKeys = []string{"parameters", "params", "arguments", "inputs"}

// mostParameters is how many names are kept of one skill.
const mostParameters = 50

// parameters are the names of what a skill takes, from the first field that declares some.
func (r *reader) parameters() []string {
	for _, key := range parameterKeys {
		for _, n := range []*yaml.Node{r.values[key], child(r.values["metadata"], key)} {
			if names := parameterNames(n); len(names) > 0 {
				return names[:min(len(names), mostParameters)]
			}
		}
	}
	return nil
}

// parameterNames reads a list of names, a list of mappings with a name, a mapping by name, or a JSON
// Schema.
func parameterNames(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	if properties := child(n, "properties"); properties != nil {
		n = properties
	}
	var out []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, n.Content[i].Value)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			name := strings.TrimSpace(scalar(item))
			if item.Kind == yaml.MappingNode {
				name = strings.TrimSpace(scalar(child(item, "name")))
			}
			if name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}
