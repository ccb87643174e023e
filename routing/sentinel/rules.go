package sentinel

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/batonflow/baton/routing/table"
)

//go:embed rules.yaml
var rulesFile []byte

// ErrRules is a rule file that does not parse or check. It stops routing: a broken gate must not
// stand open.
var ErrRules = errors.New("E_SENTINEL_RULES: the rules of the sentinel are not valid; mend the file or remove it")

// Rules is what the sentinel goes by; rules.yaml explains the fields.
type Rules struct {
	Attacks     []Attack            `yaml:"attacks"`
	Also        []Attack            `yaml:"also"` // attacks beside those
	Lists       map[string][]string `yaml:"lists"`
	Passes      map[string][]string `yaml:"passes"`
	Evasion     []string            `yaml:"evasion"`
	Cover       map[string][]string `yaml:"cover"`
	MinCoverage float64             `yaml:"min_coverage"`
	Env         []EnvRule           `yaml:"env"`
}

// Attack refuses a clause that holds one of Words and something of the lists that Needs and With name.
type Attack struct {
	Words  []string `yaml:"words"`
	Needs  string   `yaml:"needs"`
	With   string   `yaml:"with"`
	Report string   `yaml:"report"` // verb, target or both
}

// EnvRule names a variable that requests with these words or types of action need.
type EnvRule struct {
	Variable string   `yaml:"variable"`
	Words    []string `yaml:"words"`
	Types    []string `yaml:"types"`
}

var embedded = sync.OnceValues(func() (Rules, error) { return ReadRules(string(rulesFile)) })

// DefaultRules are the rules of the binary.
func DefaultRules() (Rules, error) { return embedded() }

// RulesFile is the binary's file of rules, as it is written.
func RulesFile() []byte { return bytes.Clone(rulesFile) }

//go:embed rules.schema.json
var rulesSchema []byte

// RulesSchema is the JSON Schema of a file of rules.
func RulesSchema() []byte { return bytes.Clone(rulesSchema) }

var checked = sync.OnceValues(func() (*table.Schema, error) { return table.Compile(rulesSchema) })

// ReadRules reads and checks rules in YAML. Of several texts a later one replaces what an earlier one
// says, key by key, and a list by its name; its also adds to the attacks. It fails with [ErrRules].
func ReadRules(texts ...string) (Rules, error) {
	schema, err := checked()
	if err != nil {
		return Rules{}, err
	}
	var r Rules
	for _, text := range texts {
		tree, err := schema.Tree([]byte(text))
		if err != nil {
			return Rules{}, fmt.Errorf("%w: %w", ErrRules, err)
		}
		if len(tree) == 0 {
			return Rules{}, fmt.Errorf("%w: the file says nothing", ErrRules)
		}
		if err := yaml.Unmarshal([]byte(text), &r); err != nil {
			return Rules{}, fmt.Errorf("%w: %w", ErrRules, err)
		}
		r.Attacks, r.Also = append(r.Attacks, r.Also...), nil
	}
	return r, r.check()
}

// check refuses what the schema cannot.
func (r Rules) check() error {
	if len(r.Attacks) == 0 {
		return fmt.Errorf("%w: there is no attack rule, so nothing would be refused", ErrRules)
	}
	for i, a := range r.Attacks {
		for _, name := range []string{a.Needs, a.With} {
			if _, known := r.Lists[name]; name != "" && !known {
				return fmt.Errorf("%w: attack %d needs %q, which is no list", ErrRules, i+1, name)
			}
		}
	}
	return nil
}
