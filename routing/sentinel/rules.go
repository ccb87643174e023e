package sentinel

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed rules.yaml
var rulesFile []byte

// ErrRules is a rule file that does not parse or check. It stops routing: a broken gate must not
// stand open.
var ErrRules = errors.New("E_SENTINEL_RULES: the rules of the sentinel are not valid; mend the file or remove it")

// Rules is what the sentinel goes by; rules.yaml explains the fields.
type Rules struct {
	Attacks     []Attack            `yaml:"attacks"`
	Lists       map[string][]string `yaml:"lists"`
	Passes      map[string][]string `yaml:"passes"`
	Evasion     []string            `yaml:"evasion"`
	Cover       map[string][]string `yaml:"cover"`
	MinCoverage float64             `yaml:"min_coverage"`
	Env         []EnvRule           `yaml:"env"`
}

// Attack refuses a clause that holds one of Words and something of the list that Needs names.
type Attack struct {
	Words  []string `yaml:"words"`
	Needs  string   `yaml:"needs"`
	Report string   `yaml:"report"` // verb, target or both
}

// EnvRule names a variable that requests with these words or types of action need.
type EnvRule struct {
	Variable string   `yaml:"variable"`
	Words    []string `yaml:"words"`
	Types    []string `yaml:"types"`
}

var embedded = sync.OnceValues(func() (Rules, error) { return ReadRules(rulesFile) })

// DefaultRules are the rules of the binary.
func DefaultRules() (Rules, error) { return embedded() }

// ReadRules reads and checks rules in YAML.
func ReadRules(file []byte) (Rules, error) {
	var r Rules
	dec := yaml.NewDecoder(bytes.NewReader(file))
	dec.KnownFields(true)
	if err := dec.Decode(&r); err != nil {
		return Rules{}, fmt.Errorf("%w: %w", ErrRules, err)
	}
	if len(r.Attacks) == 0 {
		return Rules{}, fmt.Errorf("%w: there is no attack rule, so nothing would be refused", ErrRules)
	}
	for i, a := range r.Attacks {
		_, known := r.Lists[a.Needs]
		switch {
		case len(a.Words) == 0 || slices.Contains(a.Words, ""):
			return Rules{}, fmt.Errorf("%w: attack %d has an empty word", ErrRules, i+1)
		case a.Needs != "" && !known:
			return Rules{}, fmt.Errorf("%w: attack %d needs %q, which is no list", ErrRules, i+1, a.Needs)
		case !slices.Contains([]string{"verb", "target", "both"}, a.Report):
			return Rules{}, fmt.Errorf("%w: attack %d reports %q; verb, target or both", ErrRules, i+1, a.Report)
		}
	}
	if r.MinCoverage < 0 || r.MinCoverage > 1 {
		return Rules{}, fmt.Errorf("%w: min_coverage is between 0 and 1", ErrRules)
	}
	return r, nil
}
