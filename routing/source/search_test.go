package source

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// step is an attempt and what is held after it.
type step struct {
	outcome string
	held    Evidence
}

// follow takes a search through steps, the last of them again and again, and tells what was asked.
func follow(t *testing.T, p Plan, steps ...step) (asked []string, s *Search) {
	t.Helper()
	s = BeginWith(p, nil, time.Time{})
	for i := 0; ; i++ {
		ask, ok := s.Next()
		if !ok {
			return asked, s
		}
		if i > p.BudgetAllocation.Total {
			t.Fatalf("more than the budget is asked: %q", asked)
		}
		line := fmt.Sprintf("%d %s %s", ask.Round, ask.Source, strings.TrimPrefix(ask.Query, p.PrimarySubject+" "))
		if ask.Level.Source != "" {
			line += " @" + ask.Level.Source
		}
		if ask.Changed {
			line += " changed"
		}
		asked = append(asked, line)
		now := steps[min(i, len(steps)-1)]
		s.Fold(Attempt{At: time.Unix(int64(i), 0), Outcome: now.outcome}, now.held)
	}
}

func wantSearch(t *testing.T, s *Search, status string, asked, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, asked); diff != "" || s.Status() != status {
		t.Errorf("ended %s, want %s; asked (-want +got):\n%s", s.Status(), status, diff)
	}
}

func TestASearchAsksEverythingOverItsRounds(t *testing.T) {
	t.Parallel()
	p := planned(t, breakingNews, high, "wl", 10, map[string]any{"information_gaps": []string{"cost", "makers", "safety", "range"}})
	asked, s := follow(t, p, step{outcome: Answered})
	wantSearch(t, s, RoundsSpent, asked, []string{
		"1 web cost @tavily_search", "1 web makers @tavily_search", "1 local_file memory/*solid-state batteries*",
		"2 web safety @tavily_search", "3 web range @tavily_search",
	})
	if diff := cmp.Diff(map[Source]int{Web: 4, LocalFile: 1}, s.Spent()); diff != "" {
		t.Error(diff)
	}
}

func TestASearchStopsByItsRule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task, freshness string
		held            Evidence
	}{
		"news":     {breakingNews, high, Evidence{Confirmations: 3}},
		"deep":     {deepResearch, low, Evidence{HighQuality: 10}},
		"internal": {internalKnowledge, low, Evidence{LocalDocuments: 5}},
		"tech":     {techEvaluation, "medium", Evidence{Reports: 2, BothSides: true}},
		"default":  {breakingNews, low, Evidence{HighConfidence: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := planned(t, c.task, c.freshness, "wlvgc", 12, nil)
			if asked, s := follow(t, p, step{outcome: Answered}, step{Answered, c.held}); s.Status() != ConditionMet || len(asked) != 2 {
				t.Errorf("ended %s after %q", s.Status(), asked)
			}
			if asked, s := follow(t, p, step{outcome: Answered}); len(asked) <= 2 {
				t.Errorf("with nothing held it ended %s after %q", s.Status(), asked)
			}
		})
	}
}

func TestANetworkThatIsLargeEnoughEndsTheGraphAlone(t *testing.T) {
	t.Parallel()
	p := planned(t, entityAnalysis, low, "wg", 6, nil)
	asked, s := follow(t, p, step{Answered, Evidence{Nodes: 5}})
	wantSearch(t, s, NothingLeft, asked, []string{"1 graph 1-hop relations", "1 web solid-state batteries @tavily_search"})
}

func TestDeepEndsWhenEachSourceWasSearchedTwice(t *testing.T) {
	t.Parallel()
	p := planned(t, deepResearch, low, "wv", 8, map[string]any{"information_gaps": []string{"a", "b", "c"}})
	asked, s := follow(t, p, step{outcome: Answered})
	wantSearch(t, s, ConditionMet, asked, []string{"1 vector solid-state batteries", "1 web a @tavily_search", "2 vector a", "2 web b @tavily_search"})
}

func TestAProviderWithoutQuotaIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	p := planned(t, breakingNews, high, "w", 4, map[string]any{"information_gaps": []string{"a", "b"}})
	asked, s := follow(t, p, step{outcome: quotaExhausted}, step{outcome: Answered})
	wantSearch(t, s, RoundsSpent, asked, []string{"1 web a @tavily_search", "1 web a @bailian_web_search", "2 web b @bailian_web_search"})
	if log := s.Log(); len(log) != 1 || log[0].Reason != quotaExhausted || log[0].QueryAffected != "solid-state batteries a" {
		t.Errorf("log %+v", log)
	}
}

