package quality

import (
	"fmt"
	"slices"

	"github.com/batonflow/baton/routing/skill"
)

// Figures say how well a half of a set is served, in shares from 0 to 1.
type Figures struct {
	Asks     int     `json:"asks"`
	Hit      float64 `json:"hit1"`      // first place is right
	Recall   float64 `json:"recall5"`   // of the right ones among the first five
	Complete float64 `json:"complete5"` // all right ones are among the first five
	Right    float64 `json:"right"`     // decisions: auto for a right one, or a question that shows one
	Wrong    float64 `json:"wrong"`     // decisions: auto for another
}

// shown is how many places count.
const shown = 5

// Measure routes the requests of a set that something serves.
func Measure(s Set, memory *skill.Memory) (Figures, error) {
	r, err := routerOver(s)
	if err != nil {
		return Figures{}, err
	}
	var f Figures
	for _, a := range s.Asks {
		if len(a.Gold) == 0 {
			continue
		}
		req := skill.Request{Task: a.Query, Top: shown}
		if memory != nil {
			req.Lessons = memory.Recall(a.Query)
		}
		d := r.Decide(req)
		ids := []string{}
		for _, c := range d.Candidates {
			ids = append(ids, c.Path)
		}
		f.add(a.Gold, ids)
		f.decided(a.Gold, ids, d)
	}
	return f.shares(), nil
}

// add counts one list of ids, the best first.
func (f *Figures) add(gold, ids []string) {
	f.Asks++
	found := 0
	for i, id := range ids[:min(len(ids), shown)] {
		if slices.Contains(gold, id) {
			found++
			if i == 0 {
				f.Hit++
			}
		}
	}
	f.Recall += float64(found) / float64(len(gold))
	if found == len(gold) {
		f.Complete++
	}
}

func (f *Figures) decided(gold, ids []string, d skill.Decision) {
	right := func(id string) bool { return slices.Contains(gold, id) }
	switch d.Decision {
	case skill.Auto:
		if right(d.Chosen.Path) {
			f.Right++
		} else {
			f.Wrong++
		}
	case skill.Confirm, skill.Decompose:
		if slices.ContainsFunc(ids, right) {
			f.Right++
		}
	}
}

func (f Figures) shares() Figures {
	n := float64(max(f.Asks, 1))
	return Figures{Asks: f.Asks, Hit: f.Hit / n, Recall: f.Recall / n, Complete: f.Complete / n, Right: f.Right / n, Wrong: f.Wrong / n}
}

// Lessons teaches a memory the requests of a set with what served them.
func Lessons(s Set) (*skill.Memory, error) {
	m, err := skill.NewMemory()
	if err != nil {
		return nil, fmt.Errorf("lessons of %s: %w", s.Name, err)
	}
	names := s.names()
	for _, a := range s.Asks {
		for _, id := range a.Gold {
			m.Learn(skill.Lesson{Task: a.Query, Chosen: names[id]})
		}
	}
	return m, nil
}

// routerOver is the router of this binary over the tools of a set, with the set's lexicon where it has one.
func routerOver(s Set) (*skill.Router, error) {
	rules := skill.DefaultRules()
	if s.Lexicon != "" {
		rules.Lexicon = []string{s.Lexicon}
	}
	book, err := rules.Open()
	if err != nil {
		return nil, fmt.Errorf("rules for %s: %w", s.Name, err)
	}
	return book.Over(s.index()), nil
}
