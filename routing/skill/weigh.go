package skill

import (
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/skills"
)

// weighed is a candidate with what the decision looks at.
type weighed struct {
	candidate Candidate
	skill     skills.Skill
	share     float64 // of the request that it explains
	vague     bool    // only single characters or words that say nothing matched
	bar       string  // why it may not be chosen; "" when it may
}

// finding is what a search gives the decision.
type finding struct {
	query       query
	candidates  []Candidate // as shown
	top, second *weighed    // of those that may be chosen
	barred      *weighed    // the first, when it may not be chosen
	named       *weighed    // the skill that the request names
	lead        float64     // score of top over that of second
	confidence  float64     // in top
	siblings    bool
	multi       bool
}

// weigh scores all skills for a request.
func (s *Searcher) weigh(req Request) finding {
	q := s.newQuery(req.Task)
	total, sheets := s.scores(q)
	against := s.refuse(q, total)
	namedDoc, isNamed := s.named(q)
	if isNamed {
		total[namedDoc] += namedBonus
	}
	learned := s.learned(req.Lessons)
	for doc, e := range learned {
		total[doc] += e.boost + e.example
	}
	admitted := func(doc int32) bool { return !excluded(s.skills[doc], req.Exclude) }
	isNamed = isNamed && admitted(namedDoc)
	look := func(doc int32) *weighed {
		w := s.weighed(q, doc, &sheets[doc], total[doc], isNamed && doc == namedDoc)
		w.refuse(against[doc])
		w.learn(learned[doc])
		return w
	}
	f := finding{query: q, candidates: []Candidate{}, lead: noRival}
	for i, doc := range s.first(req.Top, total, admitted) {
		w := look(doc)
		if i == 0 && w.bar != "" {
			f.barred = w
		}
		f.candidates = append(f.candidates, w.show(req.Explain))
	}
	free := s.first(2, total, func(doc int32) bool {
		return admitted(doc) && s.bar(doc, isNamed && doc == namedDoc) == ""
	})
	if len(free) > 0 {
		f.top = look(free[0])
		if isNamed && free[0] == namedDoc {
			f.named = f.top
		}
	}
	second := 0.0
	if len(free) > 1 {
		f.second = look(free[1])
		f.lead = f.top.candidate.Score / max(f.second.candidate.Score, 1/places)
		f.siblings = siblings(f.top.skill, f.second.skill)
		second = f.second.candidate.Score
	}
	if f.top != nil {
		b := *f.top.candidate.Breakdown
		b.Explained = f.top.share
		f.confidence = confidence(f.top.candidate.Score, second, b)
	}
	return f
}

func excluded(sk skills.Skill, names []string) bool {
	return len(names) > 0 && slices.ContainsFunc(names, func(n string) bool {
		return strings.EqualFold(n, sk.Name) || strings.EqualFold(n, sk.FullName())
	})
}

// bar says why a skill may not be chosen by itself.
func (s *Searcher) bar(doc int32, named bool) string {
	sk := s.skills[doc]
	switch {
	case len(sk.Flagged) > 0:
		return "its text tries to instruct the reader"
	case !sk.Trusted:
		return "its folder is not trusted; see: baton skills trust"
	case s.shadowed[doc]:
		return "another skill has its bare name"
	case sk.ManualOnly && !named:
		return "its author wants it started by name"
	}
	return ""
}

func (s *Searcher) weighed(q query, doc int32, sh *sheet, score float64, named bool) *weighed {
	sk := s.skills[doc]
	b, matched := s.breakdown(q, doc, sh)
	b.Final, b.Named = round(score), named
	w := &weighed{skill: sk, share: b.Explained, bar: s.bar(doc, named), vague: !named}
	for _, u := range matched {
		w.vague = w.vague && (u.single || s.lex.generic(u.key))
	}
	w.candidate = Candidate{Name: sk.Name, Tier: sk.Tier, Score: b.Final, Path: sk.Path, Description: sk.Description, Why: why(b), Breakdown: &b}
	if s.shadowed[doc] {
		w.candidate.Name = sk.FullName()
	}
	if w.bar != "" {
		w.candidate.Why = append(w.candidate.Why, w.bar)
	}
	return w
}

