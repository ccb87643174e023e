package workflows_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/engine/freeze"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows"
)

// thawed is the state after it was frozen and thawed; nil for one that cannot be frozen.
func thawed(t *rapid.T, s *workflows.State) *workflows.State {
	t.Helper()
	frozen, err := freeze.Freeze(s)
	if errors.Is(err, freeze.ErrOpaque) {
		return nil
	}
	out := new(workflows.State)
	if err == nil {
		err = freeze.Thaw(frozen, out)
	}
	if err == nil {
		err = out.Reread()
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := freeze.Freeze(out)
	if err != nil || !bytes.Equal(frozen, again) {
		t.Fatalf("thawed and frozen again it has other bytes: %v", err)
	}
	return out
}

// TestASnapshotAndTheTailGiveTheWhole: a state that was frozen after any events and takes the others
// then is the state that has folded all of them, to the last field, and the same follows from it.
func TestASnapshotAndTheTailGiveTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole, cut := workflows.New("s1"), workflows.New("s1")
		count := rapid.IntRange(1, 40).Draw(t, "events")
		at := rapid.IntRange(0, count-1).Draw(t, "snapshot")
		for n := range count {
			if n == at {
				if cut = thawed(t, cut); cut == nil {
					return // a router takes one of its runs along
				}
			}
			e := drawEvent(t, n)
			whole.Fold(e)
			cut.Fold(e)
		}
		for range 200 {
			facts := workflows.Follow(whole, plainWorld{})
			if diff := cmp.Diff(facts, workflows.Follow(cut, plainWorld{}), everything); diff != "" {
				t.Fatalf("other facts follow: %s", diff)
			}
			for _, fact := range facts {
				whole.Fold(events.New(fact))
				cut.Fold(events.New(fact))
			}
			if len(facts) == 0 {
				break
			}
		}
		if diff := cmp.Diff(whole, cut, everything); diff != "" {
			t.Fatalf("a snapshot at event %d gave another state: %s", at, diff)
		}
	})
}

// TestARunGoesOnFromASnapshot: a run whose state is frozen and thawed at any time ends as the twin says.
func TestARunGoesOnFromASnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drive(t, drawDAG(t))
		every := rapid.IntRange(1, 10).Draw(t, "every")
		turns := 0
		d.run(func() bool {
			if turns++; turns%every == 0 {
				d.state = thawed(t, d.state)
			}
			return d.over()
		})
		d.judge()
		whole := workflows.New("s1")
		for _, e := range d.log {
			whole.Fold(e)
		}
		if diff := cmp.Diff(whole, d.state, everything); diff != "" {
			t.Fatalf("the log folds to another state: %s", diff)
		}
	})
}
