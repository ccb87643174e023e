package source

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestLawsHoldEverywhere takes every type of task, goal, freshness and set of sources, with opposing
// views asked for and not, at sixteen budgets: 61,440 plans.
func TestLawsHoldEverywhere(t *testing.T) {
	t.Parallel()
	r := router(t)
	poor := map[int]int{} // plans by budget in which counter has less than its share
	for i := range 5 * 4 * 3 * 32 * 2 * 16 {
		n := i
		digit := func(base int) int { d := n % base; n /= base; return d }
		in := input{
			Task: taskTypes[digit(5)], Goal: goalModes[digit(4)], Freshness: freshnesses[digit(3)],
			WantCounter: digit(2) == 1, Budget: digit(16), Subject: "x", Providers: r.providers.names(),
		}
		for _, s := range everySource {
			if digit(2) == 1 {
				in.Sources = append(in.Sources, s)
			}
		}
		p := r.plan(in)
		if broken := law(in, p); broken != "" {
			t.Fatalf("%s\n%+v\n%+v", broken, in, p)
		}
		if a := p.BudgetAllocation; len(p.SearchOrder) > 1 && p.CounterEnabled && 100*a.Counter < counterLeast*a.Total {
			poor[a.Total]++
		}
	}
	// Only where a cap of one search or the web's floor leaves no room.
	if diff := cmp.Diff(map[int]int{7: 1664, 8: 164}, poor); diff != "" {
		t.Errorf("counter below its share, by budget (-want +got):\n%s", diff)
	}
}

// law says which promise a plan breaks; "" is none.
func law(in input, p Plan) string {
	for _, check := range []func(input, Plan) string{lawOfSums, lawOfShares, lawOfCounter, lawOfMembers, lawOfEnds} {
		if broken := check(in, p); broken != "" {
			return broken
		}
	}
	return ""
}

func lawOfSums(in input, p Plan) string {
	a, sum := p.BudgetAllocation, 0
	for _, s := range everySource {
		sum += a.Of(s)
		if (a.Of(s) > 0) != slices.Contains(p.SearchOrder, s) {
			return "a source has searches and is not selected, or the other way round"
		}
	}
	if a.Total != in.Budget || sum != a.Total && len(p.SearchOrder) > 0 {
		return fmt.Sprintf("shares add up to %d of %d", sum, in.Budget)
	}
	return ""
}

func lawOfShares(in input, p Plan) string {
	a := p.BudgetAllocation
	below := slices.Contains(p.Diagnostics.Warnings, "web_share_below_70")
	switch {
	case in.Freshness == high && a.Web > 0 && 10*a.Web < 7*a.Total && !below:
		return "the web has less than 70 percent, and nothing is said of it"
	case below && (!in.WantCounter || a.Total != 2 && a.Total != 3):
		return "the web's share is given up without need"
	case in.Freshness == high && slices.Contains(in.Sources, Web) && in.Budget > 0 && (len(p.SearchOrder) == 0 || p.SearchOrder[0] != Web):
		return "what must be new is not searched on the web first"
	case a.Counter > 1 && 4*a.Counter > a.Total && len(p.SearchOrder) > 1:
		return "counter has more than a quarter"
	case tight(a.Total) && len(slices.DeleteFunc(slices.Clone(p.SearchOrder), func(s Source) bool { return s == Counter })) > 2:
		return "a tight budget is shared among more than two"
	}
	return ""
}

func lawOfCounter(in input, p Plan) string {
	on := slices.Contains(p.SearchOrder, Counter)
	switch d := p.Diagnostics; {
	case on != p.CounterEnabled || on != (p.CounterTrigger != nil) || on == (d.CounterSkip != nil):
		return "counter is on and has no trigger, or off and has no reason"
	case on && p.SearchOrder[0] == Counter && (len(p.SearchOrder) > 1 || !in.WantCounter):
		return "counter stands first"
	case !on && in.WantCounter && slices.Contains(in.Sources, Counter) && in.Budget > 2:
		return "counter was asked for and is off: " + *d.CounterSkip
	case on && !in.WantCounter && in.Budget <= tinyBudget:
		return "a tiny budget is spent on counter that nobody asked for"
	}
	return ""
}

func lawOfMembers(in input, p Plan) string {
	if len(p.SelectedSources) != len(p.SearchOrder) {
		return "order and selection differ"
	}
	for i, s := range p.SelectedSources {
		n := p.BudgetAllocation.Of(s.Source)
		switch {
		case !slices.Contains(in.Sources, s.Source):
			return string(s.Source) + " is not available"
		case s.Source != p.SearchOrder[i] || s.Priority != i+1:
			return "order and selection differ"
		case len(s.SearchHints) < 1 || len(s.SearchHints) > min(5, n):
			return fmt.Sprintf("%d hints for %d searches", len(s.SearchHints), n)
		case strings.HasSuffix(s.Rationale, ":") || !strings.HasPrefix(s.Rationale, "R"):
			return "rationale " + s.Rationale
		}
	}
	return ""
}

