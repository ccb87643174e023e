package skill

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/batonflow/baton/skills"
)

// The scale of a score: 1.2 and more is a match that can stand alone, under 0.5 is noise.
const (
	scale      = 8.0
	massOffset = 1.0
	refused    = 0.35 // factor for a skill that says it is not for this
	namedBonus = 3.0  // for the skill that the request names
	places     = 1e4
)

// Part is what one piece of the request adds to a score.
type Part struct {
	Text   string   `json:"text"`   // of the request
	Match  string   `json:"match"`  // word, or meaning when the skill uses another word for it
	Fields []string `json:"fields"` // of the skill
	Points float64  `json:"points"` // before the division by the length of the request
}

// Breakdown is how a score came about: (sum of points × scale ÷ length) × factors + bonus + feedback + examples.
type Breakdown struct {
	Parts     []Part  `json:"parts"`
	Sum       float64 `json:"sum"`
	Length    float64 `json:"length"`
	Tier      float64 `json:"tier_weight"`
	Refused   string  `json:"refused,omitempty"` // words that the skill says it is not for
	Named     bool    `json:"named,omitempty"`
	Feedback  float64 `json:"feedback_boost,omitempty"` // of nearly the same requests, -4 to 3
	Examples  float64 `json:"examples,omitempty"`       // of requests that it served
	Explained float64 `json:"explained"`                // share of the request that the skill answers, 0 to 1
	Final     float64 `json:"final"`
}

// scores gives every skill's score without refusals and bonus, 0 for no match.
func (s *Searcher) scores(q query) []float64 {
	total := make([]float64, len(s.skills))
	best := make([]float64, len(s.skills))
	var touched []int32
	keep := func(key string, factor float64) {
		list := s.terms[key]
		if len(list) == 0 {
			return
		}
		factor *= s.importance(key)
		for _, p := range list {
			if best[p.doc] == 0 {
				touched = append(touched, p.doc)
			}
			best[p.doc] = max(best[p.doc], factor*float64(p.sat))
		}
	}
	for _, u := range q.units {
		keep(u.key, u.weight)
		for _, g := range u.groups {
			keep(g, u.weight*otherWord)
		}
		for _, doc := range touched {
			total[doc] += best[doc]
			best[doc] = 0
		}
		touched = touched[:0]
	}
	length := math.Sqrt(q.mass) + massOffset
	for doc := range total {
		total[doc] *= scale / length * skills.TierWeight(s.skills[doc].Tier)
	}
	return total
}

// refuse lowers the scores of skills that say they are not for what is asked, and gives the words.
func (s *Searcher) refuse(q query, total []float64) map[int32][]string {
	words := map[int32][]string{}
	for _, u := range q.units {
		if u.single || u.weight < pairWeight*roleGiven {
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
func (s *Searcher) breakdown(q query, doc int32) (Breakdown, []match) {
	b := Breakdown{Parts: []Part{}, Length: round(math.Sqrt(q.mass) + massOffset), Tier: skills.TierWeight(s.skills[doc].Tier)}
	var matched []match
	for _, u := range q.units {
		part, ok := s.part(u, doc)
		if !ok {
			continue
		}
		matched = append(matched, match{u, part.Match == "word"})
		b.Sum += part.Points
		part.Points = round(part.Points)
		b.Parts = append(b.Parts, part)
	}
	b.Sum = round(b.Sum)
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
	list := s.terms[key]
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
