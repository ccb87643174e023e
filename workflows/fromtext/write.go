package fromtext

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Keys are context keys; one alone is written as itself.
type Keys []string

// MarshalJSON writes a text or a list.
func (k Keys) MarshalJSON() ([]byte, error) {
	if len(k) == 1 {
		return json.Marshal(k[0])
	}
	return json.Marshal([]string(k))
}

// UnmarshalJSON reads either.
func (k *Keys) UnmarshalJSON(raw []byte) error {
	var one string
	if err := json.Unmarshal(raw, &one); err == nil {
		*k = Keys{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("keys of an input: %w", err)
	}
	*k = list
	return nil
}

// MarshalYAML writes a text or a list in one line.
func (k Keys) MarshalYAML() (any, error) {
	if len(k) == 1 {
		return k[0], nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, key := range k {
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key})
	}
	return list, nil
}

// YAML is the template as a person reads it.
func (w Workflow) YAML() (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(w); err != nil {
		return "", fmt.Errorf("write the template: %w", err)
	}
	return b.String(), enc.Close()
}
