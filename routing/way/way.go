// Package way says how something outside is asked: by a program, an HTTP request or a tool of an MCP
// server.
//
// A [Way] is what a user writes in a configuration: the settings that a step of a workflow has, with
// {names} in their texts that stand for what is asked. [Way.Execute] fills them in and gives the settings
// of a call, which whoever does the work of workflows carries out. The package is pure: nothing is asked
// here, and the same way and values give the same bytes.
package way

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Way asks one thing outside. One of Exec, HTTP and MCP is given.
type Way struct {
	Exec    []any          `json:"exec,omitempty" yaml:"exec"`
	HTTP    map[string]any `json:"http,omitempty" yaml:"http"`
	MCP     map[string]any `json:"mcp,omitempty" yaml:"mcp"`
	Timeout string         `json:"timeout,omitempty" yaml:"timeout"` // for one answer; empty: that of all
}

// Longest is how long an answer is waited for at most, and by default.
const Longest = 30 * time.Second

// Check says what is wrong with a way.
func (w Way) Check() error {
	given := 0
	for _, one := range []bool{len(w.Exec) > 0, len(w.HTTP) > 0, len(w.MCP) > 0} {
		if one {
			given++
		}
	}
	if given != 1 {
		return errors.New("give one of exec, http and mcp")
	}
	for i, arg := range w.Exec {
		if text, ok := arg.(string); !ok || i == 0 && text == "" {
			return fmt.Errorf("exec[%d]: a program and its arguments are texts", i)
		}
	}
	if _, err := w.Execute(nil); err != nil {
		return err
	}
	_, err := Patience(w.Timeout)
	return err
}

// Patience reads how long an answer is waited for.
func Patience(text string) (time.Duration, error) {
	if text == "" {
		return Longest, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > Longest {
		return 0, fmt.Errorf("timeout %q: write a time up to %s, like 5s", text, Longest)
	}
	return d, nil
}

// Within is how long an answer is waited for: as the way says, else as is said for all of them.
func (w Way) Within(all string) time.Duration {
	for _, text := range []string{w.Timeout, all} {
		if d, err := Patience(text); err == nil && text != "" {
			return d
		}
	}
	return Longest
}

// From lets the relative paths of a program start at a folder, also of one that is an MCP server.
func (w Way) From(folder string) Way {
	w.Exec = from(w.Exec, folder)
	if command, ok := w.MCP["command"].([]any); ok {
		w.MCP = maps.Clone(w.MCP)
		w.MCP["command"] = from(command, folder)
	}
	return w
}

func from(argv []any, folder string) []any {
	out := slices.Clone(argv)
	for i, arg := range out {
		if text, ok := arg.(string); ok && (strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")) {
			out[i] = path.Join(folder, text)
		}
	}
	return out
}

// Execute gives the settings of a call, with the values in the place of their {names}: as they are, and
// escaped in the text of a url. What has no value stays as it is written.
func (w Way) Execute(values map[string]string) (json.RawMessage, error) {
	switch {
	case len(w.Exec) > 0:
		return encode("exec", fill(w.Exec, "", values))
	case len(w.HTTP) > 0:
		return encode("http", fill(w.HTTP, "", values))
	}
	return encode("mcp", fill(w.MCP, "", values))
}

func fill(v any, key string, values map[string]string) any {
	switch v := v.(type) {
	case string:
		return put(v, key == "url", values)
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = fill(one, key, values)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, one := range v {
			out[name] = fill(one, name, values)
		}
		return out
	}
	return v
}

// put replaces each {name} once: a value that holds another name stays as it is.
func put(text string, address bool, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := values[name]
		if !closed || !known {
			b.WriteByte('{')
			text = rest
			continue
		}
		if address {
			value = escape(value)
		}
		b.WriteString(value)
		text = after
	}
}

// escape leaves only what can begin no other part of an address.
func escape(text string) string {
	const bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(bare, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func encode(executor string, settings any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{executor: settings}); err != nil {
		return nil, fmt.Errorf("settings that are no JSON: %w", err)
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}
