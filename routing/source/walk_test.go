package source

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// linked makes a chain of providers of the table.
func linked(t testing.TB, names []string) []Level {
	t.Helper()
	return router(t).chain(input{Sources: []Source{Web}, Providers: names})
}

func TestWalks(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Name, Query, Status  string
		Providers            []string
		Attempts, Log        [][]any
		Budget, Level, Spent int
	}
	readCases(t, "testdata/walks.json", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			w := Start(linked(t, c.Providers), c.Query, c.Budget)
			for _, a := range c.Attempts {
				if _, ok := w.Next(); !ok {
					t.Fatalf("over before %v: %s", a, w.Status())
				}
				at, err := time.Parse(time.RFC3339, a[0].(string))
				if err != nil {
					t.Fatal(err)
				}
				w.Fold(Attempt{At: at, Outcome: a[1].(string), Elapsed: time.Duration(a[2].(float64)) * time.Millisecond})
			}
			if w.Status() != c.Status || w.At().Level != c.Level || w.Spent() != c.Spent {
				t.Errorf("got %s at %d for %d, want %s at %d for %d", w.Status(), w.At().Level, w.Spent(), c.Status, c.Level, c.Spent)
			}
			got := [][]any{}
			for _, d := range w.Log() {
				step := []any{float64(d.FromLevel), nil, d.Reason, d.Timestamp}
				if d.ToLevel != nil {
					step[1] = float64(*d.ToLevel)
				}
				if d.QueryAffected != c.Query {
					t.Errorf("the step is said to be of %q", d.QueryAffected)
				}
				got = append(got, step)
			}
			if diff := cmp.Diff(c.Log, got); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAWalkWithoutProvidersIsExhausted(t *testing.T) {
	t.Parallel()
	w := Start(nil, "x", 3)
	if _, ok := w.Next(); ok || w.Status() != Exhausted || w.At() != (Level{}) {
		t.Errorf("status %s at %v", w.Status(), w.At())
	}
}

var outcomes = []string{Answered, NoResults, Cancelled, quotaExhausted, "api_error", "gfw_blocked", "http_500", "lost"}

func attempts() *rapid.Generator[Attempt] {
	return rapid.Custom(func(t *rapid.T) Attempt {
		return Attempt{
			At:      time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "at"), 0),
			Outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome"),
			Elapsed: time.Duration(rapid.IntRange(0, 60_000).Draw(t, "elapsed")) * time.Millisecond,
		}
	})
}

// TestWalksEnd: within the budget, step by step down, one step a failure, and nothing after the end.
func TestWalksEnd(t *testing.T) {
	t.Parallel()
	chain := linked(t, router(t).providers.names())
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(0, 8).Draw(t, "budget")
		w := Start(chain, "x", budget)
		for w.Status() == Going {
			w.Fold(attempts().Draw(t, "attempt"))
		}
		if w.Spent() > budget || w.Spent() > len(chain) {
			t.Fatalf("%d attempts with a budget of %d", w.Spent(), budget)
		}
		failed := w.Spent()
		if s := w.Status(); s == Answered || s == EmptyAccepted || s == Cancelled {
			failed--
		}
		if len(w.Log()) != failed {
			t.Fatalf("%d steps for %d failures", len(w.Log()), failed)
		}
		for i, d := range w.Log() {
			last := i == len(chain)-1
			if d.FromLevel != i+1 || (d.ToLevel == nil) != last || !last && *d.ToLevel != i+2 {
				t.Fatalf("step %d is %+v", i, d)
			}
			if d.Reason == "" || d.FromLevel == 4 && d.Reason != allFailed || strings.HasPrefix(d.Reason, "other:other:") {
				t.Fatalf("level %d has reason %q", d.FromLevel, d.Reason)
			}
		}
		before := w.Log()
		w.Fold(Attempt{Outcome: "api_error"})
		if diff := cmp.Diff(before, w.Log()); diff != "" {
			t.Fatalf("an attempt after the end changed the log:\n%s", diff)
		}
	})
}
