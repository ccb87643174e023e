package task

import (
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// Reach is how far a query reaches by the profile of the golden cases.
type Reach struct {
	Complexity string   `json:"complexity"` // simple, medium, complex or full
	Chain      []string `json:"chain"`
}

// Legacy routes as the golden cases of old want it. A blank query, which Route refuses, is looked up.
func (r Router) Legacy(query string) Reach {
	text := words.Fold(query)
	if strings.TrimSpace(text) == "" {
		return Reach{"simple", skills(r.atoms.Chain[:1])}
	}
	for _, rule := range r.rules.Legacy {
		if len(rule.Words) == 0 || firstOf(text, rule.Words) != "" {
			return Reach{rule.Complexity, skills(rule.chain)}
		}
	}
	return Reach{} // the last rule has no words, so it is never reached
}
