package bench

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
)

// witness sees what the server does: when executors begin and end, and which runs have ended.
type witness struct {
	mu      sync.Mutex
	commits int
	events  int
	ended   map[string]chan string // by session: told the type of the event that ended its run
	asked   map[string]time.Time   // by session: when its run was asked for
	left    map[string]time.Time   // by session: when its last executor returned
	times   times
	hold    func(ctx context.Context, t workers.Task) // stands before each executor; nil: nothing does
}

// times are how long the parts of steps took.
type times struct{ assignment, execution, transition spread }

type spread []time.Duration

func (s *spread) add(d time.Duration) { *s = append(*s, d) }

func (s spread) mean() time.Duration {
	var total time.Duration
	for _, d := range s {
		total += d
	}
	return total / time.Duration(max(1, len(s)))
}

func (s spread) median() time.Duration { return s.under(0.5) }

// under is the time that a part of all stays under.
func (s spread) under(part float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(part*float64(len(s)-1))]
}

func newWitness() *witness {
	return &witness{ended: map[string]chan string{}, asked: map[string]time.Time{}, left: map[string]time.Time{}}
}

// expect gives a channel that tells how the session's next run ended.
func (w *witness) expect(session string) <-chan string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := make(chan string, 1)
	w.ended[session], w.asked[session] = ended, time.Now()
	delete(w.left, session)
	return ended
}

// committed is told of each commit once it has settled.
func (w *witness) committed(rec stream.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits++
	w.events += len(rec.Frame.Events)
	for _, e := range rec.Frame.Events {
		switch e.Data.(type) {
		case events.RunCompleted, events.RunFailed, events.RunCancelled:
			if ended := w.ended[rec.Entity.Session()]; ended != nil {
				ended <- e.Type
				delete(w.ended, rec.Entity.Session())
			}
		}
	}
}

// reset forgets the counts so far and gives them.
func (w *witness) reset() (commits, events int, t times) {
	w.mu.Lock()
	defer w.mu.Unlock()
	commits, events, t = w.commits, w.events, w.times
	w.commits, w.events, w.times = 0, 0, times{}
	return commits, events, t
}

// watched is an executor that is looked at.
type watched struct {
	workers.Executor
	w *witness
}

func (w *witness) executor(_ string, x workers.Executor) workers.Executor { return watched{x, w} }

// Execute notes when the executor begins and ends.
func (x watched) Execute(ctx context.Context, t workers.Task, live io.Writer) workers.Outcome {
	begun := time.Now()
	x.w.begin(t.Session, begun)
	if x.w.hold != nil {
		x.w.hold(ctx, t)
	}
	out := x.Executor.Execute(ctx, t, live)
	x.w.end(t.Session, begun, time.Now())
	return out
}

func (w *witness) begin(session string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch left, again := w.left[session]; {
	case again:
		w.times.transition.add(now.Sub(left))
	case !w.asked[session].IsZero():
		w.times.assignment.add(now.Sub(w.asked[session]))
	}
}

func (w *witness) end(session string, begun, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.times.execution.add(now.Sub(begun))
	w.left[session] = now
}
