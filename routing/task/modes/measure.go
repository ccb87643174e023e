package modes

import "encoding/json"

// What a loop is measured by where nothing else is said.
const (
	DefaultMetric = "aggregate_confidence" // of the verification
	DefaultTarget = 0.8
)

// Measure is how the output of a cycle or round is turned into a number, and what that is held against.
type Measure struct {
	Metric   string   `json:"metric"`
	Target   float64  `json:"target"`
	Baseline *float64 `json:"baseline,omitempty"` // what there was before the first cycle; nil: nothing
}

// grades stand for a number where a verification gives a verdict and no number.
var grades = map[string]float64{
	"insufficient_evidence": 0, "weakly_supported": 1.0 / 3, "moderately_supported": 2.0 / 3, "strongly_supported": 1,
}

// Score finds the metric in an output; nil: it says neither a number nor a verdict.
func (m Measure) Score(output json.RawMessage) *float64 {
	var fields map[string]json.RawMessage
	if json.Unmarshal(output, &fields) != nil {
		return nil
	}
	var score *float64
	if json.Unmarshal(fields[m.Metric], &score) == nil && score != nil {
		return score
	}
	var verdict string
	if json.Unmarshal(fields["verdict"], &verdict) == nil {
		if grade, ok := grades[verdict]; ok {
			return &grade
		}
	}
	return nil
}

// Best is the best score so far and what gave it.
type Best struct {
	Score *float64 `json:"score"`
	At    int      `json:"at"` // cycle or round, from 1; 0: the baseline
}

// compare says what a score is against the best so far, and what is kept.
func (m Measure) compare(best Best, score *float64, at int) (Verdict, Best) {
	if score == nil || best.Score != nil && *score <= *best.Score {
		return NoProgress, best
	}
	if *score >= m.Target {
		return TargetMet, Best{score, at}
	}
	return Progress, Best{score, at}
}