func TestFailuresCostAsMuchAsAnswers(t *testing.T) {
	t.Parallel()
	p := planned(t, breakingNews, high, "w", 3, map[string]any{"information_gaps": []string{"a", "b"}})
	asked, s := follow(t, p, step{outcome: "api_error"})
	wantSearch(t, s, BudgetSpent, asked, []string{"1 web a @tavily_search", "1 web a @bailian_web_search", "1 web a @web_search"})
}

func TestPoorResultsAreMetByOneChangeOfStrategy(t *testing.T) {
	t.Parallel()
	p := planned(t, breakingNews, high, "w", 9, map[string]any{"information_gaps": []string{"a", "b", "c"}})
	asked, s := follow(t, p, step{Answered, Evidence{Graded: 10, Poor: 7}})
	wantSearch(t, s, LowQuality, asked, []string{"1 web a @tavily_search", "2 web a @tavily_search changed", "2 web b @tavily_search changed"})
}

func TestGoodResultsMayEndASearch(t *testing.T) {
	t.Parallel()
	s := BeginWith(planned(t, deepResearch, low, "wv", 8, nil), nil, time.Time{})
	if s.Fold(Attempt{Outcome: Answered}, Evidence{Graded: 3, Good: 1}); s.MayStop() {
		t.Error("a third is good, and that is enough")
	}
	if s.Fold(Attempt{Outcome: Answered}, Evidence{Graded: 4, Good: 2}); !s.MayStop() {
		t.Error("half is good, and that is not enough")
	}
}

func TestQueriesWithoutAProviderArePassedOver(t *testing.T) {
	t.Parallel()
	p := planned(t, breakingNews, high, "wl", 10, map[string]any{"available_providers": []string{}, "information_gaps": []string{"a", "b"}})
	asked, s := follow(t, p, step{outcome: quotaExhausted})
	wantSearch(t, s, NothingLeft, asked, []string{"1 web a @local_cache", "1 local_file memory/*solid-state batteries*"})
}

func TestNothingIsSearchedWithoutBudget(t *testing.T) {
	t.Parallel()
	p := planned(t, deepResearch, low, "wv", 0, nil)
	if asked, s := follow(t, p); len(asked) > 0 || s.Status() != ConditionMet {
		t.Errorf("ended %s after %q", s.Status(), asked)
	}
}

func TestWithoutSourcesWhatIsCachedIsAsked(t *testing.T) {
	t.Parallel()
	p := planned(t, deepResearch, low, "", 5, nil)
	asked, s := follow(t, p, step{outcome: Answered})
	wantSearch(t, s, NothingLeft, asked, []string{"1  solid-state batteries @local_cache"})
	asked, s = follow(t, p, step{outcome: "cache_miss"})
	wantSearch(t, s, NothingLeft, asked, []string{"1  solid-state batteries @local_cache"})
	if log := s.Log(); len(log) != 1 || log[0].Reason != "other:cache_miss" || log[0].ToLevel != nil {
		t.Errorf("log %+v", log)
	}
}

// TestSearchesEnd: whatever happens, a search ends within its budget and rounds, asks only sources of
// its plan, and folding the same attempts again gives the same.
func TestSearchesEnd(t *testing.T) {
	t.Parallel()
	r := router(t)
	names := r.providers.names()
	rapid.Check(t, func(t *rapid.T) {
		in := input{
			Task: rapid.SampledFrom(taskTypes).Draw(t, "task"), Goal: "analyze", Freshness: rapid.SampledFrom(freshnesses).Draw(t, "freshness"),
			Budget: rapid.IntRange(0, 30).Draw(t, "budget"), Gaps: []string{"a", "b", "c"}, Subject: "x", Providers: names, Sources: everySource,
		}
		p := r.plan(in)
		one, two := BeginWith(p, nil, time.Time{}), BeginWith(p, nil, time.Time{})
		for made := 0; ; made++ {
			ask, ok := one.Next()
			if same, _ := two.Next(); ask.Query != same.Query || ask.Level.Level != same.Level.Level {
				t.Fatalf("%+v and %+v", ask, same)
			}
			if !ok {
				break
			}
			if made >= in.Budget || ask.Round > p.StopRule.MaxRounds || ask.Query == "" {
				t.Fatalf("attempt %d: %+v", made+1, ask)
			}
			a := attempts().Draw(t, "attempt")
			held := Evidence{Nodes: rapid.IntRange(0, 6).Draw(t, "nodes"), Graded: 10, Poor: rapid.IntRange(0, 10).Draw(t, "poor")}
			one.Fold(a, held)
			two.Fold(a, held)
		}
		for s, n := range one.Spent() {
			if n > p.BudgetAllocation.Of(s) {
				t.Fatalf("%s has spent %d of %d", s, n, p.BudgetAllocation.Of(s))
			}
		}
		if one.Status() == Going || one.Status() != two.Status() || !cmp.Equal(one.Log(), two.Log()) {
			t.Fatalf("ended %s and %s", one.Status(), two.Status())
		}
	})
}
