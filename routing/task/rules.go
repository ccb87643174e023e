package task

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/routing/words"
)

//go:embed rules.yaml
var rulesFile []byte

// The modes of work.
const (
	Standard    = "standard"
	Exploratory = "exploratory"
	Research    = "research_twoloop"
	Parallel    = "parallel"
	Slash       = "slash"
)

// rules is what the router goes by; rules.yaml explains the fields.
type rules struct {
	Rules    []rule              `yaml:"rules"`
	Hints    map[string]string   `yaml:"hints"`
	Reserved []string            `yaml:"reserved"`
	Flags    map[string][]string `yaml:"flags"`
	Targets  targetWords         `yaml:"targets"`
	Legacy   []legacyRule        `yaml:"legacy"`
}

type rule struct {
	Rule   string   `yaml:"rule"`
	Mode   string   `yaml:"mode"`
	Words  []string `yaml:"words"`
	Unless *unless  `yaml:"unless"`
	Chain  []string `yaml:"chain"`
	chain  []Atom
}

// unless takes hits of a word away.
type unless struct {
	Word   string   `yaml:"word"`
	Before []string `yaml:"before"`
	Within int      `yaml:"within"` // characters
}

type legacyRule struct {
	Complexity string   `yaml:"complexity"`
	Words      []string `yaml:"words"`
	Chain      []string `yaml:"chain"`
	chain      []Atom
}

// decode reads a file of data strictly: a field that is not known is an error.
func decode(name string, file []byte, into any) error {
	if err := table.StrictInto(file, into); err != nil {
		return badData(name, "%v", err)
	}
	return nil
}

func readRules(file []byte, t atoms) (rules, error) {
	var r rules
	if err := decode("rules.yaml", file, &r); err != nil {
		return rules{}, err
	}
	if len(r.Rules) == 0 || len(r.Legacy) == 0 {
		return rules{}, badData("rules.yaml", "rules and legacy each have at least the rule that catches everything")
	}
	seen := map[string]bool{}
	for i := range r.Rules {
		rule := &r.Rules[i]
		if rule.Rule == "" || seen[rule.Rule] {
			return rules{}, badData("rules.yaml", "rule %d has no name, or one that another has", i+1)
		}
		seen[rule.Rule] = true
		if err := rule.resolve(t, i == len(r.Rules)-1); err != nil {
			return rules{}, badData("rules.yaml", "rule %s %v", rule.Rule, err)
		}
	}
	for i := range r.Legacy {
		l := &r.Legacy[i]
		var err error
		if l.chain, err = t.chain(l.Chain); err != nil || len(l.Chain) == 0 || l.Complexity == "" || (len(l.Words) == 0) != (i == len(r.Legacy)-1) {
			return rules{}, badData("rules.yaml", "legacy rule %d has no complexity or no good chain, or it is not the last and has no words", i+1)
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(r.Flags)) {
		if !slices.Contains([]string{flagBiomedical, flagBatch, flagOnePaper}, flag) {
			return rules{}, badData("rules.yaml", "there is no flag %q", flag)
		}
	}
	for hint, mode := range r.Hints {
		if !slices.Contains([]string{Standard, Exploratory, Research, Parallel}, mode) {
			return rules{}, badData("rules.yaml", "hint %s names the mode %q, which there is not", hint, mode)
		}
		if mode != Standard && mode != Parallel && r.ofMode(mode) < 0 {
			return rules{}, badData("rules.yaml", "hint %s asks for the mode %s, which no rule has", hint, mode)
		}
	}
	return r, r.checkWords()
}

// resolve makes the chain of a rule and finds what is wrong with it.
func (r *rule) resolve(t atoms, last bool) (err error) {
	switch {
	case !slices.Contains([]string{Standard, Exploratory, Research, Parallel}, r.Mode):
		return fmt.Errorf("has the mode %q, which there is not", r.Mode)
	case last && (len(r.Words) > 0 || r.Mode != Standard):
		return fmt.Errorf("is the last: it has no words and is standard")
	case !last && len(r.Words) == 0:
		return fmt.Errorf("has no words and is not the last, so those below are never reached")
	case (r.Mode == Parallel) != (len(r.Chain) == 0):
		return fmt.Errorf("has a chain that it may not have, or lacks one")
	case r.Unless != nil && (!slices.Contains(r.Words, r.Unless.Word) || len(r.Unless.Before) == 0 || r.Unless.Within < 0):
		return fmt.Errorf("makes an exception for nothing")
	}
	r.chain, err = t.chain(r.Chain)
	return err
}

// checkWords finds words that could never match.
func (r rules) checkWords() error {
	lists := [][]string{r.Targets.Connectors, r.Targets.Verbs, r.Targets.Leads, r.Targets.Tails, r.Targets.Heads, r.Targets.Shields}
	for _, rule := range r.Rules {
		lists = append(lists, rule.Words)
		if rule.Unless != nil {
			lists = append(lists, rule.Unless.Before)
		}
	}
	for _, l := range r.Legacy {
		lists = append(lists, l.Words)
	}
	for _, list := range r.Flags {
		lists = append(lists, list)
	}
	for _, word := range slices.Concat(lists...) {
		if strings.TrimSpace(word) != word || word == "" || words.Fold(word) != word {
			return badData("rules.yaml", "the word %q is blank or not folded (lower case, Simplified, no blanks around)", word)
		}
	}
	return nil
}

// ofMode gives the place of the first rule with a mode; -1: there is none.
func (r rules) ofMode(mode string) int {
	return slices.IndexFunc(r.Rules, func(rule rule) bool { return rule.Mode == mode })
}
