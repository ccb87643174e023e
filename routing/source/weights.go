package source

// shares are weights in percent.
type shares map[Source]int

// combinations are the sources that suit a type of task, the best first.
var combinations = map[string][]Source{
	breakingNews:      {Web, Counter},
	deepResearch:      {Vector, Web, Graph, Counter},
	entityAnalysis:    {Graph, Web, Vector},
	internalKnowledge: {Vector, LocalFile},
	techEvaluation:    {Web, Vector, Counter},
}

// At high freshness every type of task shares alike: the web has at least 70 of 100.
const (
	webWhenHigh     = 70
	counterWhenHigh = 20
	otherWhenHigh   = 10

	counterOtherwise = 15 // where the table gives counter none
	hintedGraph      = 10
)

// weightsMedium and weightsLow are the shares by type of task at the other two grades of freshness.
var (
	weightsMedium = map[string]shares{
		breakingNews:      {Web: 50, Vector: 15, LocalFile: 10, Counter: 25},
		deepResearch:      {Web: 30, Vector: 25, LocalFile: 10, Graph: 20, Counter: 15},
		entityAnalysis:    {Web: 30, Vector: 20, Graph: 35, Counter: 15},
		internalKnowledge: {Web: 10, Vector: 50, LocalFile: 40},
		techEvaluation:    {Web: 40, Vector: 25, LocalFile: 10, Counter: 25},
	}
	weightsLow = map[string]shares{
		breakingNews:      {Web: 30, Vector: 30, LocalFile: 20, Counter: 20},
		deepResearch:      {Web: 20, Vector: 35, LocalFile: 10, Graph: 20, Counter: 15},
		entityAnalysis:    {Web: 20, Vector: 25, Graph: 40, Counter: 15},
		internalKnowledge: {Web: 10, Vector: 50, LocalFile: 40},
		techEvaluation:    {Web: 30, Vector: 35, LocalFile: 10, Counter: 25},
	}
)
