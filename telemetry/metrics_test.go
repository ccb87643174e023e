package telemetry

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

func TestNumbersOfAChain(t *testing.T) {
	t.Parallel()
	m := NewMetrics("test", func() State {
		return State{Queued: map[string]int{"default": 2}, Held: map[string]int{"default": 1}, Conflicts: 3, Duplicates: 4, Redeliveries: 5, Found: 6, Approvals: 7, Flushes: 8}
	})
	now := time.Unix(1_764_500_000, 0)
	commit := func(after time.Duration, facts ...events.Data) {
		now = now.Add(after)
		rec := stream.Record{}
		rec.Frame.Session = session
		for _, fact := range facts {
			ev := events.New(fact)
			ev.Time = now
			rec.Frame.Events = append(rec.Frame.Events, ev)
		}
		m.Seen(rec)
	}
	commit(0, events.RunStarted{Run: "r"}, events.CallOpened{Call: "r/a", Queue: "default"})
	commit(20*time.Millisecond, events.CallStarted{Call: "r/a", Attempt: 1, Worker: "p.1"})
	commit(3*time.Second, events.CallLost{Call: "r/a", Attempt: 1})
	commit(0, events.CallStarted{Call: "r/a", Attempt: 2, Worker: "p.1"})
	commit(40*time.Second, events.CallClosed{Call: "r/a", Attempt: 2, Status: "ok"}, events.CallOpened{Call: "r/b", Queue: "other"})
	commit(2*time.Millisecond, events.CallStarted{Call: "r/b", Attempt: 1, Worker: "q.1"})
	commit(0, events.CallClosed{Call: "r/b", Attempt: 1, Status: "failed"}, events.RunFailed{Run: "r"}, events.Unknown{})
	commit(0, events.CallClosed{Call: "r/z", Attempt: 1, Status: "ok"}) // began before this process looked
	if len(m.calls) > 0 {
		t.Errorf("still remembers %v", m.calls)
	}
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`baton_queue_depth{queue="default"} 2`, `baton_queue_held{queue="default"} 1`, `baton_conflicts_total 3`,
		`baton_duplicates_refused_total 4`, `baton_redeliveries_total 5`, `baton_reconciler_finds_total 6`, `baton_flushes_total 8`, `baton_approvals_open 7`,
		`baton_attempts_total{outcome="ok"} 2`, `baton_attempts_total{outcome="lost"} 1`, `baton_attempts_total{outcome="failed"} 1`,
		`baton_runs_total{outcome="failed"} 1`, `baton_commits_total 8`, `baton_events_total{type="call.started"} 3`, `baton_events_total{type="unknown"} 1`,
		`baton_assignment_seconds_bucket{le="0.005"} 1`, `baton_assignment_seconds_bucket{le="0.05"} 2`,
		`baton_transition_seconds_count 1`, `baton_transition_seconds_bucket{le="0.005"} 1`,
		`baton_execution_seconds_count 3`, `baton_execution_seconds_bucket{le="15"} 2`, `baton_execution_seconds_bucket{le="60"} 3`,
		`baton_build_info{version="test"} 1`,
	} {
		if !strings.Contains(rec.Body.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, rec.Body)
		}
	}
}
