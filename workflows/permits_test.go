package workflows_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workflows"
)

// TestNeverMorePermitsThanThereAre lets calls ask, end and give up in any order, beside a plain count.
func TestNeverMorePermitsThanThereAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 4).Draw(rt, "size")
		p := workflows.NewPermits()
		twin := map[string]int{} // call -> attempt that it holds a permit for
		fold := func(facts []events.Data) {
			for _, d := range facts {
				p.Fold(events.Event{Data: d, Time: time.Unix(1, 0)})
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"ask": func(rt *rapid.T) {
				call, attempt := fmt.Sprint(rapid.IntRange(1, 6).Draw(rt, "call")), rapid.IntRange(1, 3).Draw(rt, "attempt")
				facts := p.Grant("gpu", size, "s", call, attempt)
				_, has := twin[call]
				if granted := len(facts) > 0; granted != (has || len(twin) < size) {
					rt.Fatalf("granted %t with %v of %d", granted, twin, size)
				}
				if len(facts) > 0 {
					twin[call] = attempt
				}
				fold(facts)
			},
			"end": func(rt *rapid.T) {
				call, attempt := fmt.Sprint(rapid.IntRange(1, 6).Draw(rt, "call")), rapid.IntRange(1, 3).Draw(rt, "attempt")
				fold(p.Free("s", call, attempt, 0, ""))
				if held, has := twin[call]; has && held <= attempt {
					delete(twin, call)
				}
			},
			"": func(rt *rapid.T) {
				if p.Count() != len(twin) || p.Count() > size {
					rt.Fatalf("%d are held, want %v of %d", p.Count(), twin, size)
				}
			},
		})
	})
}

// A grant that was replaced cannot give back what a later attempt runs on.
func TestAnOldGrantFreesNothing(t *testing.T) {
	t.Parallel()
	p := workflows.NewPermits()
	for range 2 {
		for _, d := range p.Grant("gpu", 1, "s", "c", 2) {
			p.Fold(events.Event{Data: d})
		}
	}
	if facts := p.Free("s", "c", 0, 1, ""); facts != nil {
		t.Errorf("the first grant gave back %v", facts)
	}
	if facts := p.Free("s", "c", 1, 0, ""); facts != nil {
		t.Errorf("the attempt before gave back %v", facts)
	}
	if facts := p.Free("s", "c", 0, 2, ""); len(facts) != 1 {
		t.Errorf("the second grant gave back %v", facts)
	}
}
