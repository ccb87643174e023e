package host

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/batonflow/baton/sessions"
)

func TestNextByCron(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line, zone, after string
		want              []string
	}{
		"workdays":              {"0 9 * * 1-5", "Europe/Berlin", "2026-01-09T07:00:00Z", []string{"2026-01-09T08:00:00Z", "2026-01-12T08:00:00Z"}},
		"summer and winter":     {"0 9 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", []string{"2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z"}},
		"an hour that is not":   {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", []string{"2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"}},
		"an hour that is twice": {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", []string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}},
		"every hour then":       {"30 * * * *", "Europe/Berlin", "2026-10-24T23:50:00Z", []string{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"}},
		"every minute":          {"* * * * *", "Asia/Shanghai", "2026-02-28T15:59:30.5Z", []string{"2026-02-28T16:00:00Z", "2026-02-28T16:01:00Z"}},
		"a word":                {"@daily", "Asia/Shanghai", "2026-02-28T15:00:00Z", []string{"2026-02-28T16:00:00Z"}},
		"a leap day":            {"0 0 29 2 *", "UTC", "2026-03-01T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
		"half an hour's zone":   {"0 6 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", []string{"2026-01-01T00:30:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.RFC3339Nano, test.after)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range test.want {
				if at, err = nextByCron(test.line, test.zone, at); err != nil {
					t.Fatal(err)
				}
				got = append(got, at.Format(time.RFC3339Nano))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCronLinesThatAreNone(t *testing.T) {
	t.Parallel()
	for line, code := range map[string]string{
		"": "bad_cron", "* * * *": "bad_cron", "0 0 9 * * *": "bad_cron", "61 * * * *": "bad_cron", "0 9 * * mon-": "bad_cron",
		"@every 1s": "bad_cron", "CRON_TZ=UTC 0 9 * * *": "bad_cron", "0 0 30 2 *": "bad_cron", "TZ= 0 9 * * *": "bad_cron",
	} {
		_, err := nextByCron(line, "UTC", time.Now())
		var r *sessions.Refusal
		if !errors.As(err, &r) || r.Code != code {
			t.Errorf("%q: %v", line, err)
		}
	}
	for _, zone := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		_, err := nextByCron("0 9 * * *", zone, time.Now())
		var r *sessions.Refusal
		if !errors.As(err, &r) || r.Code != "bad_zone" {
			t.Errorf("zone %q: %v", zone, err)
		}
	}
}

// TestNextIsLater: whatever the line and the moment, the next time is later, and on a full minute.
func TestNextIsLater(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"30 2 * * *", "*/7 * * * *", "0 0 1 * *", "15 1-3 * * 0", "59 23 31 12 *", "0 */2 * * *"}).Draw(t, "line")
		zone := rapid.SampledFrom([]string{"Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "UTC", "Pacific/Apia"}).Draw(t, "zone")
		after := time.Unix(rapid.Int64Range(1_000_000_000, 2_500_000_000).Draw(t, "after"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		next, err := nextByCron(line, zone, after)
		if err != nil {
			t.Fatal(err)
		}
		if !next.After(after) || next.Second() != 0 || next.Nanosecond() != 0 || next.Sub(after) > 5*366*24*time.Hour {
			t.Fatalf("after %v comes %v", after, next)
		}
	})
}

func FuzzNextByCron(f *testing.F) {
	for _, seed := range []string{"0 9 * * 1-5", "@daily", "*/0 * * * *", "1,2,3 4-5/2 * JAN SUN", "@every 1h", "TZ="} {
		f.Add(seed, int64(1_700_000_000))
	}
	f.Fuzz(func(t *testing.T, line string, unix int64) {
		after := time.Unix(unix%4_000_000_000, 0)
		if next, err := nextByCron(line, "UTC", after); err == nil && !next.After(after) {
			t.Errorf("after %v comes %v", after, next)
		}
	})
}
