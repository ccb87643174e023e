package source

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed sources.schema.json
var toolsSchema []byte

// ErrTools is a configuration of providers that does not parse or check.
var ErrTools = errors.New("E_SOURCES: the configuration of sources is not valid; mend the file or remove it")

// Tools says how each provider is asked. Sources that no chain serves (vector, graph) are providers of
// their own name; local_file and local_cache are built in.
type Tools struct {
	Timeout    string          `json:"timeout,omitempty" yaml:"timeout"` // for one answer; empty: [AnswerWithin], which is also the most
	Providers  map[string]Tool `json:"providers,omitempty" yaml:"providers"`
	LocalFile  Places          `json:"local_file,omitzero" yaml:"local_file"`
	LocalCache Places          `json:"local_cache,omitzero" yaml:"local_cache"`
}

// Tool asks one provider: by a program, an HTTP request or a tool of an MCP server, with the settings
// that a step of a workflow has. In any text of them {query} stands for what is asked, escaped in a URL.
type Tool struct {
	Exec    []any          `json:"exec,omitempty" yaml:"exec"`
	HTTP    map[string]any `json:"http,omitempty" yaml:"http"`
	MCP     map[string]any `json:"mcp,omitempty" yaml:"mcp"`
	Timeout string         `json:"timeout,omitempty" yaml:"timeout"` // in place of that of all
}

// Places are where files are looked for; relative ones start at the workspace.
type Places struct {
	Folders []string `json:"folders,omitempty" yaml:"folders"`
}

// The providers that are built in.
const (
	LocalFileTool  = "local_file"
	LocalCacheTool = "local_cache"
)

// ToolsSchema is the JSON Schema of the configuration.
func ToolsSchema() []byte { return bytes.Clone(toolsSchema) }

// ReadTools reads and checks a configuration in YAML. It fails with [ErrTools].
func ReadTools(file []byte) (Tools, error) {
	var t Tools
	dec := yaml.NewDecoder(bytes.NewReader(file))
	dec.KnownFields(true)
	if err := dec.Decode(&t); err != nil && len(bytes.TrimSpace(file)) > 0 {
		return Tools{}, fmt.Errorf("%w: %w", ErrTools, err)
	}
	if err := t.Check(); err != nil {
		return Tools{}, fmt.Errorf("%w: %w", ErrTools, err)
	}
	return t, nil
}

// From lets the relative paths of programs start at a folder.
func (t Tools) From(folder string) Tools {
	t.Providers = maps.Clone(t.Providers)
	for name, tool := range t.Providers {
		tool.Exec = slices.Clone(tool.Exec)
		for i, arg := range tool.Exec {
			if text, ok := arg.(string); ok && (strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")) {
				tool.Exec[i] = path.Join(folder, text)
			}
		}
		t.Providers[name] = tool
	}
	return t
}

// Check says what is wrong with a configuration.
func (t Tools) Check() error {
	if _, err := patience(t.Timeout); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Providers)) {
		if err := t.Providers[name].check(name); err != nil {
			return fmt.Errorf("provider %s: %w", name, err)
		}
	}
	return nil
}

func (t Tool) check(name string) error {
	if !word.MatchString(name) || name == LocalFileTool {
		return errors.New("it is no name of a provider, or one that is built in")
	}
	ways := 0
	for _, given := range []bool{len(t.Exec) > 0, len(t.HTTP) > 0, len(t.MCP) > 0} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return errors.New("give one of exec, http and mcp")
	}
	for i, arg := range t.Exec {
		if text, ok := arg.(string); !ok || i == 0 && text == "" {
			return fmt.Errorf("exec[%d]: a program and its arguments are texts", i)
		}
	}
	if _, err := t.settings("x"); err != nil {
		return err
	}
	_, err := patience(t.Timeout)
	return err
}

// patience reads how long an answer is waited for.
func patience(text string) (time.Duration, error) {
	if text == "" {
		return AnswerWithin, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > AnswerWithin {
		return 0, fmt.Errorf("timeout %q: write a time up to %s, like 5s", text, AnswerWithin)
	}
	return d, nil
}

// Configured lists the providers that can be asked.
func (t Tools) Configured() []string {
	return append(slices.Sorted(maps.Keys(t.Providers)), LocalFileTool, LocalCacheTool)
}

// Within is how long a provider has for its answer.
func (t Tools) Within(provider string) time.Duration {
	for _, text := range []string{t.Providers[provider].Timeout, t.Timeout} {
		if d, err := patience(text); err == nil && text != "" {
			return d
		}
	}
	return AnswerWithin
}

// Execute gives the settings of the executor that asks a provider.
func (t Tools) Execute(ask Ask, subject string) (json.RawMessage, error) {
	provider := ask.Provider()
	if tool, ok := t.Providers[provider]; ok {
		return tool.settings(ask.Query)
	}
	local := map[string]any{"query": ask.Query, "subject": subject}
	places := map[string]Places{LocalFileTool: t.LocalFile, LocalCacheTool: t.LocalCache}[provider]
	if len(places.Folders) > 0 {
		local["folders"] = places.Folders
	}
	return compact(map[string]any{provider: local})
}

func (t Tool) settings(query string) (json.RawMessage, error) {
	switch {
	case len(t.Exec) > 0:
		return compact(map[string]any{"exec": fill(t.Exec, "", query)})
	case len(t.HTTP) > 0:
		return compact(map[string]any{"http": fill(t.HTTP, "", query)})
	}
	return compact(map[string]any{"mcp": fill(t.MCP, "", query)})
}

// fill puts the query into every text; under the key url it is escaped.
func fill(v any, key, query string) any {
	switch v := v.(type) {
	case string:
		if key == "url" {
			return strings.ReplaceAll(v, "{query}", escape(query))
		}
		return strings.ReplaceAll(v, "{query}", query)
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = fill(one, key, query)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, one := range v {
			out[name] = fill(one, name, query)
		}
		return out
	}
	return v
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

func compact(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("settings that are no JSON: %w", err)
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}
