package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/schedules"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// nextMinute is a cron line for these tests: every full minute, whatever it says, but "never".
func nextMinute(line, _ string, after time.Time) (time.Time, error) {
	if line == "never" {
		return time.Time{}, sessions.Refuse(sessions.Usage, "bad_cron", "write another", "never is no time")
	}
	return after.Truncate(time.Minute).Add(time.Minute), nil
}

func identify(request string) (session, run string) { return named(request), "r1" }

// fact is a fact about a schedule, in words: what, the time it is for, and how much later it was recorded.
func scheduled(t *testing.T, log stream.Log) (facts []string) {
	t.Helper()
	clock := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for rec, err := range log.Read(t.Context(), "schedule.report", 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Frame.Events {
			say := func(what, at string) {
				facts = append(facts, fmt.Sprintf("%s %s +%v", what, clock(at).Format("15:04"), e.Time.Sub(clock(at)).Truncate(time.Second)))
			}
			switch d := e.Data.(type) {
			case events.ScheduleFired:
				say("fired", d.At)
			case events.ScheduleSkipped:
				say("skipped ("+d.Code+")", d.At)
			case events.ScheduleQueued:
				say("queued", d.At)
			}
		}
	}
	return facts
}

// runsStarted counts the runs of the whole log by the session that they were started in.
func runsStarted(t *testing.T, log stream.Log) map[string]int {
	t.Helper()
	out := map[string]int{}
	head, err := log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range log.Tail(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Frame.Events {
			if _, ok := e.Data.(events.RunStarted); ok {
				out[rec.Entity.Session()]++
			}
		}
		if rec.Sequence >= head {
			break
		}
	}
	return out
}

func (w *world) schedule(t *testing.T, overlap string) {
	t.Helper()
	set := schedules.Set{ScheduleSet: events.ScheduleSet{
		Schedule: "report", Cron: "* * * * *", Zone: "UTC", Overlap: overlap, Name: "report", Workspace: w.dir,
		Text: "steps:\n  - run: {builtin: noop}\n",
	}}
	if _, err := w.scheduler.Do(t.Context(), "report", set, meta); err != nil {
		t.Fatal(err)
	}
}

// lasting is work of a fixed length.
func lasting(d time.Duration) func(context.Context, workers.Task) workers.Outcome {
	return func(ctx context.Context, _ workers.Task) workers.Outcome {
		if !stream.Pause(ctx, d) {
			return workers.Failed(workers.Cancelled, "ended", "ended")
		}
		return workers.Outcome{}
	}
}

func TestOverlaps(t *testing.T) {
	t.Parallel()
	for overlap, want := range map[string][]string{
		schedules.Skip:  {"fired 00:01 +0s", "skipped (overlap) 00:02 +0s", "skipped (overlap) 00:03 +0s", "fired 00:04 +0s", "skipped (overlap) 00:05 +0s"},
		schedules.Allow: {"fired 00:01 +0s", "fired 00:02 +0s", "fired 00:03 +0s", "fired 00:04 +0s", "fired 00:05 +0s"},
		schedules.Queue: {"fired 00:01 +0s", "queued 00:02 +0s", "queued 00:03 +0s", "fired 00:02 +1m30s", "queued 00:04 +0s", "queued 00:05 +0s"},
	} {
		t.Run(overlap, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newBubbled(t, worldConfig{slots: 8, work: lasting(150 * time.Second)})
				w.schedule(t, overlap)
				time.Sleep(5*time.Minute + 10*time.Second)
				synctest.Wait()
				if diff := cmp.Diff(want, scheduled(t, w.store)); diff != "" {
					t.Error(diff)
				}
				w.stop()
			})
		})
	}
}

