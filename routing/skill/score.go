package skill

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// The scale of a score: 1.2 and more is a match that can stand alone, under 0.5 is noise.
const (
	scale      = 8.0
	massOffset = 1.0
	refused    = 0.35 // factor for a skill that says it is not for this
	namedBonus = 3.0  // for the skill that the request names
	places     = 1e4
)

// A skill that answers one clause well is worth as much as one that answers a bit of everything: the
// best clause and the best sentence of a request count beside the whole.
const (
	clauseShare   = 0.4
	sentenceShare = 0.2
	wholeShare    = 1 - clauseShare - sentenceShare
	shortSentence = 0.7 // how far a sentence with little in it is raised to the weight of the whole
	nameCover     = 0.5 // what a name adds of which the request has all words
	ownCover      = 0.6 // what a text adds of which the request has all words
)

// Part is what one piece of the request adds to a score.
type Part struct {
	Text   string   `json:"text"`   // of the request
	Match  string   `json:"match"`  // word, meaning when the skill uses another word for it, field when both are of one
	Fields []string `json:"fields"` // of the skill
	Points float64  `json:"points"` // before the division by the length of the request
}

// Breakdown is how a score came about: (share of the sum, of its best clause and of its best sentence)
// × (1 + covers) × scale ÷ length × factors + bonus + feedback + examples.
type Breakdown struct {
	Parts     []Part  `json:"parts"`
	Sum       float64 `json:"sum"`
	Clause    float64 `json:"clause"`     // the best clause's part of the sum
	Sentence  float64 `json:"sentence"`   // the best sentence's, raised when it is short
	NameCover float64 `json:"name_cover"` // share of the skill's name that the request has
	OwnCover  float64 `json:"own_cover"`  // share of the skill's own text that the request has
	Length    float64 `json:"length"`
	Tier      float64 `json:"tier_weight"`
	Refused   string  `json:"refused,omitempty"` // words that the skill says it is not for
	Named     bool    `json:"named,omitempty"`
	Feedback  float64 `json:"feedback_boost,omitempty"` // of nearly the same requests, -4 to 3
	Examples  float64 `json:"examples,omitempty"`       // of requests that it served
	Explained float64 `json:"explained"`                // share of the request that the skill answers, 0 to 1
	Final     float64 `json:"final"`
}

// best is the sum of the part of a request that is being added up, and the best one so far.
type best struct{ now, most float64 }

// sheet is what is added up for one skill.
type sheet struct {
	unit, whole      float64
	clause, sentence best
	name, own        float64 // importance of its words that the request has
}

// addition adds up a request over all skills.
type addition struct {
	s       *Searcher
	sheets  []sheet
	touched []int32 // by the unit at hand
	clause  parting
	sent    parting
	seen    map[string]bool
}

// parting cuts a request into parts of one kind and keeps the best of each.
type parting struct {
	number  int
	of      func(u unit) int
	best    func(sh *sheet) *best
	mass    map[int]float64 // by part, to raise the short ones; nil when they are not raised
	all     float64
	touched []int32
}

// scores gives every skill's score without refusals and bonus, 0 for no match, and how it came about.
func (s *Searcher) scores(q query) ([]float64, []sheet) {
	n := len(s.skills)
	a := addition{
		s: s, sheets: make([]sheet, n), touched: make([]int32, 0, n), seen: map[string]bool{},
		clause: parting{of: func(u unit) int { return u.clause }, best: func(sh *sheet) *best { return &sh.clause }, touched: make([]int32, 0, n)},
		sent:   parting{of: func(u unit) int { return u.sentence }, best: func(sh *sheet) *best { return &sh.sentence }, touched: make([]int32, 0, n), mass: map[int]float64{}},
	}
	for _, u := range q.units {
		m := u.weight * s.importance(u.key)
		a.sent.mass[u.sentence] += m
		a.sent.all += m
	}
	for _, u := range q.units {
		a.clause.turn(a.sheets, u)
		a.sent.turn(a.sheets, u)
		a.unit(u)
	}
	a.clause.close(a.sheets)
	a.sent.close(a.sheets)
	for _, n := range q.near {
		a.near(n)
	}
	total := make([]float64, n)
	perLength := scale / q.length()
	for doc := range total {
		if sh := &a.sheets[doc]; sh.whole > 0 {
			total[doc] = s.worth(int32(doc), sh) * perLength * s.tiers[doc]
		}
	}
	return total, a.sheets
}

// worth is what was added up for a skill, by the whole and its best parts, with what covering adds.
func (s *Searcher) worth(doc int32, sh *sheet) float64 {
	sum := wholeShare*sh.whole + clauseShare*sh.clause.most + sentenceShare*sh.sentence.most
	return sum * (1 + nameCover*s.nameShare(doc, sh) + ownCover*s.ownShare(doc, sh))
}

func (s *Searcher) nameShare(doc int32, sh *sheet) float64 {
	return sh.name / max(s.nameMass[doc], 0.1)
}
func (s *Searcher) ownShare(doc int32, sh *sheet) float64 { return sh.own / max(s.ownMass[doc], 1) }

// unit adds the best match of one piece of the request to each skill that has one.
func (a *addition) unit(u unit) {
	a.match(u.key, u.weight)
	for _, g := range u.groups {
		a.match(g, u.weight*otherWord)
	}
	for _, doc := range a.touched {
		sh := &a.sheets[doc]
		sh.whole += sh.unit
		a.clause.add(doc, &sh.clause, sh.unit)
		a.sent.add(doc, &sh.sentence, sh.unit)
		sh.unit = 0
	}
	a.touched = a.touched[:0]
}

