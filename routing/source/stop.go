package source

// StopRule says when a search is over.
type StopRule struct {
	Condition string `json:"condition"`
	MaxRounds int    `json:"max_rounds"`
}

// tightRounds is how many rounds a tight budget lasts.
const tightRounds = 2

// condition is what a kind of task must have found, and how many rounds it may take.
type condition struct {
	id       string
	rounds   int
	sentence string
	met      func(Evidence) bool
}

var (
	newsHigh = condition{"news_high", 3, "stop after 3 independent authoritative sources confirm the same fact",
		func(e Evidence) bool { return e.Confirmations >= 3 }}
	deep = condition{"deep", 5, "stop when every selected source has been searched at least min(2, its budget) times, or 10 high-quality results are held",
		func(e Evidence) bool { return e.HighQuality >= 10 }}
	entity = condition{"entity", 4, "stop graph searching when the main entity's relation network has at least 5 nodes",
		func(Evidence) bool { return false }} // stops one source, not the search
	internal = condition{"internal", 3, "stop when at least 5 relevant local documents have been hit",
		func(e Evidence) bool { return e.LocalDocuments >= 5 }}
	tech = condition{"tech", 4, "stop when at least 2 independent benchmark or review reports are held and both sides of the target variable are covered",
		func(e Evidence) bool { return e.Reports >= 2 && e.BothSides }}
	otherwise = condition{"default", 3, "stop when the round limit is reached, or at least 3 high-confidence results are held",
		func(e Evidence) bool { return e.HighConfidence >= 3 }}
	atOnce = condition{"zero_budget", 0, "stop at once: the search budget is zero",
		func(Evidence) bool { return true }}

	conditions = []condition{newsHigh, deep, entity, internal, tech, otherwise, atOnce}
)

// nodesOfNetwork is how large a network of relations is large enough.
const nodesOfNetwork = 5

func (in input) condition() condition {
	switch {
	case in.Task == breakingNews && in.Freshness == high:
		return newsHigh
	case in.Task == deepResearch:
		return deep
	case in.Task == entityAnalysis:
		return entity
	case in.Task == internalKnowledge:
		return internal
	case in.Task == techEvaluation:
		return tech
	}
	return otherwise
}

// conditionOf finds the condition of a plan.
func conditionOf(id string) condition {
	for _, c := range conditions {
		if c.id == id {
			return c
		}
	}
	return otherwise
}

// Evidence is what a search holds, all attempts together, as whoever reads the answers judges it.
type Evidence struct {
	Confirmations  int  `json:"confirmations"`   // independent authoritative sources that agree on a fact
	HighQuality    int  `json:"high_quality"`    // results
	HighConfidence int  `json:"high_confidence"` // results
	Nodes          int  `json:"nodes"`           // of the main entity's network
	LocalDocuments int  `json:"local_documents"` // relevant ones
	Reports        int  `json:"reports"`         // independent benchmarks and reviews
	BothSides      bool `json:"both_sides"`      // of what is evaluated
	For            bool `json:"for"`             // one side of it
	Against        bool `json:"against"`         // the other
	Graded         int  `json:"graded"`          // results that were graded at all
	Good           int  `json:"good"`            // of them grade S or A
	Poor           int  `json:"poor"`            // of them grade C
}

// mayStop says whether so much is good that the search may end early.
func (e Evidence) mayStop() bool { return e.Graded > 0 && 100*e.Good >= 50*e.Graded }

// poor says whether so much is poor that the search must change.
func (e Evidence) poor() bool { return e.Graded > 0 && 100*e.Poor >= 70*e.Graded }

// Plus is what is held with more added.
func (e Evidence) Plus(more Evidence) Evidence {
	e.Confirmations += more.Confirmations
	e.HighQuality += more.HighQuality
	e.HighConfidence += more.HighConfidence
	e.Nodes += more.Nodes
	e.LocalDocuments += more.LocalDocuments
	e.Reports += more.Reports
	e.Graded += more.Graded
	e.Good += more.Good
	e.Poor += more.Poor
	e.For, e.Against = e.For || more.For, e.Against || more.Against
	e.BothSides = e.BothSides || more.BothSides || e.For && e.Against
	return e
}

// mostCounted bounds what one answer may claim of anything.
const mostCounted = 1 << 20

// sane takes back what no answer can claim.
func (e Evidence) sane() Evidence {
	for _, n := range []*int{
		&e.Confirmations, &e.HighQuality, &e.HighConfidence, &e.Nodes, &e.LocalDocuments, &e.Reports, &e.Graded, &e.Good, &e.Poor,
	} {
		*n = min(max(*n, 0), mostCounted)
	}
	return e
}
