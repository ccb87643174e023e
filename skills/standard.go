package skills

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// standardFields are the fields that the Agent Skills specification knows.
var standardFields = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

const (
	maxCompatibility = 500
	maxBodyLines     = 500
)

// Standard reads a SKILL.md as the Agent Skills specification has it and adds to what [Parse] finds
// everything that its reference reader refuses or advises against. A file without errors there works
// in every host.
func Standard(path string, file []byte) (Skill, []Finding) {
	s, found := Parse(path, file)
	doc, _ := cut(file)
	if doc.front == "" {
		return s, found
	}
	m, faults := read(doc)
	if _, bad := firstFault(faults); bad {
		return s, found
	}
	st := standard{mapping: m}
	st.fields()
	st.name(filepath.Base(filepath.Dir(path)))
	st.values()
	if lines := strings.Count(doc.body, "\n"); lines > maxBodyLines {
		st.found = append(st.found, warning(CodeBodyLong, 0, fmt.Sprintf("the body has %d lines; beyond %d, move parts to files of their own", lines, maxBodyLines)))
	}
	return s, append(found, st.found...)
}

type standard struct {
	mapping
	found []Finding
}

func (s *standard) fault(code string, n *yaml.Node, message string) {
	s.found = append(s.found, fault(code, s.line(n), message))
}

func (s *standard) fields() {
	var keys []string
	for key := range s.mapping.values {
		if !slices.Contains(standardFields, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		s.fault(CodeStandardField, s.mapping.values[key], "the field "+key+" is not in the specification; put it under metadata")
	}
}

func (s *standard) name(folder string) {
	if n := s.mapping.values["name"]; n != nil && scalar(n) != folder {
		s.fault(CodeStandardName, n, "the name must be the folder's, "+folder)
	}
}

func (s *standard) values() {
	if n := s.mapping.values["compatibility"]; n != nil && (n.Kind != yaml.ScalarNode || len([]rune(n.Value)) > maxCompatibility || n.Value == "") {
		s.fault(CodeStandardValue, n, "compatibility is a text of 1 to 500 characters")
	}
	if n := s.mapping.values["allowed-tools"]; n != nil && n.Kind != yaml.ScalarNode {
		s.fault(CodeStandardValue, n, "allowed-tools is one text with blanks between the tools")
	}
	if n := s.mapping.values["metadata"]; n != nil && !flat(n) {
		s.fault(CodeStandardValue, n, "metadata is a plain list of keys with text values")
	}
}

// flat says that a mapping holds nothing but text.
func flat(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 {
		return n.Tag == "!!null"
	}
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode })
}
