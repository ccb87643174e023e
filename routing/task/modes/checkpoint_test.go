package modes

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scored(score float64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"aggregate_confidence":%g}`, score))
}

func TestScore(t *testing.T) {
	t.Parallel()
	m := Measure{Metric: DefaultMetric, Target: DefaultTarget}
	half, whole := 0.5, 1.0
	for output, want := range map[string]*float64{
		`{"aggregate_confidence":0.5}`:                              &half,
		`{"aggregate_confidence":0.5,"verdict":"weakly_supported"}`: &half,
		`{"verdict":"strongly_supported"}`:                          &whole,
		`{"verdict":"who knows"}`:                                   nil,
		`{"aggregate_confidence":"high"}`:                           nil,
		`[]`:                                                        nil,
		``:                                                          nil,
	} {
		if diff := cmp.Diff(want, m.Score(json.RawMessage(output))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", output, diff)
		}
	}
}

// TestCheckpoints: what is kept is the best so far, and each of the exits is reached.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	m := Measure{Metric: DefaultMetric, Target: DefaultTarget}
	climb := make([]float64, 12)
	for i := range climb {
		climb[i] = float64(i) / 100
	}
	for name, c := range map[string]struct {
		scores []float64
		stopAt int
		exit   string
		cycles int
		bestAt int
	}{
		"target at once, and a second cycle all the same": {scores: []float64{0.9, 0.1}, exit: ExitTarget, cycles: 2, bestAt: 1},
		"three cycles that bring nothing":                 {scores: []float64{0.5, 0.4, 0.5, 0.3}, exit: ExitNoProgress, cycles: 4, bestAt: 1},
		"always a little better":                          {scores: climb, exit: ExitMaxIterations, cycles: 10, bestAt: 10},
		"a person stops it":                               {scores: climb, stopAt: 3, exit: ExitUser, cycles: 3, bestAt: 3},
	} {
		var at Checkpoint
		for i, score := range c.scores {
			if at.Exit != "" {
				break
			}
			next, err := at.Next(m, scored(score), i+1 == c.stopAt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			at = next
		}
		if at.Exit != c.exit || at.Cycles != c.cycles || at.Best.At != c.bestAt {
			t.Errorf("%s: %s after %d, best at %d; want %s after %d, best at %d", name, at.Exit, at.Cycles, at.Best.At, c.exit, c.cycles, c.bestAt)
		}
	}
	if _, err := (Checkpoint{Exploration: Exploration{Exit: ExitUser}}).Next(m, scored(1), false); code(err) != codeOver {
		t.Errorf("after the end: %v", err)
	}
}

func TestABaselineHasToBeBeaten(t *testing.T) {
	t.Parallel()
	base := 0.6
	m := Measure{Metric: DefaultMetric, Target: DefaultTarget, Baseline: &base}
	c, err := Checkpoint{}.Next(m, scored(0.5), false)
	if err != nil || c.Verdict != NoProgress || c.Kept || c.Best.At != 0 || *c.Best.Score != base {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestNotebooks plays whole researches: rounds with a review after every five.
func TestNotebooks(t *testing.T) {
	t.Parallel()
	m := Measure{Metric: DefaultMetric, Target: DefaultTarget}
	play := func(scores []float64) (n Notebook, decisions []string) {
		t.Helper()
		for _, score := range scores {
			var err error
			if n.ReviewDue() {
				if n, err = n.Review(m, false); err != nil {
					t.Fatal(err)
				}
				if decisions = append(decisions, n.Decision); n.Exit != "" {
					break
				}
			}
			if n, err = n.Round(m, scored(score), false); err != nil {
				t.Fatal(err)
			}
			if n.Exit != "" {
				break
			}
		}
		return n, decisions
	}
	n, decisions := play([]float64{0.1, 0.9, 0.85})
	if n.Exit != ExitConverged || n.Inner != 3 || len(decisions) != 0 {
		t.Errorf("converged: %+v %v", n, decisions)
	}
	n, decisions = play([]float64{0.1, 0.2, 0.3, 0.9, 0.3, 0.3})
	if diff := cmp.Diff([]string{Finalize}, decisions); diff != "" || n.Exit != ExitFinalize {
		t.Errorf("finalize: %+v (-want +got):\n%s", n, diff)
	}
	n, decisions = play(slices.Repeat([]float64{0.2}, 40))
	if diff := cmp.Diff([]string{Continue, Pivot, Pivot, Pivot, Pivot}, decisions); diff != "" || n.Exit != ExitMaxOuter || n.Inner != 25 {
		t.Errorf("max outer: %+v (-want +got):\n%s", n, diff)
	}
	if len(n.Recent) != mostRemembered || n.Recent[2].N != 25 {
		t.Errorf("remembered: %+v", n.Recent)
	}
	if n, err := (Notebook{}).Round(m, nil, true); err != nil || n.Exit != ExitUser {
		t.Errorf("a person stops a round: %+v, %v", n, err)
	}
	if n, err := (Notebook{}).Review(m, true); err != nil || n.Exit != ExitUser {
		t.Errorf("a person stops a review: %+v, %v", n, err)
	}
	if n, err := (Notebook{}).Round(m, json.RawMessage(`{"plan_changed":true,"aggregate_confidence":1}`), false); code(err) != codeInnerPlanned || n.Inner != 0 {
		t.Errorf("a worker that changed the plan: %+v, %v", n, err)
	}
	if n, err := (Notebook{}).Round(m, json.RawMessage(`{"converged":true}`), false); err != nil || n.Result != Converged || n.Converging != 1 {
		t.Errorf("a worker that says so: %+v, %v", n, err)
	}
}
