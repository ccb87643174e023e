package quality

import (
	"slices"
	"sort"

	"github.com/batonflow/baton/routing/skill"
)

// NoFit says how well requests that nothing serves are told from those that something does.
type NoFit struct {
	Fitting   int     `json:"fitting"`
	Unfit     int     `json:"unfit"`
	AUROC     float64 `json:"auroc"`     // of the confidence in the first candidate
	Precision float64 `json:"precision"` // of the no_match decisions, those for unfit requests
	Recall    float64 `json:"recall"`    // of the unfit requests, those answered with no_match
	Auto      float64 `json:"auto"`      // of the unfit requests, those for which something was chosen
}

// Foreign puts requests of another set before the tools of s.
func Foreign(s Set, others []Ask) (NoFit, error) {
	return s.noFit(others, func(Ask) []string { return nil })
}

// Removed asks each request of s again without the tools that serve it.
func Removed(s Set) (NoFit, error) {
	names := s.names()
	return s.noFit(s.Asks, func(a Ask) []string {
		var out []string
		for _, id := range a.Gold {
			out = append(out, names[id])
		}
		return out
	})
}

func (s Set) noFit(unfit []Ask, without func(Ask) []string) (NoFit, error) {
	r, err := routerOver(s)
	if err != nil {
		return NoFit{}, err
	}
	var fits, misfits []float64
	said, rightly, chosen := 0, 0, 0
	for _, a := range s.Asks {
		if len(a.Gold) == 0 {
			continue
		}
		d := r.Decide(skill.Request{Task: a.Query})
		fits = append(fits, d.Confidence)
		if d.Decision == skill.NoMatch {
			said++
		}
	}
	for _, a := range unfit {
		if len(a.Gold) == 0 {
			continue // some sets call requests irrelevant that the pool does serve
		}
		d := r.Decide(skill.Request{Task: a.Query, Exclude: without(a)})
		misfits = append(misfits, d.Confidence)
		switch d.Decision {
		case skill.NoMatch:
			said++
			rightly++
		case skill.Auto:
			chosen++
		}
	}
	n := float64(max(len(misfits), 1))
	return NoFit{
		Fitting: len(fits), Unfit: len(misfits), AUROC: auroc(fits, misfits),
		Precision: float64(rightly) / float64(max(said, 1)), Recall: float64(rightly) / n, Auto: float64(chosen) / n,
	}, nil
}

// auroc is the chance that one of high is above one of low; ties count half.
func auroc(high, low []float64) float64 {
	if len(high)*len(low) == 0 {
		return 0
	}
	slices.Sort(low)
	sum := 0.0
	for _, x := range high {
		below := sort.SearchFloat64s(low, x)
		same := sort.Search(len(low)-below, func(i int) bool { return low[below+i] > x })
		sum += float64(below) + float64(same)/2
	}
	return sum / float64(len(high)) / float64(len(low))
}