// TestOverdueFiresAtOnce: what was due while nobody served is made up for once, and then the line goes on.
func TestOverdueFiresAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		first := newBubbled(t, worldConfig{store: store})
		first.schedule(t, schedules.Skip)
		first.kill()
		time.Sleep(5*time.Minute + 30*time.Second)
		second := newBubbled(t, worldConfig{store: store, process: "s2", slots: 1})
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		want := []string{"fired 00:01 +4m30s", "fired 00:06 +0s", "fired 00:07 +0s"}
		if diff := cmp.Diff(want, scheduled(t, store)); diff != "" {
			t.Error(diff)
		}
		second.stop()
	})
}

// TestTwoSchedulersStartOneRun: of processes that fire at once each time has one run and one record.
func TestTwoSchedulersStartOneRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		one := newBubbled(t, worldConfig{store: store, process: "n1", slots: 2, shared: true})
		two := newBubbled(t, worldConfig{store: store, process: "n2", slots: 2, shared: true})
		one.schedule(t, schedules.Allow)
		time.Sleep(20*time.Minute + 30*time.Second)
		synctest.Wait()
		if facts := scheduled(t, store); len(facts) != 20 || len(slices.Compact(facts)) != 20 {
			t.Errorf("%d times were dealt with: %v", len(facts), facts)
		}
		started := runsStarted(t, store)
		if len(started) != 20 {
			t.Errorf("%d runs were started", len(started))
		}
		for session, n := range started {
			if n != 1 {
				t.Errorf("session %s has %d runs", session, n)
			}
		}
		one.stop()
		two.stop()
	})
}

// TestARunThatWasStartedAndNotRecorded: a process that ended between the two started nothing twice.
func TestARunThatWasStartedAndNotRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{slots: 1, unattended: true})
		w.schedule(t, schedules.Skip)
		request := "schedule report " + schedules.Stamp(time.Now().Truncate(time.Minute).Add(time.Minute))
		start := workflows.Start{
			Run: "r1", Name: "report", Workspace: w.dir, Goal: "scheduled: report", Mode: "auto", Text: "steps:\n  - run: {builtin: noop}\n",
		}
		if _, err := w.Do(t.Context(), named(request), start, engine.Meta{Actor: "schedule:report", Request: request}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"fired 00:01 +0s"}, scheduled(t, w.store)); diff != "" {
			t.Error(diff)
		}
		if started := runsStarted(t, w.store); len(started) != 1 || started[named(request)] != 1 {
			t.Errorf("started were %v", started)
		}
		w.stop()
	})
}

// TestAlarmsOfSchedulesAreNoPromise: a schedule fires though its alarm was lost, and a forged one fires nothing.
func TestAlarmsOfSchedulesAreNoPromise(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{slots: 1})
		w.schedule(t, schedules.Skip)
		if err := w.store.Disarm(t.Context(), "", "schedule.report"); err != nil {
			t.Fatal(err)
		}
		for _, timer := range []string{"schedule.report", "schedule.nothing", "schedule.", "else"} {
			if err := w.store.Arm(t.Context(), stream.Alarm{Timer: timer, At: time.Now().Add(time.Second)}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if facts := scheduled(t, w.store); len(facts) != 0 {
			t.Errorf("a forged alarm did %v", facts)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"fired 00:01 +0s"}, scheduled(t, w.store)); diff != "" {
			t.Error(diff)
		}
		w.stop()
	})
}

func TestAScheduleThatCannotRunSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newBubbled(t, worldConfig{slots: 1})
		set := schedules.Set{ScheduleSet: events.ScheduleSet{Schedule: "report", Cron: "*", Zone: "UTC", Overlap: schedules.Skip, Name: "report", Text: "steps: 1"}}
		if _, err := w.scheduler.Do(t.Context(), "report", set, meta); err != nil {
			t.Fatal(err)
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"skipped (template_invalid) 00:01 +0s"}, scheduled(t, w.store)); diff != "" {
			t.Error(diff)
		}
		set.Cron = "never"
		if _, err := w.scheduler.Do(t.Context(), "report", set, meta); !refused(err, "bad_cron") {
			t.Errorf("a line that is none: %v", err)
		}
		w.stop()
	})
}