// refuse says that the skill's own text speaks against it.
func (w *weighed) refuse(against []string) {
	if w.candidate.Breakdown.Refused = strings.Join(against, ", "); len(against) > 0 {
		w.candidate.Why = append(w.candidate.Why, "its own text says it is not for "+w.candidate.Breakdown.Refused)
	}
}

// learn puts what lessons did to the score into its breakdown and its reasons.
func (w *weighed) learn(e *lessonEffect) {
	if e == nil {
		return
	}
	w.candidate.Breakdown.Feedback, w.candidate.Breakdown.Examples = round(e.boost), round(e.example)
	w.candidate.Why = append(w.candidate.Why, e.why...)
	if e.example > 0 {
		w.candidate.Why = append(w.candidate.Why, fmt.Sprintf("served requests like this one (%+.2f)", e.example))
	}
	if e.boost > 0 {
		w.vague, w.share = false, max(w.share, e.alike)
	}
}

// show is the candidate as it is printed, with the parts of its score only when asked for.
func (w *weighed) show(explain bool) Candidate {
	c := w.candidate
	if !explain {
		c.Breakdown = nil
	}
	return c
}

// why puts a breakdown into sentences, one a field.
func why(b Breakdown) []string {
	out := []string{}
	if b.Named {
		out = append(out, "named in the task")
	}
	for _, f := range fields {
		var hits []string
		for _, p := range b.Parts {
			if p.Fields[0] == f.name && !slices.Contains(hits, p.Text) && !inside(p.Text, hits) {
				hits = append(hits, p.Text)
			}
		}
		if len(hits) > 0 {
			out = append(out, f.name+" matches "+strings.Join(hits, ", "))
		}
	}
	return out
}

func inside(text string, hits []string) bool {
	return slices.ContainsFunc(hits, func(h string) bool { return strings.Contains(h, text) })
}

// weak says whether the best candidate is noise.
func (f finding) weak() bool {
	if f.top == nil {
		return true
	}
	if f.named != nil {
		return false
	}
	return f.top.vague || f.confidence < weakConfidence
}

// margin is the lead that auto needs. One word says too little to be sure between two.
func (f finding) margin(req Request) float64 {
	if f.query.mass <= 1 {
		return max(req.Margin, siblingLead)
	}
	return req.Margin
}

// missing lists what keeps the decision from being auto.
func (f finding) missing(req Request) []string {
	var out []string
	if f.top == nil {
		return []string{"no candidate may be chosen"}
	}
	if req.Mode == ModeManual {
		out = append(out, "mode manual")
	}
	if f.weak() {
		out = append(out, "the best match is weak")
	}
	if f.top.candidate.Score < req.Threshold {
		out = append(out, fmt.Sprintf("the score of %s, %.2f, is under the threshold of %.2f", f.top.candidate.Name, f.top.candidate.Score, req.Threshold))
	}
	if f.confidence < autoConfidence && f.named == nil {
		out = append(out, fmt.Sprintf("%s explains %.0f %% of the task, which makes a confidence of %.2f; %.2f is needed", f.top.candidate.Name, 100*f.top.share, f.confidence, autoConfidence))
	}
	if margin := f.margin(req); f.lead < margin {
		out = append(out, fmt.Sprintf("the lead over %s, %.2f, is under the margin of %.2f", f.second.candidate.Name, f.lead, margin))
	}
	if f.siblings && f.lead < siblingLead && f.named == nil {
		out = append(out, fmt.Sprintf("%s and %s are of one family", f.top.candidate.Name, f.second.candidate.Name))
	}
	return out
}

// siblings are skills of one tier of which one name begins the other, or both begin alike up to
// the first hyphen.
func siblings(a, b skills.Skill) bool {
	if a.Tier != b.Tier {
		return false
	}
	x, _, hyphenX := strings.Cut(strings.ToLower(a.Name), "-")
	y, _, hyphenY := strings.Cut(strings.ToLower(b.Name), "-")
	return x == y && (hyphenX || hyphenY)
}

// Search gives the n best skills for a task, without deciding; n of 0 is 5.
func (s *Searcher) Search(task string, n int) []Candidate {
	return s.weigh(Request{Task: task, Top: n}.defaults()).candidates
}
