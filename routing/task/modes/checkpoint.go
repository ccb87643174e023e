package modes

import (
	"encoding/json"
	"slices"

	"github.com/batonflow/baton/routing/task"
)

// Checkpoint is what is kept of an exploratory loop after each cycle; the next cycle starts from it.
type Checkpoint struct {
	Exploration
	Measure
	Verdict Verdict  `json:"verdict"`
	Score   *float64 `json:"score"` // of this cycle
	Kept    bool     `json:"kept"`  // it is better than all before
	Best    Best     `json:"best"`
}

// Next takes the output of a cycle. Stop is a person's wish to end after it.
func (c Checkpoint) Next(m Measure, output json.RawMessage, stop bool) (Checkpoint, error) {
	if c.Cycles == 0 {
		c.Best = Best{Score: m.Baseline}
	}
	next := Checkpoint{Measure: m, Score: m.Score(output)}
	verdict, best := m.compare(c.Best, next.Score, c.Cycles+1)
	next.Kept, next.Best = verdict != NoProgress, best
	if stop {
		verdict = UserStop
	}
	next.Verdict = verdict
	var err error
	next.Exploration, err = c.Exploration.Cycle(verdict)
	return next, err
}

// mostRemembered is how many rounds are kept beside their summary.
const mostRemembered = 3

// Notebook is what is kept of the two loops of research after each round and review.
type Notebook struct {
	Research
	Measure
	Result   string   `json:"result,omitempty"`   // of this round
	Decision string   `json:"decision,omitempty"` // of this review
	Score    *float64 `json:"score,omitempty"`
	Best     Best     `json:"best"`
	Gained   int      `json:"gained"` // rounds since the plan began that brought progress
	Recent   []Round  `json:"recent"` // the last few rounds
}

// Round is what is remembered of a round.
type Round struct {
	N      int      `json:"n"`
	Result string   `json:"result"`
	Score  *float64 `json:"score"`
}

// Round takes the output of an inner round. A round converges when it meets the target, or when its
// output says so itself. An output that says it changed the plan is refused: that is not for the inner loop.
func (n Notebook) Round(m Measure, output json.RawMessage, stop bool) (Notebook, error) {
	if stop {
		return n.end(m)
	}
	if n.Inner == 0 {
		n.Best = Best{Score: m.Baseline}
	}
	next := Notebook{Measure: m, Score: m.Score(output), Gained: n.Gained}
	verdict, best := m.compare(n.Best, next.Score, n.Inner+1)
	next.Best, next.Result = best, string(verdict)
	if verdict != NoProgress {
		next.Gained++
	}
	var said struct {
		Converged   bool `json:"converged"`
		PlanChanged bool `json:"plan_changed"`
	}
	if json.Unmarshal(output, &said) == nil && said.PlanChanged {
		_, err := n.Apply(Event{Loop: Inner, Kind: PlanChanged})
		return n, err
	}
	if next.Score != nil && *next.Score >= m.Target || said.Converged {
		next.Result = Converged
	}
	var err error
	if next.Research, err = n.Apply(Event{Loop: Inner, Kind: RoundEnded, Result: next.Result}); err != nil {
		return n, err
	}
	next.Recent = append(slices.Clone(n.Recent), Round{next.Inner, next.Result, next.Score})
	next.Recent = next.Recent[max(0, len(next.Recent)-mostRemembered):]
	return next, nil
}

// Review decides how the outer loop goes on: it finalizes what meets the target, turns a plan round
// that was tried for long enough and brought nothing, and continues with any other.
func (n Notebook) Review(m Measure, stop bool) (Notebook, error) {
	if stop {
		return n.end(m)
	}
	next := n
	next.Measure, next.Result, next.Score = m, "", nil
	switch {
	case n.Best.Score != nil && *n.Best.Score >= m.Target:
		next.Decision = Finalize
	case n.Gained == 0 && n.OnPlan >= task.RoundsPerReview:
		next.Decision = Pivot
	default:
		next.Decision = Continue
	}
	var err error
	if next.Research, err = n.Apply(Event{Loop: Outer, Kind: Reviewed, Result: next.Decision}); err != nil {
		return n, err
	}
	next.Gained = 0
	return next, nil
}

func (n Notebook) end(m Measure) (Notebook, error) {
	next := n
	next.Measure, next.Result, next.Decision = m, "", ""
	var err error
	next.Research, err = n.Apply(Event{Kind: Interrupted})
	return next, err
}
