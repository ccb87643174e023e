package streamtest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/batonflow/baton/stream"
)

// soon is late enough to arm several alarms before the first one rings.
const soon = 800 * time.Millisecond

var timerTests = map[string]func(*testing.T, Fixture){
	"not early": func(t *testing.T, f Fixture) {
		at := time.Now().Add(soon)
		arm(t, f, "t", at)
		alarm, done := due(t, f)
		if now := time.Now(); now.Before(at) {
			t.Errorf("alarm rang %v early", at.Sub(now))
		}
		if alarm.Session != "s" || alarm.Timer != "t" || !alarm.At.Equal(at) {
			t.Errorf("alarm is %+v, want t at %v", alarm, at)
		}
		done()
		quiet(t, f)
	},
	"overdue at once": func(t *testing.T, f Fixture) {
		arm(t, f, "t", time.Now().Add(-time.Hour))
		_, done := due(t, f)
		done()
	},
	"replaced by a later one": func(t *testing.T, f Fixture) {
		later := time.Now().Add(2 * soon)
		arm(t, f, "t", time.Now().Add(soon))
		arm(t, f, "t", later)
		alarm, done := due(t, f)
		if !alarm.At.Equal(later) || time.Now().Before(later) {
			t.Errorf("alarm for %v rang at %v, want %v", alarm.At, time.Now(), later)
		}
		done()
		quiet(t, f)
	},
	"replaced by an earlier one": func(t *testing.T, f Fixture) {
		sooner := time.Now().Add(soon)
		arm(t, f, "t", time.Now().Add(time.Hour))
		arm(t, f, "t", sooner)
		if alarm, _ := due(t, f); !alarm.At.Equal(sooner) {
			t.Errorf("alarm for %v rang, want %v", alarm.At, sooner)
		}
	},
	"disarmed": func(t *testing.T, f Fixture) {
		arm(t, f, "gone", time.Now().Add(soon))
		arm(t, f, "stays", time.Now().Add(2*soon))
		for _, timer := range []string{"gone", "never armed", "gone"} {
			if err := f.Timers.Disarm(t.Context(), "s", timer); err != nil {
				t.Errorf("disarm %s: %v", timer, err)
			}
		}
		if alarm, _ := due(t, f); alarm.Timer != "stays" {
			t.Errorf("%s rang, want stays", alarm.Timer)
		}
	},
	"rings until it is dealt with": func(t *testing.T, f Fixture) {
		arm(t, f, "t", time.Now())
		due(t, f)
		_, done := due(t, f)
		done()
		quiet(t, f)
	},
	"any name": func(t *testing.T, f Fixture) {
		names := []string{"r/step 1", "a.b", "*", ">", "", "ü%2e", "t\n"}
		for _, name := range names {
			arm(t, f, "x"+name, time.Now().Add(-time.Second))
		}
		for len(names) > 0 {
			alarm, done := due(t, f)
			done()
			names = slices.DeleteFunc(names, func(name string) bool { return "x"+name == alarm.Timer })
		}
	},
}

func arm(t *testing.T, f Fixture, timer string, at time.Time) {
	t.Helper()
	if err := f.Timers.Arm(t.Context(), stream.Alarm{Session: "s", Timer: timer, At: at}); err != nil {
		t.Fatal(err)
	}
}

func due(t *testing.T, f Fixture) (stream.Alarm, func()) {
	t.Helper()
	alarm, done, err := f.Timers.Due(within(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	return alarm, func() {
		t.Helper()
		if err := done(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// quiet waits until nothing rings any more. The last alarm may have rung again before the word that
// it is dealt with came through; another may not ring at all.
func quiet(t *testing.T, f Fixture) {
	t.Helper()
	for ctx := within(t, patience); ctx.Err() == nil; {
		alarm, done, err := f.Timers.Due(within(t, f.Lease*5/4))
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil || alarm.Timer != "t" {
			t.Fatalf("%q rang with %v, want silence", alarm.Timer, err)
		}
		if err := done(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("alarm goes on ringing after it was dealt with")
}
