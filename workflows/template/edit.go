package template

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Edit gives a template's text with one field of a step set to a value, which is YAML; an empty value
// removes the field. Comments and order stay as they were written.
func Edit(text []byte, step, field, value string) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	node, err := stepNode(&root, text, step)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value), &doc); err != nil {
		return nil, fmt.Errorf("read the value: %w", err)
	}
	setField(node, field, &doc)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&root); err != nil {
		return nil, fmt.Errorf("write the template: %w", err)
	}
	return out.Bytes(), nil
}

// stepNode finds a step by the id that it is given when the template is read.
func stepNode(root *yaml.Node, text []byte, id string) (*yaml.Node, error) {
	t, faults := Parse(text, Known{})
	if len(faults) > 0 {
		return nil, faults
	}
	step, ok := t.Step(id)
	if !ok {
		return nil, fmt.Errorf("there is no step %s", short(id))
	}
	top := root.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == "steps" {
			return top.Content[i+1].Content[step.Index], nil
		}
	}
	return nil, errors.New("the template has no steps")
}

func setField(node *yaml.Node, field string, doc *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value != field {
			continue
		}
		if len(doc.Content) == 0 {
			node.Content = append(node.Content[:i:i], node.Content[i+2:]...)
			return
		}
		node.Content[i+1] = doc.Content[0]
		return
	}
	if len(doc.Content) > 0 {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: field}, doc.Content[0])
	}
}
