package audit

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/batonflow/baton/routing/table"
)

//go:embed secrets.yaml
var secretFile []byte

// secretRule finds one kind of secret by its form; secrets.yaml says what its fields mean.
type secretRule struct {
	ID      string    `yaml:"id"`
	Level   Level     `yaml:"level"`
	Note    string    `yaml:"note"`
	Hints   []string  `yaml:"hints"`
	Pattern string    `yaml:"pattern"`
	Entropy float64   `yaml:"entropy"`
	Tests   ruleTests `yaml:"tests"`

	pattern *regexp.Regexp
}

var secretRules = sync.OnceValues(func() ([]secretRule, error) {
	list, err := table.Strict[[]secretRule](secretFile)
	if err != nil {
		return nil, fmt.Errorf("read the rules of secrets: %w", err)
	}
	for i := range list {
		if list[i].pattern, err = regexp.Compile(list[i].Pattern); err != nil || !list[i].Level.Valid() {
			return nil, fmt.Errorf("rule of secrets %s: level %q: %w", list[i].ID, list[i].Level, err)
		}
	}
	return list, nil
})

// stand finds what stands in the place of a secret in an example.
var stand = lazily(`(?i)x{4,}|\*{3,}|\.{3}|…|your|example|sample|dummy|fake|placeholder|changeme|change_me|replace|insert|todo|<[^>]+>|\$\{|\{\{|%s|redacted|test_?key|not_?a_?real|foobar|aaaa|0{8}|1{8}|env\[|environ|getenv|process\.env`)

// sequence finds what people type in the place of a secret in a text; in a script it may be one.
var sequence = lazily(`(?i)abcdefgh|12345678`)

// secret looks for secrets that the author left in a file. Only their beginning is shown.
func (a *auditor) secret(r *reading, source string) {
	for i := range a.secrets {
		rule := &a.secrets[i]
		if !contains(source, rule.Hints) {
			continue
		}
		for _, m := range rule.pattern.FindAllStringSubmatchIndex(source, mostHits) {
			from, to := m[0], m[1]
			if len(m) > 3 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			value := source[from:to]
			if stand.MatchString(value) || entropy(value) < rule.Entropy || !strings.ContainsAny(value, "0123456789") || r.class == document && sequence.MatchString(value) {
				continue
			}
			level, note := rule.Level, rule.Note
			if fixture(r.path) {
				level, note = Low, note+" (in a test)"
			}
			line := 1 + strings.Count(source[:from], "\n")
			a.add(Finding{Rule: "secret." + rule.ID, Kind: "hard-coded-secret", Level: level, File: r.path, Line: line, Excerpt: masked(source[m[0]:from], value), Note: note})
		}
	}
}

func contains(s string, any []string) bool {
	if len(any) == 0 {
		return true
	}
	for _, h := range any {
		if strings.Contains(s, h) {
			return true
		}
	}
	return false
}

// masked shows the beginning of a secret, enough to find it again.
func masked(before, value string) string {
	return shorten(strings.TrimSpace(before) + value[:min(4, len(value)/4)] + "…")
}

// entropy is how many bits a character of the text carries.
func entropy(s string) float64 {
	count := map[rune]float64{}
	n := 0.0
	for _, r := range s {
		count[r]++
		n++
	}
	sum := 0.0
	for _, r := range s {
		sum -= math.Log2(count[r] / n)
	}
	return sum / max(n, 1)
}
