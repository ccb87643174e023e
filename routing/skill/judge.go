package skill

import (
	"fmt"
	"slices"
)

// Question is what a judge outside is asked about a decision that a person would have to confirm.
type Question struct {
	Task       string      `json:"task"`
	Reason     string      `json:"reason"` // why the router does not choose by itself
	Candidates []Contender `json:"candidates"`
}

// Contender is a candidate as a judge sees it. Its text is a stranger's.
type Contender struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Score       float64  `json:"score"`
	Flags       []string `json:"flags"` // why it cannot be chosen without a person
}

// Verdict is what a judge said. The zero value: none was asked.
type Verdict struct {
	By     string // who it is
	Chosen string // name of a candidate; "": none
}

// Ask puts a decision into a question. False: it is not one that a judge is asked about.
func (r *Router) Ask(req Request, d Decision) (Question, bool) {
	if d.Decision != Confirm {
		return Question{}, false
	}
	q := Question{Task: req.Task, Reason: d.Reason, Candidates: []Contender{}}
	for _, c := range r.contenders(req, d) {
		flags := []string{}
		if doc, ok := r.searcher.shown(c.Name); ok {
			flags = append(flags, r.searcher.skills[doc].Flagged...)
			if bar := r.searcher.bar(doc, false); bar != "" {
				flags = append(flags, bar)
			}
		}
		q.Candidates = append(q.Candidates, Contender{c.Name, c.Description, c.Score, flags})
	}
	return q, true
}

// contenders are the candidates that a judge may choose from: however few are listed, the first five.
func (r *Router) contenders(req Request, d Decision) []Candidate {
	if req.Top >= DefaultTop {
		return d.Candidates
	}
	req.Top, req.Verdict = DefaultTop, Verdict{}
	return r.Decide(req).Candidates
}

// heed lets a judge's word stand where a person's would be asked for and nothing speaks against it:
// neither its choice's own standing, nor what is at stake, nor a person who wants to pick by hand.
func (r *Router) heed(req Request, d *Decision) {
	v := req.Verdict
	if d.Decision != Confirm || v.By == "" {
		return
	}
	if d.Judged = true; v.Chosen == "" {
		return
	}
	list := r.contenders(req, *d)
	i := slices.IndexFunc(list, func(c Candidate) bool { return c.Name == v.Chosen })
	against := ""
	switch doc, known := r.searcher.shown(v.Chosen); {
	case i < 0 || !known:
		against = "it is no candidate"
	case r.searcher.bar(doc, false) != "":
		against = r.searcher.bar(doc, false)
	case d.HighRisk != "":
		against = fmt.Sprintf("%q is a high-risk action", d.HighRisk)
	case req.Mode == ModeManual:
		against = "mode manual leaves it to a person"
	}
	if against != "" {
		d.Missing = append(slices.Clone(d.Missing), fmt.Sprintf("the judge's choice, %s, cannot stand by itself: %s", v.Chosen, against))
		return
	}
	d.Decision, d.Chosen, d.Missing = Auto, &list[i], nil
	d.Reason = fmt.Sprintf("%s was chosen by the judge %s; the router alone would ask: %s", v.Chosen, v.By, d.Reason)
}

// shown finds the skill that candidates show under this name.
func (s *Searcher) shown(name string) (int32, bool) {
	for doc, sk := range s.skills {
		if s.shadowed[int32(doc)] && sk.FullName() == name || !s.shadowed[int32(doc)] && sk.Name == name {
			return int32(doc), true
		}
	}
	return 0, false
}
