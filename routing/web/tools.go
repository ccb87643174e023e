package web

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/routing/way"
)

//go:embed tools.schema.json
var toolsSchema []byte

// ErrTools is a configuration of tools that does not parse or check.
var ErrTools = errors.New("E_WEB_TOOLS")

// Retriever is the built-in tool that reads public pages as they are served.
const Retriever = "web_fetch"

// Tools are the tools that a host has, and how each is asked. {target} stands for an address, a query or
// site/operation; {query}, {site} and {operation} for those of the request.
type Tools struct {
	Timeout     string       `json:"timeout,omitempty" yaml:"timeout"` // for one call; empty: the most there is
	MaxParallel int          `json:"max_parallel,omitempty" yaml:"max_parallel"`
	Tools       []Configured `json:"tools,omitempty" yaml:"tools"`
	NoRetriever bool         `json:"no_web_fetch,omitempty" yaml:"no_web_fetch"` // the built-in retrieve is not used
}

// Configured is a tool with the way to ask it.
type Configured struct {
	Tool    `yaml:",inline"`
	way.Way `yaml:",inline"`
}

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

// Check says what is wrong with a configuration.
func (t Tools) Check() error {
	if _, err := way.Patience(t.Timeout); err != nil {
		return err
	}
	for i, tool := range t.Tools {
		if err := tool.Way.Check(); err != nil {
			return fmt.Errorf("tools[%d] %s: %w", i, tool.Name, err)
		}
	}
	return Host{Tools: t.listed(), MaxParallel: t.MaxParallel}.check()
}

func (t Tools) listed() []Tool {
	out := []Tool{}
	for _, tool := range t.Tools {
		out = append(out, tool.Tool)
	}
	return out
}

// defaultParallel is how many calls run side by side where nothing is said.
const defaultParallel = maxParallel

// Host is the host that the router sees. The built-in retrieve is there unless it is turned off, or a
// tool has its name.
func (t Tools) Host(fallbacks []Fallback) Host {
	h := Host{Tools: t.listed(), MaxParallel: t.MaxParallel, Fallbacks: fallbacks}
	if h.MaxParallel == 0 {
		h.MaxParallel = defaultParallel
	}
	named := func(tool Tool) bool { return tool.Name == Retriever }
	if !t.NoRetriever && !slices.ContainsFunc(h.Tools, named) {
		h.Tools = append(h.Tools, Tool{Name: Retriever, Capability: Retrieve})
	}
	return h
}

// Way finds how a tool is asked; false for the built-in one.
func (t Tools) Way(name string) (way.Way, bool) {
	at := slices.IndexFunc(t.Tools, func(tool Configured) bool { return tool.Name == name })
	if at < 0 {
		return way.Way{}, false
	}
	return t.Tools[at].Way, true
}

// From lets the relative paths of programs start at a folder.
func (t Tools) From(folder string) Tools {
	t.Tools = slices.Clone(t.Tools)
	for i := range t.Tools {
		t.Tools[i].Way = t.Tools[i].Way.From(folder)
	}
	return t
}
