package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/batonflow/baton/events"
)

// goalOf says in words what a built-in run is for, where a session begins with it.
func goalOf(name string, inputs map[string]any) string {
	words := []string{name}
	for _, key := range []string{"slug", "query", "version", "run"} {
		if text, ok := inputs[key].(string); ok && text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

func asRaw(inputs map[string]any) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(inputs))
	for key, value := range inputs {
		raw, err := events.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", key, err)
		}
		out[key] = raw
	}
	return out, nil
}
