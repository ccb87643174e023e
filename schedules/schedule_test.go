package schedules

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/events"
)

var midnight = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// hourly is a cron line for tests: every full hour.
func hourly(_, _ string, after time.Time) (time.Time, error) {
	return after.Truncate(time.Hour).Add(time.Hour), nil
}

func (s *State) take(t interface{ Fatal(...any) }, c Command, now time.Time) []events.Data {
	facts, err := c.Decide(s, now, hourly)
	if err != nil {
		t.Fatal(err)
	}
	for _, fact := range facts {
		s.Fold(events.New(fact))
	}
	return facts
}

func set(overlap string) Set {
	return Set{events.ScheduleSet{Schedule: "report", Cron: "0 * * * *", Zone: "UTC", Overlap: overlap, Name: "report", Text: "steps: []"}}
}

func TestEveryChangeTakesEffectOnce(t *testing.T) {
	t.Parallel()
	s := new(State)
	for i, c := range []Command{set(Skip), Pause{Schedule: "report"}, Resume{Schedule: "report"}, set(Queue), Remove{Schedule: "report"}} {
		if n := len(s.take(t, c, midnight)); n != 1 {
			t.Errorf("change %d: %d facts", i, n)
		}
		before := s.Row
		if n := len(s.take(t, c, midnight.Add(time.Minute))); n != 0 || !cmp.Equal(before, s.Row) {
			t.Errorf("change %d a second time: %d facts, %+v", i, n, s.Row)
		}
	}
	if _, err := (Pause{Schedule: "report"}).Decide(s, midnight, hourly); err == nil {
		t.Error("a removed schedule was paused")
	}
	if n := len(s.take(t, set(Skip), midnight)); n != 1 || s.Status != Active {
		t.Errorf("set again it is %+v", s.Row)
	}
}

// TestLaws: whatever happens in whatever order, nothing is due early or while the schedule is not active,
// every time is dealt with once and in order, and the queue is bounded.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, now := new(State), midnight
		s.take(t, set(rapid.SampledFrom([]string{Skip, Queue, Allow}).Draw(t, "overlap")), now)
		started, last := map[time.Time]bool{}, time.Time{}
		for range rapid.IntRange(1, 200).Draw(t, "rounds") {
			now = now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "seconds")) * time.Second)
			switch rapid.IntRange(0, 19).Draw(t, "what") {
			case 0:
				s.take(t, Pause{Schedule: "report"}, now)
			case 1:
				s.take(t, Resume{Schedule: "report"}, now)
			}
			busy := s.LastRun != "" && rapid.Bool().Draw(t, "busy")
			at, due := s.Due(now, busy)
			if !due {
				continue
			}
			if at.After(now) || s.Status != Active {
				t.Fatalf("at %v, %s: due for %v", now, s.Status, at)
			}
			next, _ := hourly("", "", now)
			if !s.Starts(busy) {
				s.Fold(events.New(s.GiveWay(at, next)))
			} else {
				if started[at] || !at.After(last) {
					t.Fatalf("%v starts after %v", at, last)
				}
				started[at], last = true, at
				s.Fold(events.New(s.Fire(at, fmt.Sprint("r-", at.Unix()), "s", next)))
			}
			if len(s.Waiting) > MaxWaiting || !s.Next.After(at) {
				t.Fatalf("%d wait, the next is %v after %v", len(s.Waiting), s.Next, at)
			}
		}
	})
}
