package task

import (
	"slices"

	"github.com/batonflow/baton/routing/words"
)

// noteUnsplittable says that the query asks for parallel work and names no two targets.
const noteUnsplittable = "parallel_unsplittable"

// ruleHint is the rule of a query whose mode was told.
const ruleHint = "mode_hint"

// choice is what the rules made of a query.
type choice struct {
	rule    string
	mode    string
	chain   []Atom
	targets []string
	hits    []found // in the order of the rules
	notes   []string
}

// found is a rule with a word in the query.
type found struct {
	rule
	word string
}

// choose applies the rules, or the mode that is asked for. Parallel work that cannot be split is done
// by the next rule.
func (r Router) choose(req Request, mode string) choice {
	text := words.Fold(req.Query)
	c := choice{notes: []string{}}
	for _, rule := range r.rules.Rules {
		if word := rule.hit(text); word != "" {
			c.hits = append(c.hits, found{rule, word})
		}
	}
	switch mode {
	case Standard:
		c.rule, c.mode, c.chain = ruleHint, Standard, r.standard(c.hits).chain
		return c
	case Exploratory, Research:
		c.rule, c.mode, c.chain = ruleHint, mode, r.rules.Rules[r.rules.ofMode(mode)].chain
		return c
	case Parallel:
		if r.split(&c, req, ruleHint) {
			return c
		}
	}
	for _, h := range c.hits {
		if h.Mode == Parallel && (len(c.notes) > 0 || !r.split(&c, req, h.Rule)) {
			continue
		}
		if h.Mode != Parallel {
			c.rule, c.mode, c.chain = h.Rule, h.Mode, h.chain
		}
		return c
	}
	last := r.standard(nil)
	c.rule, c.mode, c.chain = last.Rule, last.Mode, last.chain
	return c
}

// split makes the choice parallel if there are targets, and notes it if there are none.
func (r Router) split(c *choice, req Request, rule string) bool {
	targets := r.targetsOf(req)
	if len(targets) < 2 {
		c.notes = append(c.notes, noteUnsplittable)
		return false
	}
	c.rule, c.mode, c.targets = rule, Parallel, targets
	c.chain = r.standard(c.hits).chain
	return true
}

// standard gives the first standard rule with a hit, else the last of all rules.
func (r Router) standard(hits []found) rule {
	for _, h := range hits {
		if h.Mode == Standard {
			return h.rule
		}
	}
	return r.rules.Rules[len(r.rules.Rules)-1]
}

// Names of the flags that words of a query set.
const (
	flagBiomedical = "biomedical"
	flagBatch      = "batch"
	flagOnePaper   = "one_paper"
)

// flags are what the genes ask about a query. Papers are compared where associations are looked for,
// unless the query is about one paper.
func (r Router) flags(req Request, chain []Atom) Flags {
	text := words.Fold(req.Query)
	says := func(flag string) bool { return firstOf(text, r.rules.Flags[flag]) != "" }
	f := Flags{
		Biomedical:   says(flagBiomedical),
		Batch:        req.Context.Items > 1 || says(flagBatch),
		SingleSource: req.Context.SingleSource,
		CrossPaper:   slices.ContainsFunc(chain, func(a Atom) bool { return a.Gene == associationGenes }) && !says(flagOnePaper),
	}
	if req.Context.Biomedical != nil {
		f.Biomedical = *req.Context.Biomedical
	}
	return f
}
