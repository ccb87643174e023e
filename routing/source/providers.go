package source

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/batonflow/baton/routing/table"
)

var (
	//go:embed providers.yaml
	providersFile []byte
	//go:embed providers.schema.json
	providersSchema []byte
)

// ErrProviders is a provider table that does not parse or check.
var ErrProviders = errors.New("E_PROVIDERS: the table of search providers is not valid; mend the file or remove it")

// Providers is the table of search providers, in the order in which they are tried.
type Providers []Provider

// Provider is one way to search the web; providers.yaml explains the fields.
type Provider struct {
	Name         string   `yaml:"name"`
	FallsOn      []string `yaml:"falls_on"`
	MonthlyQuota int      `yaml:"monthly_quota"`
	Always       bool     `yaml:"always"`
}

// ProvidersSchema is the JSON Schema of a provider table.
func ProvidersSchema() []byte { return bytes.Clone(providersSchema) }

// embedded is the table of the binary; that it loads is checked by a test.
var embedded = sync.OnceValues(func() (Providers, error) { return ReadProviders(providersFile) })

// DefaultProviders is the table of the binary, as it is written.
func DefaultProviders() []byte { return bytes.Clone(providersFile) }

// ReadProviders reads and checks a table in YAML. It fails with [ErrProviders].
func ReadProviders(file []byte) (Providers, error) {
	type list struct {
		Providers Providers `yaml:"providers"`
	}
	read, err := table.Strict[list](file)
	if err == nil {
		err = read.Providers.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProviders, err)
	}
	return read.Providers, nil
}

// word is how providers and reasons are written: they are joined into chains and logs.
var word = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (t Providers) check() error {
	if len(t) == 0 || !t[len(t)-1].Always {
		return errors.New("the last provider must be one with always: true")
	}
	for i, p := range t {
		if !word.MatchString(p.Name) || slices.Contains(t[:i].names(), p.Name) {
			return fmt.Errorf("provider %d: %q is no name, or another one has it", i+1, p.Name)
		}
		if err := p.check(i == len(t)-1); err != nil {
			return fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	return nil
}

func (p Provider) check(last bool) error {
	switch {
	case p.Always != last:
		return errors.New("always: true is for the last one")
	case last != (len(p.FallsOn) == 0):
		return errors.New("falls_on is for all but the last one, and they need it")
	case p.MonthlyQuota < 0:
		return errors.New("monthly_quota is a number of searches")
	case slices.Contains(p.FallsOn, allFailed) && len(p.FallsOn) > 1:
		return fmt.Errorf("%s stands alone", allFailed)
	}
	for i, reason := range p.FallsOn {
		if !word.MatchString(reason) || slices.Contains(p.FallsOn[:i], reason) {
			return fmt.Errorf("falls_on: %q is no reason, or listed twice", reason)
		}
	}
	return nil
}

func (t Providers) names() []string {
	out := make([]string, len(t))
	for i, p := range t {
		out[i] = p.Name
	}
	return out
}
