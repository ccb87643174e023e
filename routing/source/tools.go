package source

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/routing/way"
)

//go:embed sources.schema.json
var toolsSchema []byte

// ErrTools is a configuration of providers that does not parse or check.
var ErrTools = errors.New("E_SOURCES: the configuration of sources is not valid; mend the file or remove it")

// Tools says how each provider is asked; {query} stands for what is. Sources that no chain serves (vector, graph) are providers of
// their own name; local_file and local_cache are built in.
type Tools struct {
	Timeout    string             `json:"timeout,omitempty" yaml:"timeout"` // for one answer; empty: [AnswerWithin], which is also the most
	Providers  map[string]way.Way `json:"providers,omitempty" yaml:"providers"`
	LocalFile  Places             `json:"local_file,omitzero" yaml:"local_file"`
	LocalCache Places             `json:"local_cache,omitzero" yaml:"local_cache"`
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
	t, err := table.Strict[Tools](file)
	if err == nil || len(bytes.TrimSpace(file)) == 0 {
		err = t.Check()
	}
	if err != nil {
		return Tools{}, fmt.Errorf("%w: %w", ErrTools, err)
	}
	return t, nil
}

// From lets the relative paths of programs start at a folder.
func (t Tools) From(folder string) Tools {
	t.Providers = maps.Clone(t.Providers)
	for name, tool := range t.Providers {
		t.Providers[name] = tool.From(folder)
	}
	return t
}

// Check says what is wrong with a configuration.
func (t Tools) Check() error {
	if _, err := way.Patience(t.Timeout); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Providers)) {
		if err := check(name, t.Providers[name]); err != nil {
			return fmt.Errorf("provider %s: %w", name, err)
		}
	}
	return nil
}

func check(name string, w way.Way) error {
	if !word.MatchString(name) || name == LocalFileTool {
		return errors.New("it is no name of a provider, or one that is built in")
	}
	return w.Check()
}

// Configured lists the providers that can be asked.
func (t Tools) Configured() []string {
	return append(slices.Sorted(maps.Keys(t.Providers)), LocalFileTool, LocalCacheTool)
}

// Within is how long a provider has for its answer.
func (t Tools) Within(provider string) time.Duration { return t.Providers[provider].Within(t.Timeout) }

// Execute gives the settings of the executor that asks a provider.
func (t Tools) Execute(ask Ask, subject string) (json.RawMessage, error) {
	provider := ask.Provider()
	if tool, ok := t.Providers[provider]; ok {
		return tool.Execute(map[string]string{"query": ask.Query})
	}
	local := map[string]any{"query": ask.Query, "subject": subject}
	places := map[string]Places{LocalFileTool: t.LocalFile, LocalCacheTool: t.LocalCache}[provider]
	if len(places.Folders) > 0 {
		local["folders"] = places.Folders
	}
	return compact(map[string]any{provider: local})
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
