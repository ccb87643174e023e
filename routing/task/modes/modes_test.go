package modes

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/routing/task"
)

func TestChainStops(t *testing.T) {
	t.Parallel()
	const acq, ext, asc = "knowledge-acquisition", "knowledge-extraction", "association-discovery"
	for name, c := range map[string]struct {
		outcomes []Outcome
		status   string
		code     string
		atoms    map[string]string
		short    *ShortCircuit
	}{
		"nothing was found": {
			[]Outcome{Empty}, ShortCircuited, "",
			map[string]string{acq: Completed, ext: Skipped, asc: Skipped}, &ShortCircuit{acq, "empty_result", 1, 2},
		},
		"nobody approved": {
			[]Outcome{Done, Denied}, ShortCircuited, "",
			map[string]string{acq: Completed, ext: Skipped, asc: Skipped}, &ShortCircuit{ext, "approval_denied", 1, 2},
		},
		"the error passed": {[]Outcome{Transient, Done, Done, Done}, Completed, "", map[string]string{acq: Completed, ext: Completed, asc: Completed}, nil},
		"each atom has its own attempts": {
			[]Outcome{Transient, Done, Transient, Done, Done}, Completed, "",
			map[string]string{acq: Completed, ext: Completed, asc: Completed}, nil,
		},
		"the error did not pass": {
			[]Outcome{Transient, Transient}, Failed, "E_ATTEMPTS",
			map[string]string{acq: Failed, ext: Skipped, asc: Skipped}, &ShortCircuit{acq, "error", 1, 2},
		},
		"the contract was broken": {
			[]Outcome{Done, Done, ContractError}, Failed, "E_CONTRACT",
			map[string]string{acq: Completed, ext: Completed, asc: Failed}, &ShortCircuit{asc, "error", 3, 0},
		},
	} {
		chain := Start(atoms(t, "ACQ", "EXT", "ASC"), 0)
		for _, o := range c.outcomes {
			var err error
			if chain, err = chain.Report(o); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if chain.Status != c.status || chain.Code != c.code || (chain.BrokenAt != nil) != (chain.Status == Failed) {
			t.Errorf("%s: %+v", name, chain)
		}
		if diff := cmp.Diff(c.atoms, chain.Atoms); diff != "" {
			t.Errorf("%s: atoms (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.short, chain.Short); diff != "" {
			t.Errorf("%s: short circuit (-want +got):\n%s", name, diff)
		}
		if _, err := chain.Report(Done); code(err) != codeOver {
			t.Errorf("%s: an outcome after the end: %v", name, err)
		}
	}
}

func TestChainGoesOn(t *testing.T) {
	t.Parallel()
	half := Start(atoms(t, "ACQ", "EXT"), 1)
	if a, attempt, ok := half.Next(); a.Code != "EXT" || attempt != 1 || !ok {
		t.Errorf("next is %+v, attempt %d, %v", a, attempt, ok)
	}
	again, err := half.Report(Transient)
	if _, attempt, _ := again.Next(); attempt != 2 || err != nil {
		t.Errorf("attempt %d, %v", attempt, err)
	}
	if _, err := half.Report("fine"); code(err) != codeOutcome {
		t.Errorf("no outcome: %v", err)
	}
	if done := Start(atoms(t, "ACQ"), 1); done.Status != Completed {
		t.Errorf("all done: %+v", done)
	}
}

// TestChainLeavesTheOneBefore: a value that was reported to is not changed.
func TestChainLeavesTheOneBefore(t *testing.T) {
	t.Parallel()
	before := Start(atoms(t, "ACQ", "EXT"), 0)
	if _, err := before.Report(ContractError); err != nil {
		t.Fatal(err)
	}
	if before.Status != Running || len(before.Atoms) > 0 {
		t.Errorf("%+v", before)
	}
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	for want, children := range map[string][]string{
		Completed: {Completed, Completed}, Failed: {Failed, Failed}, Partial: {Completed, Failed, Completed},
		Running: {Failed, Running}, NeedsConfiguration: {NeedsConfiguration},
	} {
		if got := Aggregate(children); got != want {
			t.Errorf("%v: %s, want %s", children, got, want)
		}
	}
	if got := Aggregate(nil); got != Completed {
		t.Errorf("no child: %s", got)
	}
}

func TestExploration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdicts []Verdict
		want     Exploration
	}{
		"two cycles at least":              {[]Verdict{TargetMet}, Exploration{Cycles: 1, Met: true}},
		"what was met stays met":           {[]Verdict{TargetMet, NoProgress}, Exploration{Cycles: 2, Stagnant: 1, Met: true, Exit: ExitTarget}},
		"met at the last moment":           {[]Verdict{NoProgress, NoProgress, TargetMet}, Exploration{Cycles: 3, Met: true, Exit: ExitTarget}},
		"the user comes before the target": {[]Verdict{TargetMet, UserStop}, Exploration{Cycles: 2, Met: true, Exit: ExitUser}},
		"stopped in the first cycle":       {[]Verdict{UserStop}, Exploration{Cycles: 1, Exit: ExitUser}},
	} {
		var e Exploration
		for _, v := range c.verdicts {
			var err error
			if e, err = e.Cycle(v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(c.want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := (Exploration{}).Cycle("good"); code(err) != codeLoopEvent {
		t.Errorf("no verdict: %v", err)
	}
	if _, err := (Exploration{Exit: ExitUser}).Cycle(Progress); code(err) != codeOver {
		t.Errorf("after the end: %v", err)
	}
}

func TestResearch(t *testing.T) {
	t.Parallel()
	round := func(result string) Event { return Event{Loop: Inner, Kind: RoundEnded, Result: result} }
	review := func(result string) Event { return Event{Loop: Outer, Kind: Reviewed, Result: result} }
	five := slices.Repeat([]Event{round("progress")}, task.RoundsPerReview)
	for name, c := range map[string]struct {
		events []Event
		code   string // of the last one
		want   Research
	}{
		"one signal is none":              {[]Event{round(Converged), round("progress"), round(Converged)}, "", Research{Inner: 3, Unreviewed: 3, OnPlan: 3, Converging: 1}},
		"two in a row are":                {[]Event{round(Converged), round(Converged)}, "", Research{Inner: 2, Unreviewed: 2, OnPlan: 2, Converging: 2, Exit: ExitConverged}},
		"no sixth round before a review":  {append(slices.Clone(five), round("")), codeReviewDue, Research{Inner: 5, Unreviewed: 5, OnPlan: 5}},
		"a plan that was tried may turn":  {append(slices.Clone(five), review(Pivot)), "", Research{Inner: 5, Outer: 1}},
		"the next plan is tried as well":  {append(slices.Clone(five), review(Pivot), round(""), review(Pivot)), codePivotEarly, Research{Inner: 6, Outer: 1, Unreviewed: 1, OnPlan: 1}},
		"the outer loop plans":            {[]Event{{Loop: Outer, Kind: PlanChanged}, {Loop: Inner, Kind: AtomExecuted, Atom: "EXT"}}, "", Research{}},
		"the user stops either":           {[]Event{{Kind: Interrupted}}, "", Research{Exit: ExitUser}},
		"nothing after the end":           {[]Event{{Kind: Interrupted}, round("")}, codeOver, Research{Exit: ExitUser}},
		"the inner loop reviews nothing":  {[]Event{{Loop: Inner, Kind: Reviewed, Result: Continue}}, codeLoopEvent, Research{}},
		"a review decides something":      {[]Event{review("maybe")}, codeLoopEvent, Research{}},
		"a round ends somehow":            {[]Event{round("maybe")}, codeLoopEvent, Research{}},
		"finalize wins over the last one": {append(slices.Repeat([]Event{review(Continue)}, task.MostReviews-1), review(Finalize)), "", Research{Outer: 5, Exit: ExitFinalize}},
	} {
		var r Research
		var err error
		for _, e := range c.events {
			if err != nil {
				t.Fatalf("%s: refused before the last event: %v", name, err)
			}
			r, err = r.Apply(e)
		}
		if code(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
		if diff := cmp.Diff(c.want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLoopsEnd: whatever happens, no loop goes on for ever, and a refusal changes nothing.
func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e Exploration
		for i := 0; e.Exit == ""; i++ {
			next, err := e.Cycle(rapid.SampledFrom([]Verdict{Progress, Progress, NoProgress, TargetMet, UserStop}).Draw(t, "verdict"))
			if err != nil || i >= task.MostCycles || next.Exit == ExitTarget && next.Cycles < task.LeastCycles {
				t.Fatalf("cycle %d of %+v: %v", i, e, err)
			}
			e = next
		}
		var r Research
		for r.Exit == "" {
			event := rapid.SampledFrom([]Event{
				{Loop: Inner, Kind: RoundEnded}, {Loop: Inner, Kind: RoundEnded, Result: Converged}, {Loop: Outer, Kind: AtomExecuted},
				{Loop: Outer, Kind: Reviewed, Result: Continue}, {Loop: Outer, Kind: Reviewed, Result: Pivot}, {Loop: Outer, Kind: Reviewed, Result: Finalize},
			}).Draw(t, "event")
			next, err := r.Apply(event)
			if err != nil && next != r {
				t.Fatalf("%+v was refused and changed %+v to %+v", event, r, next)
			}
			if r = next; r.Inner > task.RoundsPerReview*task.MostReviews || r.Outer > task.MostReviews {
				t.Fatalf("out of bounds: %+v", r)
			}
		}
	})
}

// TestChainsAccount: whatever the outcomes are, at the end every atom has a status, and what failed
// or was not run comes after what was completed.
func TestChainsAccount(t *testing.T) {
	t.Parallel()
	names := []string{"ACQ", "EXT", "ASC", "HYP", "ARG", "VER"}
	all := atoms(t, names...)
	rapid.Check(t, func(t *rapid.T) {
		c := Start(all, rapid.IntRange(0, len(all)).Draw(t, "done"))
		for runs := 0; c.Status == Running; runs++ {
			var err error
			c, err = c.Report(rapid.SampledFrom([]Outcome{Done, Done, Done, Transient, Empty, Denied, ContractError, WithoutFile, SkillMissing}).Draw(t, "outcome"))
			if err != nil || runs > mostAttempts*len(all) {
				t.Fatalf("run %d: %v", runs, err)
			}
		}
		over := false
		for _, a := range all {
			status := c.Atoms[a.Skill]
			if status == "" || over && status != Skipped {
				t.Fatalf("%s is %q: %+v", a.Skill, status, c)
			}
			over = over || status != Completed
		}
		if c.Short != nil && c.Short.Executed+c.Short.Skipped != len(all) {
			t.Fatalf("%+v", c.Short)
		}
	})
}
