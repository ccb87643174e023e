//go:build linux

package faults_test

import (
	"testing"
	"time"

	"github.com/batonflow/baton/schedules"
)

// TestScheduleAcrossARestart: what comes due while no server runs fires at once when one is back, for the
// time that was missed, and once, however often the server is killed on the way.
func TestScheduleAcrossARestart(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	path := h.template(step("noted", "true"))
	row := ask[schedules.Row](h, "workflow", "schedule", path, "--cron", "* * * * *", "--name", "report")
	h.killServer()
	due := row.Next
	if !within(time.Until(due)+patience, func() bool { return time.Now().After(due.Add(time.Second)) }) {
		t.Fatal("the clock stands still")
	}
	began := time.Now()
	fired := func() (r schedules.Row) {
		for _, r := range ask[[]schedules.Row](h, "workflow", "schedule", "list") {
			return r
		}
		return r
	}
	await(t, "the run that was missed", func() bool { return fired().Fired >= 1 })
	t.Logf("it fired %v after the server was asked for", time.Since(began))
	h.killServer()
	got := fired()
	if got.Fired != 1 || !got.LastAt.Equal(due) || !got.Next.After(due) {
		t.Errorf("the schedule stands at %+v, the missed time was %v", got, due)
	}
	if last := h.over(got.LastRun); last.Status != "completed" {
		t.Errorf("the run ended as %+v", last)
	}
	if runs := ask[[]runRow](h, "workflow", "list"); len(runs) != 1 {
		t.Errorf("%d runs were started: %+v", len(runs), runs)
	}
	h.must("workflow", "schedule", "remove", "report")
	for _, effect := range h.ledger() { // more than one if the kill met the step
		if effect.run != got.LastRun {
			t.Errorf("another run took effect: %+v", effect)
		}
	}
}
