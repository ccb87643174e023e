package audit

import (
	"slices"
	"strings"
)

// Mask shortens what has the form of a secret to its beginning, for texts that are shown or handed on.
// Baton keeps references to secrets and not the secrets; this is for what a program printed or a person
// pasted all the same.
func Mask(text string) string {
	rules, err := secretRules()
	if err != nil {
		return text // the rules are embedded, and a test reads them
	}
	for i := range rules {
		if contains(text, rules[i].Hints) {
			text = rules[i].mask(text)
		}
	}
	return text
}

func (r *secretRule) mask(text string) string {
	hits := r.pattern.FindAllStringSubmatchIndex(text, -1)
	slices.Reverse(hits) // from the end, so that places stay what they are
	for _, m := range hits {
		from, to := m[0], m[1]
		if len(m) > 3 && m[2] >= 0 {
			from, to = m[2], m[3]
		}
		value := text[from:to]
		if stand.MatchString(value) || entropy(value) < r.Entropy || !strings.ContainsAny(value, "0123456789") {
			continue
		}
		text = text[:from] + value[:min(4, len(value)/4)] + "…" + text[to:]
	}
	return text
}
