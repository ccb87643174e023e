package skill

import (
	"math"
	"slices"
	"strings"
)

// Lesson is what one past choice teaches: the request, the skill that served it, and those that were
// turned down for it. Skills are named by their bare or their full name.
//
// The reasons of a decision name no lesson's task: a decision is kept for ever, and a person may want
// the text of feedback gone.
type Lesson struct {
	ID       string   `json:"id,omitempty"` // the caller's, kept as it is
	Task     string   `json:"task"`
	Chosen   string   `json:"chosen,omitempty"`
	Excluded []string `json:"excluded,omitempty"`
	Weight   float64  `json:"weight,omitempty"` // how much it counts, up to 1; 0 is 1
}

// Recalled is a lesson that bears on a request, with how much the two have in common.
type Recalled struct {
	Lesson
	Alike float64 `json:"alike"` // as [Alike] has it; above 0.8 the lesson moves scores directly
	Near  float64 `json:"near"`  // share of the rarer words in common, 0 to 1: the lesson is an example
}

// Lessons have two effects. A skill that was chosen for a request that is nearly the same gains, one
// that was turned down loses; and each request that a skill served is an example of what it is for.
const (
	alikeEnough    = 0.8
	chosenBoost    = 1.5
	excludedBoost  = -2.0
	mostBoost      = 3.0
	leastBoost     = -4.0
	mostExample    = 6.0  // of one that is the same
	furtherExample = 0.8  // each further example of a skill counts that much less
	examplesHeard  = 8    // of one skill
	nearEnough     = 0.05 // what any two requests have in common
)

// lessonEffect is what the lessons recalled for a request do to one skill's score.
type lessonEffect struct {
	boost   float64 // from nearly the same requests
	served  int     // examples heard
	example float64 // from requests that it served
	alike   float64 // the most
	why     []string
}

// learned gathers the effects of lessons by skill.
func (s *Searcher) learned(lessons []Recalled) map[int32]*lessonEffect {
	out := map[int32]*lessonEffect{}
	at := func(name string, f func(e *lessonEffect)) {
		for _, doc := range s.byName[strings.ToLower(name)] {
			if out[doc] == nil {
				out[doc] = &lessonEffect{}
			}
			f(out[doc])
		}
	}
	for _, l := range lessons {
		weight := l.Weight
		if !(weight > 0 && weight < 1) { // NaN too
			weight = 1
		}
		close := l.Alike > alikeEnough
		at(l.Chosen, func(e *lessonEffect) {
			if close {
				e.boost += chosenBoost * weight
				e.alike = max(e.alike, l.Alike)
				e.why = append(e.why, "chosen before for a request like this")
			}
			if e.served < examplesHeard {
				e.example += mostExample * weight * max(0, l.Near-nearEnough) * math.Pow(furtherExample, float64(e.served))
				e.served++
			}
		})
		for _, name := range l.Excluded {
			at(name, func(e *lessonEffect) {
				if close {
					e.boost += excludedBoost * weight
					e.why = append(e.why, "turned down before for a request like this")
				}
			})
		}
	}
	for _, e := range out {
		e.boost = min(max(e.boost, leastBoost), mostBoost)
		slices.Sort(e.why)
		e.why = slices.Compact(e.why)
	}
	return out
}
