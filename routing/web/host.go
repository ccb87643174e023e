package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Capability is one of the four things that tools of the web are used for.
type Capability string

// The capabilities.
const (
	Discover  Capability = "discover"  // find sources
	Retrieve  Capability = "retrieve"  // read a public page as it is served
	Structure Capability = "structure" // an operation of a site that a tool knows
	Interact  Capability = "interact"  // a browser: script, view, login, input
)

// capabilities in the order that decides when nothing else does.
var capabilities = []Capability{Discover, Retrieve, Structure, Interact}

func (c Capability) known() bool { return slices.Contains(capabilities, c) }

// scopes in the order of what a tool may touch, the least first.
var scopes = []string{"public", "session", "account"}

// Host is what tasks are served with.
type Host struct {
	Tools       []Tool     `json:"tools"`
	MaxParallel int        `json:"max_parallel,omitempty"` // calls at once; a host that says nothing takes one
	Fallbacks   []Fallback `json:"site_fallbacks,omitempty"`
}

// Tool is one tool as its host lists it; a tool with several capabilities is listed once for each.
type Tool struct {
	Name       string          `json:"name" yaml:"name"`
	Capability Capability      `json:"capability,omitempty" yaml:"capability"` // empty: by its name
	Scope      string          `json:"scope,omitempty" yaml:"scope"`           // public (default), session, account
	Private    bool            `json:"private_session,omitempty" yaml:"private_session"`
	Structured *int            `json:"structured,omitempty" yaml:"structured"` // 0 to 3; by default what the capability gives
	LatencyMS  float64         `json:"latency_ms,omitempty" yaml:"latency_ms"`
	Failures   float64         `json:"failure_rate,omitempty" yaml:"failure_rate"` // 0 to 1
	Supports   [][]string      `json:"supports,omitempty" yaml:"supports"`         // pairs of site and operation
	Schema     json.RawMessage `json:"schema,omitempty" yaml:"-"`                  // what it takes, when it says so
}

// structured says how much structure results of a capability have, unless the tool says it.
var structured = map[Capability]int{Structure: 3, Retrieve: 1, Discover: 1, Interact: 0}

func (t Tool) structured() int {
	if t.Structured != nil {
		return *t.Structured
	}
	return structured[t.Capability]
}

func (t Tool) scope() int { return max(0, slices.Index(scopes, t.Scope)) }

func (t Tool) supports(site, operation string) bool {
	return site != "" && operation != "" && slices.ContainsFunc(t.Supports, func(pair []string) bool {
		return slices.Equal(pair, []string{site, operation})
	})
}

func (t Tool) typed() bool { return bytes.HasPrefix(bytes.TrimSpace(t.Schema), []byte("{")) }

// serial says that one call of the tool must be over before another begins: it has a session, or acts
// for somebody.
func (t Tool) serial() bool { return t.Capability == Interact || t.scope() > 0 || t.Private }

// ReadHost reads and checks a host in JSON: an object, or only its list of tools.
func ReadHost(file []byte) (Host, error) {
	var h Host
	into := any(&h)
	if bytes.HasPrefix(bytes.TrimSpace(file), []byte("[")) {
		into = &h.Tools
	}
	if err := readStrict(file, into); err != nil {
		return Host{}, fmt.Errorf("%w: host: %w", ErrInput, err)
	}
	if err := h.check(); err != nil {
		return Host{}, wrapInput("host", err)
	}
	return h, nil
}

func (h Host) check() error {
	if h.MaxParallel < 0 {
		return fmt.Errorf("max_parallel: %d is below 0", h.MaxParallel)
	}
	return checkTools(h.Tools)
}

func checkTools(tools []Tool) error {
	type key struct {
		name       string
		capability Capability
	}
	seen := map[key]bool{}
	for i, t := range tools {
		if err := t.check(); err != nil {
			return fmt.Errorf("tools[%d].%w", i, err)
		}
		k := key{t.Name, t.Capability}
		if seen[k] {
			return fmt.Errorf("tools[%d].name: %q is listed twice", i, t.Name)
		}
		seen[k] = true
	}
	return nil
}

func (t Tool) check() error {
	switch {
	case t.Name == "":
		return fmt.Errorf("name: a tool needs one")
	case t.Capability != "" && !t.Capability.known():
		return fmt.Errorf("capability: %q is none of %v", t.Capability, capabilities)
	case t.Scope != "" && !slices.Contains(scopes, t.Scope):
		return fmt.Errorf("scope: %q is none of %v", t.Scope, scopes)
	case t.Structured != nil && (*t.Structured < 0 || *t.Structured > 3):
		return fmt.Errorf("structured: %d is not between 0 and 3", *t.Structured)
	case t.LatencyMS < 0:
		return fmt.Errorf("latency_ms: %v is below 0", t.LatencyMS)
	case t.Failures < 0 || t.Failures > 1:
		return fmt.Errorf("failure_rate: %v is not between 0 and 1", t.Failures)
	case slices.ContainsFunc(t.Supports, func(pair []string) bool { return len(pair) != 2 }):
		return fmt.Errorf("supports: write pairs of [site, operation]")
	}
	return nil
}
