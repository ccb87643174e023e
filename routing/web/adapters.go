package web

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/batonflow/baton/routing/table"
)

var (
	//go:embed adapters.yaml
	adaptersFile []byte
	//go:embed adapters.schema.json
	adaptersSchema []byte
)

// AdaptersSchema is the JSON Schema of a table of adapters.
func AdaptersSchema() []byte { return bytes.Clone(adaptersSchema) }

// Adapters say by its name what an undeclared tool can do; adapters.yaml explains the fields.
type Adapters struct {
	Rules []Adapter `yaml:"adapters"`
	Tools []Tool    `yaml:"defaults"` // what a host is taken to have that says nothing
}

// Adapter gives a capability to tools whose lower-cased name fits.
type Adapter struct {
	Capability Capability `yaml:"capability"`
	Contains   []string   `yaml:"contains"`
	Equals     []string   `yaml:"equals"`
	Prefix     []string   `yaml:"prefix"`
	Not        []string   `yaml:"not"`
	Typed      bool       `yaml:"typed"` // and the tool says by a schema what it takes
}

var embeddedAdapters = sync.OnceValues(func() (Adapters, error) { return ReadAdapters(adaptersFile) })

// DefaultAdapters are those of the binary.
func DefaultAdapters() (Adapters, error) { return embeddedAdapters() }

// AdaptersFile is the table of the binary, as it is written.
func AdaptersFile() []byte { return bytes.Clone(adaptersFile) }

// ReadAdapters reads and checks a table of adapters in YAML.
func ReadAdapters(file []byte) (Adapters, error) {
	a, err := table.Strict[Adapters](file)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return Adapters{}, fmt.Errorf("%w: tool adapters: %w", ErrTables, err)
	}
	return a, nil
}

func (a Adapters) check() error {
	if len(a.Rules) == 0 {
		return errors.New("there is no rule, so no tool would be used")
	}
	for i, r := range a.Rules {
		words := slices.Concat(r.Contains, r.Equals, r.Prefix)
		switch {
		case !r.Capability.known():
			return fmt.Errorf("rule %d gives %q, which is no capability", i+1, r.Capability)
		case len(words) == 0:
			return fmt.Errorf("rule %d fits no name", i+1)
		case slices.ContainsFunc(slices.Concat(words, r.Not), func(w string) bool { return w == "" || w != strings.ToLower(w) }):
			return fmt.Errorf("rule %d has a word that is empty or not in lower case", i+1)
		}
	}
	return checkTools(a.Tools)
}

// Capability says what a tool is used for: what it declares, else what its name says, else nothing,
// and then it is never used.
func (a Adapters) Capability(t Tool) Capability {
	if t.Capability != "" {
		return t.Capability
	}
	name := strings.ToLower(t.Name)
	for _, r := range a.Rules {
		if r.fits(name) && (!r.Typed || t.typed()) {
			return r.Capability
		}
	}
	return ""
}

func (r Adapter) fits(name string) bool {
	holds := func(word string) bool { return strings.Contains(name, word) }
	begins := func(word string) bool { return strings.HasPrefix(name, word) }
	fits := slices.ContainsFunc(r.Contains, holds) || slices.Contains(r.Equals, name) || slices.ContainsFunc(r.Prefix, begins)
	return fits && !slices.ContainsFunc(r.Not, holds)
}
