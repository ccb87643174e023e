package skill

import "math"

// Confidence is how likely the best candidate serves the request, when every other request has no
// skill that does. It looks at what a score by itself does not say: how much of the request is
// explained, how far the next one is behind, and how much of the skill's own text the request has.
// Fitted by logistic regression on the tuning halves of the sets that docs/routing-quality.md lists,
// against requests from other sets and requests whose right skill was taken away.
const (
	fitScore     = 1.93 // of the logarithm
	fitExplained = 5.79
	fitLead      = 0.97
	fitOwn       = 1.93
	fitBias      = -5.26
)

// Bounds of confidence. Of what was right on the tuning halves, one in fifty is under the lower one;
// of the requests from elsewhere, four in five are.
const (
	weakConfidence = 0.06
	autoConfidence = 0.40
)

func confidence(score, second float64, b Breakdown) float64 {
	if score <= 0 {
		return 0
	}
	lead := max(0, score-second) / score
	x := fitScore*math.Log(0.1+score) + fitExplained*b.Explained + fitLead*lead + fitOwn*min(b.OwnCover, 1) + fitBias
	return round(1 / (1 + math.Exp(-x)))
}
