package skill

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
	"github.com/batonflow/baton/skills"
)

// field is a part of a skill's text with its weight and the length at which it counts plainly. The
// lengths are fixed, not averages of the index: a score must not change because others came.
type field struct {
	name   string
	weight float64
	length float64
}

// The fields of a skill, in the order of the bits in a posting. What a skill says of itself are the
// first ones: their share that a request touches counts.
var fields = []field{
	{"name", 3.0, 3},
	{"tags", 1.5, 6},
	{"description", 1.0, 25},
	{"parameters", 0.8, 6},
	{"headings", 0.2, 25},
}

const (
	inName = 1 << 0
	inOwn  = 1<<0 | 1<<1 | 1<<2
)

const (
	lengthShare = 0.4 // how far a long field dilutes its words
	saturation  = 1.0 // weighted count at which a match is half of what it can be
)

// posting says that a skill has a term.
type posting struct {
	doc    int32
	fields uint8   // bit per field
	sat    float32 // strength of the match, 0 to 1
}

// postings are the skills that have a term, and how much the term tells skills apart, 0 to 1.
type postings struct {
	list       []posting
	importance float64
}

// Searcher holds an index of skills ready for search. It is immutable and safe for concurrent
// use; make a new one when the index changed.
type Searcher struct {
	lex      *lexicon
	skills   []skills.Skill
	names    []string  // folded
	tiers    []float64 // weights
	shadowed []bool    // another skill has the bare name
	byName   map[string][]int32
	terms    map[string]*postings
	begins   map[string][]int32 // by the word that the name begins with; "" for names in CJK
	against  map[string][]int32 // what skills say they are not for
	nameMass []float64          // importance of all words of the name
	ownMass  []float64          // of all words of name, tags and description
}

// NewSearcher prepares the usable skills of an index. The error is for a lexicon that does not load.
func NewSearcher(index skills.Index) (*Searcher, error) {
	lex, err := embedded()
	if err != nil {
		return nil, fmt.Errorf("search skills: %w", err)
	}
	return newSearcher(index, lex), nil
}

func newSearcher(index skills.Index, lex *lexicon) *Searcher {
	s := &Searcher{lex: lex, terms: map[string]*postings{}, against: map[string][]int32{}, byName: map[string][]int32{}, begins: map[string][]int32{}}
	st := stems{}
	for i, sk := range index.Skills {
		if !sk.Usable {
			continue
		}
		s.shadowed = append(s.shadowed, i > 0 && index.Skills[i-1].Usable && strings.EqualFold(index.Skills[i-1].Name, sk.Name))
		s.skills = append(s.skills, sk)
		s.tiers = append(s.tiers, skills.TierWeight(sk.Tier))
		s.names = append(s.names, words.Fold(sk.Name))
		doc := int32(len(s.skills) - 1)
		if !s.shadowed[doc] {
			s.call(sk.Name, doc)
		}
		s.call(sk.FullName(), doc)
		first := firstWord(s.names[doc])
		s.begins[first] = append(s.begins[first], doc)
		s.add(doc, sk, st)
	}
	s.weighTerms()
	return s
}

// call makes a skill known by a name.
func (s *Searcher) call(name string, doc int32) {
	name = strings.ToLower(name)
	s.byName[name] = append(s.byName[name], doc)
}

// weighTerms gives each term its importance, once all skills are in. The order is fixed, so that sums
// come out the same to the last bit.
func (s *Searcher) weighTerms() {
	s.nameMass, s.ownMass = make([]float64, len(s.skills)), make([]float64, len(s.skills))
	for _, key := range slices.Sorted(maps.Keys(s.terms)) {
		t := s.terms[key]
		t.importance = s.rated(key, len(t.list))
		if derived(key) {
			continue
		}
		for _, p := range t.list {
			if p.fields&inName != 0 {
				s.nameMass[p.doc] += t.importance
			}
			if p.fields&inOwn != 0 {
				s.ownMass[p.doc] += t.importance
			}
		}
	}
}

// tally is the weighted count of a term in one skill.
type tally struct {
	count  float64
	fields uint8
}

func (s *Searcher) add(doc int32, sk skills.Skill, st stems) {
	counts := map[string]tally{}
	positive, negative := purpose(words.Fold(sk.Description))
	texts := []string{words.Fold(words.Apart(sk.Name)), words.Fold(strings.Join(sk.Tags, " , ")), positive, words.Fold(words.Apart(strings.Join(sk.Parameters, " , "))), words.Fold(strings.Join(sk.Headings, " , "))}
	for f, text := range texts {
		s.count(counts, f, text, st)
	}
	for key, t := range counts {
		if s.terms[key] == nil {
			s.terms[key] = &postings{}
		}
		s.terms[key].list = append(s.terms[key].list, posting{doc: doc, fields: t.fields, sat: float32(t.count / (t.count + saturation))})
	}
	for _, key := range keysOf(s.lex, negative, st) {
		if _, also := counts[key]; !also && !s.lex.generic(key) {
			s.against[key] = append(s.against[key], doc)
		}
	}
}

// count adds the terms of one field.
func (s *Searcher) count(counts map[string]tally, f int, text string, st stems) {
	list := terms(text, st)
	length := 0.0
	for _, t := range list {
		if t.size == 0 {
			length++
		} else if t.size == 1 {
			length += 0.5
		}
	}
	each := fields[f].weight / (1 - lengthShare + lengthShare*length/fields[f].length)
	seen := map[string]int{}
	put := func(key string) {
		if seen[key]++; seen[key] > 3 {
			return // repeating a word does not make it truer
		}
		t := counts[key]
		counts[key] = tally{t.count + each, t.fields | 1<<f}
	}
	for _, t := range list {
		put(t.key)
	}
	for _, m := range s.lex.meanings(text, st) {
		for _, g := range m.groups {
			put(groupKey(g))
		}
		for _, f := range m.fields {
			put(fieldKey(f))
		}
	}
}

// keysOf lists what folded text can be matched by, single characters left out, sorted.
func keysOf(lex *lexicon, text string, st stems) []string {
	var out []string
	for _, t := range terms(text, st) {
		if t.size != 1 {
			out = append(out, t.key)
		}
	}
	for _, m := range lex.meanings(text, st) {
		for _, g := range m.groups {
			out = append(out, groupKey(g))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The importance of a term falls with the share of skills that have it. The share is smoothed as if
// there were some skills more, and measured against that of a word which one skill has, so that a
// term means about the same among five skills and among twenty thousand.
const (
	priorSkills = 200
	priorWith   = 2
)

// importance is between 0 and 1.
func (s *Searcher) importance(key string) float64 {
	if t := s.terms[key]; t != nil {
		return t.importance
	}
	return s.rated(key, 0)
}

func (s *Searcher) rated(key string, with int) float64 {
	all := float64(len(s.skills) + priorSkills)
	imp := math.Log(all/float64(min(with+priorWith, len(s.skills)+priorSkills))) / math.Log(all/priorWith)
	if light := s.lex.light[key]; light > 0 {
		imp *= light
	}
	return imp
}