func lawOfEnds(in input, p Plan) string {
	rounds := p.StopRule.MaxRounds
	if rounds > in.Budget || tight(in.Budget) && rounds > tightRounds || (rounds == 0) != (in.Budget == 0) {
		return fmt.Sprintf("%d rounds with a budget of %d", rounds, in.Budget)
	}
	for i, l := range p.FallbackChain {
		last := i == len(p.FallbackChain)-1
		if l.Level != i+1 || (l.FallbackTo == nil) != last || (l.TriggerFallback == nil) != last || !last && *l.FallbackTo != i+2 {
			return "the chain is not linked"
		}
	}
	if (len(p.FallbackChain) == 0) != (in.Budget == 0) || (p.Diagnostics.ActiveProvider == nil) != (in.Budget == 0) {
		return "there is a chain without a budget, or none with one"
	}
	return ""
}

// documents are descriptions with every field, most of them left out at times.
func documents(providers []string) *rapid.Generator[map[string]any] {
	texts := rapid.SampledFrom([]string{"", " 供应链 ", "cost", "latest release", "concurrent writers", "上下游", "Network <a&b>", "\u2028", "当前负责人"})
	hosts := rapid.SampledFrom([]string{"example.org", "Example.ORG", "例子.中国"})
	return rapid.Custom(func(t *rapid.T) map[string]any {
		doc := map[string]any{
			"task_type":             rapid.SampledFrom(taskTypes).Draw(t, "task"),
			"primary_subject":       "固态电池" + texts.Draw(t, "subject"),
			"goal_mode":             rapid.SampledFrom(goalModes).Draw(t, "goal"),
			"freshness_required":    rapid.SampledFrom(freshnesses).Draw(t, "freshness"),
			"available_sources":     rapid.SliceOfN(rapid.SampledFrom(sources), 0, 7).Draw(t, "sources"),
			"need_counter_evidence": rapid.Bool().Draw(t, "counter"),
		}
		may := func(name string, value func() any) {
			if rapid.Bool().Draw(t, "with "+name) {
				doc[name] = value()
			}
		}
		may("information_gaps", func() any { return rapid.SliceOfN(texts, 0, 4).Draw(t, "gaps") })
		may("budget_limit", func() any { return rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, mostBudget)).Draw(t, "budget") })
		may("preferred_domains", func() any { return rapid.SliceOfN(hosts, 0, 3).Draw(t, "domains") })
		may("available_providers", func() any { return rapid.SliceOfN(rapid.SampledFrom(providers), 0, 5).Draw(t, "providers") })
		may("local_material", func() any {
			return map[string]int{"vector": rapid.IntRange(0, 2).Draw(t, "vector"), "local_file": rapid.IntRange(0, 2).Draw(t, "file")}
		})
		may("retrieval_only", func() any { return rapid.Bool().Draw(t, "retrieval") })
		return doc
	})
}

// TestLawsHoldForDocuments plans some tens of thousands of whole descriptions: the laws hold, and the
// same description, its fields in any order, has the same plan to the byte.
func TestLawsHoldForDocuments(t *testing.T) {
	t.Parallel()
	r := router(t)
	batch := 600
	if testing.Short() {
		batch = 20
	}
	rapid.Check(t, func(t *rapid.T) {
		for i, doc := range rapid.SliceOfN(documents(r.providers.names()), batch, batch).Draw(t, "documents") {
			raw, err := json.Marshal(doc) // in the order of the names
			if err != nil {
				t.Fatal(err)
			}
			in, faults := read(raw, r.providers)
			if faults != nil {
				t.Fatalf("%s: %v", raw, faults)
			}
			if p := r.plan(in); law(in, p) != "" {
				t.Fatalf("%s: %s: %+v", raw, law(in, p), p)
			}
			if i%10 == 0 {
				samePlan(t, r, raw, backwards(t, doc))
			}
		}
	})
}

func samePlan(t *rapid.T, r Router, raw, other []byte) {
	p, _ := r.Plan(raw)
	again, _ := r.Plan(other)
	one, _ := json.Marshal(p)
	two, _ := json.Marshal(again)
	if string(one) != string(two) {
		t.Fatalf("%s is planned as\n%s\nand %s as\n%s", raw, one, other, two)
	}
}

// backwards is a document with its fields in reverse order.
func backwards(t *rapid.T, doc map[string]any) []byte {
	names := make([]string, 0, len(doc))
	for name := range doc {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.Reverse(names)
	var members []string
	for _, name := range names {
		value, err := json.Marshal(doc[name])
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, fmt.Sprintf("%q: %s", name, value))
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

func TestWeightsAddUp(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]map[string]shares{"medium": weightsMedium, low: weightsLow} {
		for _, task := range taskTypes {
			sum := 0
			for _, w := range table[task] {
				sum += w
			}
			if sum != 100 {
				t.Errorf("%s at %s: the weights add up to %d", task, name, sum)
			}
			most, least := 50, 30
			if name == low {
				most, least = 30, 10
			}
			if task == internalKnowledge {
				most, least = 10, 10
			}
			if w := table[task][Web]; w < least || w > most {
				t.Errorf("%s at %s: the web has %d, not %d to %d", task, name, w, least, most)
			}
		}
	}
}
