package skill

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// unit is a piece of a request that a skill can answer, by its own word or by another of the same
// meaning.
type unit struct {
	text     string
	start    int // bytes of the request
	end      int
	weight   float64
	role     float64 // how much the place where it stands counts
	key      string  // "" when only the meaning counts
	groups   []string
	word     bool // of letters
	single   bool // a single character
	clause   int  // number of the clause it stands in
	sentence int
}

// nearness is a field that a request is about.
type nearness struct {
	key    string
	weight float64
	text   string // its words in the request
}

// query is a request ready for scoring.
type query struct {
	text   string    // folded, measure words left out
	roles  []float64 // per byte: how much it counts for what is asked
	units  []unit
	near   []nearness
	masses []float64 // by where a word or character starts
	mass   float64   // how much there is to be explained: a word one, a CJK character half
}

// length is what a score is divided by: long requests match more by chance.
func (q query) length() float64 { return math.Sqrt(q.mass) + massOffset }

// Weights of the parts of a CJK word. A word of two characters that matches counts about as much as
// an English one.
const (
	singleWeight   = 0.2
	pairWeight     = 0.5
	tripleWeight   = 0.3
	meaningWeight  = 0.8 // of a CJK word's meaning
	oneCharMeaning = 0.5
	otherWord      = 0.8 // discount for a match by meaning, not by word
	foreignWord    = 1.5 // of a word of letters in a Chinese request: there it is mostly the name of a thing
	fieldWeight    = 0.3 // of a field for one word of it; each further word adds less
	furtherWords   = 0.5
)

// newQuery reads a task.
func (s *Searcher) newQuery(task string) query {
	q := query{text: measure.ReplaceAllString(words.Fold(task), "")}
	q.roles = rolesOf(q.text)
	st := stems{}
	found := s.lex.meanings(q.text, st)
	oneWord := map[int]meaning{} // one-word English meanings by where they start
	for _, m := range found {
		if m.words == 1 {
			oneWord[m.start] = m
		} else if len(m.groups) > 0 {
			q.addMeaning(m)
		}
	}
	for _, t := range terms(q.text, st) {
		q.addTerm(t, oneWord)
	}
	slices.SortStableFunc(q.units, func(a, b unit) int { return a.start - b.start })
	q.saturate()
	q.cut(clauseEnd, func(u *unit, n int) { u.clause = n })
	q.cut(sentenceEnd, func(u *unit, n int) { u.sentence = n })
	q.approach(found)
	q.weigh(s.lex, st)
	return q
}

// approach finds the fields that a request is about.
func (q *query) approach(found []meaning) {
	said := map[int][]string{}
	for _, m := range found {
		if q.roles[m.start] <= roleMeant {
			continue
		}
		for _, f := range m.fields {
			if word := q.text[m.start:m.end]; !slices.Contains(said[f], word) {
				said[f] = append(said[f], word)
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(said)) {
		more := furtherWords * math.Log(float64(len(said[f])))
		q.near = append(q.near, nearness{fieldKey(f), fieldWeight * (1 + more), strings.Join(said[f], ", ")})
	}
}

// saturate lets a word that is said again count less each time, and a word of letters among Chinese
// ones more.
func (q *query) saturate() {
	latin := 1.0
	if strings.ContainsFunc(q.text, words.CJK) {
		latin = foreignWord
	}
	times := map[string]float64{}
	for i := range q.units {
		u := &q.units[i]
		if u.word {
			u.weight *= latin
		}
		if u.key != "" {
			times[u.key]++
			u.weight /= times[u.key]
		}
	}
}

// weigh measures how much there is to be explained, and where.
func (q *query) weigh(lex *lexicon, st stems) {
	light := lex.lightness(q.text, st)
	q.masses = make([]float64, len(q.text))
	for _, t := range terms(q.text, st) {
		if t.size > 1 {
			continue
		}
		m := q.roles[t.start]
		if t.size == 1 {
			m /= 2
		}
		if l := light[t.start]; l > 0 {
			m *= l
		}
		q.masses[t.start] = m
		q.mass += m
	}
}

func (q *query) addMeaning(m meaning) {
	weight := meaningWeight
	if m.chars == 1 {
		weight = oneCharMeaning
	}
	role := q.roles[m.start]
	q.units = append(q.units, unit{text: q.text[m.start:m.end], start: m.start, end: m.end, role: role, weight: weight * role, groups: groupKeys(m.groups)})
}

func (q *query) addTerm(t term, oneWord map[int]meaning) {
	role := q.roles[t.start]
	u := unit{text: q.text[t.start:t.end], start: t.start, end: t.end, key: t.key, role: role, weight: role}
	switch t.size {
	case 0:
		u.word = true
		u.groups = groupKeys(oneWord[t.start].groups)
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

// cut numbers the parts of a request.
func (q *query) cut(at *regexp.Regexp, set func(u *unit, n int)) {
	bounds := at.FindAllStringIndex(q.text, -1)
	for i, n := 0, 0; i < len(q.units); i++ {
		for n < len(bounds) && q.units[i].start >= bounds[n][0] {
			n++
		}
		set(&q.units[i], n)
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
	clauseEnd   = regexp.MustCompile(`[.!?;](?:\s|$)|[，。；！？,]|\b(?:and|then|also|as well as|plus)\b|并且|以及|同时|然后|还有`)
	sentenceEnd = regexp.MustCompile(`[.!?;](?:\s|$)|[。；！？]`)
	quotation   = regexp.MustCompile(`"[^"\n]{1,200}"|'[^'\n]{3,200}'|“[^”\n]{1,200}”|「[^」\n]{1,200}」|《[^》\n]{1,200}》`)
	measure     = regexp.MustCompile(`[一两三几这那](?:张|只|篇|个|份|幅|段|条|封|首|部|套|些|种|款|位|名)`)
	given       = regexp.MustCompile(`(?:把|将)(.+?)(?:整理|写|翻译|译|转|总结|改|做|变|发布|发到|编|导出|提炼|归纳|汇总|画|生成|配|保存|压缩|合并|拆分|制作)`)
	meant       = regexp.MustCompile(`(?:给|为|替)([^,，。;；我]{2,}?)(?:配|加|做|写|画|生成|设计|制作|添加|拟|起草)`)
	formed      = regexp.MustCompile(`(?:给出|输出|列出|返回|得出|附上)([^,，。;；]+)`)
	unasked     = regexp.MustCompile(`(?:不要|别再|无需|不用|不需要|\bdon't\b|\bdo not\b|\bwithout\b|\brather than\b|\binstead of\b)[^,，。;；.!！?？\n]*`)
)

// How much parts of a request count for what is asked: material that is given or quoted, the form in which
// a result is wanted and whom a thing is for say less than what is to be done; what is not wanted says nothing.
const (
	roleQuoted = 0.6
	roleGiven  = 0.4
	roleMeant  = 0.1
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
	for _, m := range quotation.FindAllStringIndex(text, -1) {
		set(m[0], m[1], roleQuoted)
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
