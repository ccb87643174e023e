// Package sentinel looks at a request before anything is routed and refuses plain attacks.
//
// It is always first and always cheap, and never the only gate: what a model refuses and what the
// engine's approvals hold back comes after it. It reads words, not letters: an attack is a verb
// with a target in one clause, in folded text, Chinese or English; defence, learning, work on
// one's own systems and figures of speech pass. Missing capabilities and missing keys are
// warnings, never refusals.
//
// The package is pure; the environment is a parameter.
package sentinel

import (
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// Reasons of a [Verdict].
const (
	ReasonOK       = "ok"
	ReasonSecurity = "security_policy_violation"
)

// Request is what is looked at. Types and Skills may be nil: then nothing is said about
// capability.
type Request struct {
	Text   string
	Types  []string          // types of the sub-tasks
	Skills []string          // names of the installed skills
	Env    map[string]string // the variables that are set
	Soft   bool              // also look for missing capabilities and keys
}

// Verdict is the answer. Its JSON is a contract.
type Verdict struct {
	Proceed    bool     `json:"proceed"`
	Reason     string   `json:"reason"`
	Boundary   string   `json:"boundary"`            // security when refused, else empty
	Matched    string   `json:"matched"`             // the words that made it so, folded, joined by +
	Warnings   []string `json:"warnings"`            // capability:<types>, missing_env:<variable>
	Suggestion string   `json:"suggestion"`          // what to do instead
	Coverage   *float64 `json:"capability_coverage"` // share of the types that a skill covers; null when not asked
}

// Sentinel checks requests. Make one with [New]; it is safe for concurrent use.
type Sentinel struct {
	rules   Rules
	attacks [][]word
	lists   map[string][]word
	passes  map[string][]word
	evasion []word
	env     [][]word
}

// New gives a sentinel over rules, those of the binary when rules is nil.
func New(rules *Rules) (Sentinel, error) {
	if rules == nil {
		r, err := DefaultRules()
		if err != nil {
			return Sentinel{}, err
		}
		rules = &r
	}
	s := Sentinel{rules: *rules, lists: map[string][]word{}, passes: map[string][]word{}, evasion: compile(rules.Evasion)}
	for _, a := range rules.Attacks {
		s.attacks = append(s.attacks, compile(a.Words))
	}
	for name, list := range rules.Lists {
		s.lists[name] = compile(list)
	}
	for name, list := range rules.Passes {
		s.passes[name] = compile(list)
	}
	for _, e := range rules.Env {
		s.env = append(s.env, compile(e.Words))
	}
	return s, nil
}

// Check looks at a request.
func (s Sentinel) Check(r Request) Verdict {
	v := Verdict{Proceed: true, Reason: ReasonOK, Warnings: []string{}}
	text := words.Fold(r.Text)
	if matched, bad := s.attack(text); bad {
		v.Proceed, v.Reason, v.Boundary, v.Matched = false, ReasonSecurity, "security", matched
		v.Suggestion = "If the system is yours or you are authorised, say so; for protection, ask how to defend against it."
		return v
	}
	if r.Soft {
		s.capability(r, &v)
		s.resources(r, newClause(text), &v)
		v.Suggestion = suggestion(v.Warnings)
	}
	return v
}

func suggestion(warnings []string) string {
	if len(warnings) == 0 {
		return ""
	}
	var parts []string
	for _, w := range warnings {
		code, what, _ := strings.Cut(w, ":")
		if code == "capability" {
			parts = append(parts, "no installed skill covers "+what+"; look for one with acquire")
		} else {
			parts = append(parts, "set "+what+" or choose a skill that does without")
		}
	}
	return strings.Join(parts, ". ") + "."
}

// attack finds the first attack in a clause that nothing excuses.
func (s Sentinel) attack(text string) (string, bool) {
	whole := newClause(text)
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",，。;；!！?？\n", r) }) {
		c := newClause(part)
		if s.excused(c, whole) {
			continue
		}
		for i := range s.attacks {
			if matched, bad := s.matches(i, c); bad {
				return matched, true
			}
		}
	}
	return "", false
}

// excused says whether a clause speaks about attacks without asking for one. Who owns the system
// may stand anywhere in the request.
func (s Sentinel) excused(c, whole clause) bool {
	if _, evades := whole.first(s.evasion, ""); evades {
		return false
	}
	for kind, list := range s.passes {
		in := c
		if kind == "owner" {
			in = whole
		}
		if _, ok := in.first(list, ""); ok {
			return true
		}
	}
	return false
}

func (s Sentinel) matches(i int, c clause) (string, bool) {
	a := s.rules.Attacks[i]
	verb, ok := c.verb(s.attacks[i])
	if !ok {
		return "", false
	}
	if a.Needs == "" {
		return verb, true
	}
	target, ok := c.first(s.lists[a.Needs], verb)
	if !ok {
		return "", false
	}
	if _, found := c.first(s.lists[a.With], ""); a.With != "" && !found {
		return "", false
	}
	switch a.Report {
	case "both":
		return verb + "+" + target, true
	case "target":
		return target, true
	}
	return verb, true
}

func (s Sentinel) capability(r Request, v *Verdict) {
	if len(r.Types) == 0 || len(r.Skills) == 0 {
		return
	}
	var missing []string
	for _, kind := range r.Types {
		if !slices.ContainsFunc(r.Skills, func(name string) bool { return covers(s.rules.Cover[kind], name) }) {
			missing = append(missing, kind)
		}
	}
	share := 1 - float64(len(missing))/float64(len(r.Types))
	v.Coverage = &share
	if share < s.rules.MinCoverage {
		v.Warnings = append(v.Warnings, "capability:"+strings.Join(missing, ","))
	}
}

// covers says whether a word of a skill's name shows that it does a type of action.
func covers(list []string, name string) bool {
	for _, part := range words.Split(words.Fold(name)) {
		if slices.ContainsFunc(list, func(w string) bool { return words.Stem(w) == words.Stem(part) }) {
			return true
		}
	}
	return false
}

func (s Sentinel) resources(r Request, text clause, v *Verdict) {
	for i, rule := range s.rules.Env {
		if r.Env[rule.Variable] != "" {
			continue
		}
		_, said := text.first(s.env[i], "")
		if said || slices.ContainsFunc(rule.Types, func(t string) bool { return slices.Contains(r.Types, t) }) {
			v.Warnings = append(v.Warnings, "missing_env:"+rule.Variable)
		}
	}
}
