package skill

import (
	"regexp"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// unit is a piece of a request that a skill can answer, by its own word or by another of the same
// meaning.
type unit struct {
	text   string
	start  int // bytes of the request
	end    int
	weight float64
	key    string // "" when only the meaning counts
	groups []string
	word   bool // of letters
	single bool // a single character
}

// query is a request ready for scoring.
type query struct {
	text   string    // folded, measure words left out
	roles  []float64 // per byte: how much it counts for what is asked
	units  []unit
	masses []float64 // by where a word or character starts
	mass   float64   // how much there is to be explained: a word one, a CJK character half
}

// Weights of the parts of a CJK word. A word of two characters that matches counts about as much as
// an English one.
const (
	singleWeight   = 0.1
	pairWeight     = 0.4
	tripleWeight   = 0.25
	meaningWeight  = 0.8 // of a CJK word's meaning
	oneCharMeaning = 0.5
	otherWord      = 0.7 // discount for a match by meaning, not by word
	foreignWord    = 2.0 // of a word of letters in a Chinese request: there it is mostly the name of a thing
)

// newQuery reads a task.
func (s *Searcher) newQuery(task string) query {
	q := query{text: measure.ReplaceAllString(words.Fold(task), "")}
	roles := rolesOf(q.text)
	q.roles = roles
	latin := 1.0
	if strings.ContainsFunc(q.text, words.CJK) {
		latin = foreignWord
	}
	found := s.lex.meanings(q.text)
	taken := map[int]meaning{} // one-word English meanings by where they start
	for _, m := range found {
		if m.words == 1 {
			taken[m.start] = m
			continue
		}
		weight := meaningWeight
		if m.chars == 1 {
			weight = oneCharMeaning
		}
		q.units = append(q.units, unit{text: q.text[m.start:m.end], start: m.start, end: m.end, weight: weight * roles[m.start], groups: groupKeys(m.groups)})
	}
	for _, t := range terms(q.text) {
		q.addTerm(t, roles[t.start], taken)
	}
	for i := range q.units {
		if u := &q.units[i]; u.word {
			u.weight *= latin
		}
	}
	q.weigh(s.lex, roles)
	return q
}

// weigh sums up what there is to be explained. Words that nearly every request has count less.
func (q *query) weigh(lex *lexicon, roles []float64) {
	generic := lex.generics(q.text)
	q.masses = make([]float64, len(q.text))
	for _, t := range terms(q.text) {
		if t.size > 1 {
			continue
		}
		m := roles[t.start]
		if t.size == 1 {
			m /= 2
		}
		if generic[t.start] {
			m *= genericness
		}
		q.masses[t.start] = m
		q.mass += m
	}
}

func (q *query) addTerm(t term, role float64, taken map[int]meaning) {
	u := unit{text: q.text[t.start:t.end], start: t.start, end: t.end, key: t.key, weight: role}
	switch t.size {
	case 0:
		u.word = true
		u.groups = groupKeys(taken[t.start].groups)
	case 1:
		u.weight *= singleWeight
		u.single = true
	case 2:
		u.weight *= pairWeight
	case 3:
		u.weight *= tripleWeight
	}
	if u.weight > 0 {
		q.units = append(q.units, u)
	}
}

func groupKeys(ids []int) []string {
	var out []string
	for _, id := range ids {
		out = append(out, groupKey(id))
	}
	return out
}

var (
	measure = regexp.MustCompile(`[一两三几这那](?:张|只|篇|个|份|幅|段|条|封|首|部|套|些|种|款|位|名)`)
	given   = regexp.MustCompile(`(?:把|将)(.+?)(?:整理|写|翻译|译|转|总结|改|做|变|发布|发到|编|导出|提炼|归纳|汇总|画|生成|配|保存|压缩|合并|拆分|制作)`)
	meant   = regexp.MustCompile(`(?:给|为|替)([^,，。;；我]{2,}?)(?:配|加|做|写|画|生成|设计|制作|添加|拟|起草)`)
	formed  = regexp.MustCompile(`(?:给出|输出|列出|返回|得出|附上)([^,，。;；]+)`)
	unasked = regexp.MustCompile(`(?:不要|别再|无需|不用|不需要|\bdon't\b|\bdo not\b|\bwithout\b|\brather than\b|\binstead of\b)[^,，。;；.!！?？\n]*`)
)

// How much parts of a request count for what is asked: material that is given, the form in which
// a result is wanted and whom a thing is for say less than what is to be done; what is not wanted says nothing.
const (
	roleGiven = 0.4
	roleMeant = 0.1
)

// rolesOf gives a weight to each byte of a folded request.
func rolesOf(text string) []float64 {
	roles := make([]float64, len(text)+1)
	for i := range roles {
		roles[i] = 1
	}
	set := func(from, to int, role float64) {
		for i := from; i < to; i++ {
			roles[i] = role
		}
	}
	for _, m := range given.FindAllStringSubmatchIndex(text, -1) {
		set(m[2], m[3], roleGiven)
	}
	for _, m := range meant.FindAllStringSubmatchIndex(text, -1) {
		set(m[2], m[3], roleMeant)
	}
	for _, m := range formed.FindAllStringSubmatchIndex(text, -1) {
		set(m[2], m[3], roleGiven)
	}
	for _, m := range unasked.FindAllStringIndex(text, -1) {
		set(m[0], m[1], 0)
	}
	return roles
}

// match is a unit that a skill answers.
type match struct {
	unit
	byWord bool
}

// explained is the share of a request's mass that matches cover, from 0 to 1. What only another word
// of the same meaning covers is covered less.
func (q query) explained(matched []match) float64 {
	if q.mass == 0 {
		return 0
	}
	share := make([]float64, len(q.text))
	for _, m := range matched {
		if m.single {
			continue
		}
		value := otherWord
		if m.byWord {
			value = 1
		}
		for i := m.start; i < m.end; i++ {
			share[i] = max(share[i], value)
		}
	}
	covered := 0.0
	for i, value := range share {
		covered += value * q.masses[i]
	}
	return min(covered/q.mass, 1)
}
