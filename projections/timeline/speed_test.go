package timeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
)

const big = 10_000

// long is a run through a list of ten thousand items.
func long() *story {
	s := newStory()
	s.add(events.RunStarted{Run: "r-1", Name: "long", Text: text})
	s.after(1).add(events.ItemsListed{Run: "r-1", Step: "each", Count: big})
	for i := range big {
		id := fmt.Sprintf("each[%d]", i)
		call := open(id)
		call.Step = "each"
		s.after(0.001).add(call, start(id, 1)).after(0.001).add(done(id, 1))
	}
	s.add(events.StepJoined{Run: "r-1", Step: "each", Done: big}, events.RunCompleted{Run: "r-1"})
	return s
}

// TestALongRunIsNotSlow keeps gross slowness out; what it takes is printed.
func TestALongRunIsNotSlow(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := long()
	folded := time.Since(begun)
	begun = time.Now()
	w := s.Window(Ask{Run: "r-1", From: 5000, Count: 40}, noon)
	t.Logf("%d rows: folded in %s, a window takes %s", w.Total, folded, time.Since(begun))
	if w.Total != big+6 || len(w.Rows) != 40 {
		t.Errorf("%d rows, %d in the window", w.Total, len(w.Rows))
	}
}

func BenchmarkWindow(b *testing.B) {
	s := long()
	for b.Loop() {
		s.Window(Ask{Run: "r-1", From: 5000, Count: 40}, noon)
	}
}