func (a *addition) match(key string, factor float64) {
	t := a.s.terms[key]
	if t == nil {
		return
	}
	factor *= t.importance
	counts := !derived(key) && !a.seen[key]
	a.seen[key] = true
	for _, p := range t.list {
		sh := &a.sheets[p.doc]
		if sh.unit == 0 {
			a.touched = append(a.touched, p.doc)
		}
		sh.unit = max(sh.unit, factor*float64(p.sat))
		if counts && p.fields&inName != 0 {
			sh.name += t.importance
		}
		if counts && p.fields&inOwn != 0 {
			sh.own += t.importance
		}
	}
}

// near adds a field that the request is about; it belongs to every part.
func (a *addition) near(n nearness) {
	t := a.s.terms[n.key]
	if t == nil {
		return
	}
	for _, p := range t.list {
		sh, points := &a.sheets[p.doc], n.weight*t.importance*float64(p.sat)
		sh.whole += points
		sh.clause.most += points
		sh.sentence.most += points
	}
}

func (p *parting) turn(sheets []sheet, u unit) {
	if n := p.of(u); n != p.number {
		p.close(sheets)
		p.number = n
	}
}

func (p *parting) add(doc int32, b *best, points float64) {
	if b.now == 0 {
		p.touched = append(p.touched, doc)
	}
	b.now += points
}

// close ends a part.
func (p *parting) close(sheets []sheet) {
	raise := 1.0
	if p.mass != nil && p.all > 0 {
		raise = math.Pow(p.all/max(p.mass[p.number], p.all/10), shortSentence)
	}
	for _, doc := range p.touched {
		b := p.best(&sheets[doc])
		b.most = max(b.most, raise*b.now)
		b.now = 0
	}
	p.touched = p.touched[:0]
}

// refuse lowers the scores of skills that say they are not for what is asked, and gives the words.
func (s *Searcher) refuse(q query, total []float64) map[int32][]string {
	words := map[int32][]string{}
	for _, u := range q.units {
		if u.single || u.role < roleGiven {
			continue
		}
		for _, key := range append([]string{u.key}, u.groups...) {
			for _, doc := range s.against[key] {
				if !slices.Contains(words[doc], u.text) {
					words[doc] = append(words[doc], u.text)
				}
			}
		}
	}
	for doc := range words {
		total[doc] *= refused
	}
	return words
}

// breakdown explains the score of one skill.
func (s *Searcher) breakdown(q query, doc int32, sh *sheet) (Breakdown, []match) {
	b := Breakdown{
		Parts: []Part{}, Length: round(q.length()), Tier: s.tiers[doc], Sum: round(sh.whole),
		Clause: round(sh.clause.most), Sentence: round(sh.sentence.most), NameCover: round(s.nameShare(doc, sh)), OwnCover: round(s.ownShare(doc, sh)),
	}
	var matched []match
	for _, u := range q.units {
		part, ok := s.part(u, doc)
		if !ok {
			continue
		}
		matched = append(matched, match{u, part.Match == "word"})
		part.Points = round(part.Points)
		b.Parts = append(b.Parts, part)
	}
	for _, n := range q.near {
		if p, ok := s.posting(n.key, doc); ok {
			b.Parts = append(b.Parts, Part{Text: n.text, Match: "field", Fields: fieldNames(p.fields), Points: round(n.weight * s.importance(n.key) * float64(p.sat))})
		}
	}
	b.Explained = round(q.explained(matched))
	return b, matched
}

func (s *Searcher) part(u unit, doc int32) (Part, bool) {
	best := Part{Text: u.text}
	try := func(key, match string, factor float64) {
		p, ok := s.posting(key, doc)
		if !ok {
			return
		}
		if points := u.weight * factor * s.importance(key) * float64(p.sat); points > best.Points {
			best.Match, best.Points, best.Fields = match, points, fieldNames(p.fields)
		}
	}
	try(u.key, "word", 1)
	for _, g := range u.groups {
		try(g, "meaning", otherWord)
	}
	return best, best.Points > 0
}

func (s *Searcher) posting(key string, doc int32) (posting, bool) {
	t := s.terms[key]
	if t == nil {
		return posting{}, false
	}
	list := t.list
	i := sort.Search(len(list), func(i int) bool { return list[i].doc >= doc })
	if i < len(list) && list[i].doc == doc {
		return list[i], true
	}
	return posting{}, false
}

func fieldNames(bits uint8) []string {
	var out []string
	for i, f := range fields {
		if bits&(1<<i) != 0 {
			out = append(out, f.name)
		}
	}
	return out
}

// first gives the n best of the skills that ok admits, by score and then by name.
func (s *Searcher) first(n int, total []float64, ok func(doc int32) bool) []int32 {
	var out []int32
	order := func(a, b int32) int {
		return cmp.Or(cmp.Compare(round(total[b]), round(total[a])), strings.Compare(s.skills[a].Name, s.skills[b].Name), cmp.Compare(a, b))
	}
	for doc := range int32(len(total)) {
		if total[doc] <= 0 || len(out) == n && total[doc] < total[out[n-1]]-1/places || !ok(doc) {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, doc, order)
		out = slices.Insert(out, at, doc)
		if len(out) > n {
			out = out[:n]
		}
	}
	return out
}

func round(x float64) float64 { return math.Round(x*places) / places }
