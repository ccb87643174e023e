package source

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// planned plans a task that is described by what differs from a plain one. The words of a set of
// sources are w(eb), l(ocal_file), v(ector), g(raph), c(ounter).
func planned(t testing.TB, task, freshness, available string, budget int, more map[string]any) Plan {
	t.Helper()
	doc := map[string]any{
		"task_type": task, "primary_subject": "solid-state batteries", "goal_mode": "analyze", "freshness_required": freshness,
		"need_counter_evidence": false, "budget_limit": budget,
	}
	list := []string{}
	for _, s := range sources {
		if strings.Contains(available, s[:1]) {
			list = append(list, s)
		}
	}
	doc["available_sources"] = list
	maps.Copy(doc, more)
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	p, faults := router(t).Plan(raw)
	if faults != nil {
		t.Fatal(faults)
	}
	return p
}

// brief is a plan in a line: the sources in order with their searches, then what is worth saying.
func brief(p Plan) string {
	var out []string
	for _, s := range p.SearchOrder {
		out = append(out, fmt.Sprintf("%s %d", s, p.BudgetAllocation.Of(s)))
	}
	line := strings.Join(out, ", ")
	if skip := p.Diagnostics.CounterSkip; skip != nil {
		line += " | " + *skip
	}
	for _, w := range p.Diagnostics.Warnings {
		line += " | " + w
	}
	for _, r := range p.Diagnostics.Rules[2:] {
		line += " | " + r
	}
	return line
}

func TestRules(t *testing.T) {
	t.Parallel()
	type more = map[string]any
	wanted := more{"need_counter_evidence": true}
	for _, c := range []struct {
		name, task, freshness, available string
		budget                           int
		more                             more
		want                             string
	}{
		{"two searches that must be new, one of them against", breakingNews, high, "wlvgc", 2, wanted, "web 1, counter 1 | web_share_below_70 | source_dropped_budget:local_file | tight"},
		{"one search, however much is asked", breakingNews, high, "wc", 1, wanted, "web 1 | dropped_budget | source_dropped_budget:counter | tight"},
		{"the floor of the web takes the last search of the background", breakingNews, high, "wlc", 6, nil, "web 5, counter 1 | source_dropped_budget:local_file"},
		{"nobody else to search", internalKnowledge, high, "w", 10, nil, "web 10 | counter_unavailable | source_unavailable:vector | source_unavailable:local_file"},
		{"opposing views alone, asked for", deepResearch, "medium", "c", 4, wanted, "counter 4 | source_unavailable:vector | source_unavailable:web | source_unavailable:graph | tight"},
		{"opposing views alone, only recommended", entityAnalysis, "medium", "c", 4, nil, " | no_trigger | source_unavailable:graph | source_unavailable:web | source_unavailable:vector | counter_alone"},
		{"opposing views alone, triggered", breakingNews, high, "c", 4, nil, " | counter_alone | source_unavailable:web | counter_alone"},
		{"no trigger", entityAnalysis, low, "wgvc", 10, nil, "graph 6, vector 2, web 2 | no_trigger"},
		{"comparing needs the other side", entityAnalysis, low, "wgvc", 10, more{"goal_mode": "compare"}, "graph 3, vector 3, web 2, counter 2"},
		{"known documents first", techEvaluation, "medium", "wlv", 10, more{"local_material": more{"local_file": 3}}, "local_file 4, web 4, vector 2 | counter_unavailable | R3:local_first"},
		{"known documents stay behind when it must be new", techEvaluation, high, "wlv", 10, more{"local_material": more{"vector": 3}}, "web 8, vector 1, local_file 1 | counter_unavailable | R3:kept_as_background"},
		{"the web's part is split when it is missing", techEvaluation, "medium", "lv", 10, nil, "vector 7, local_file 3 | counter_unavailable | source_unavailable:web"},
		{"the graph hands over to the vector store", entityAnalysis, low, "wv", 10, nil, "vector 8, web 2 | counter_unavailable | source_unavailable:graph"},
		{"a stand-in that was not in the plan", entityAnalysis, low, "wl", 10, nil, "web 8, local_file 2 | counter_unavailable | source_unavailable:graph | source_unavailable:vector"},
		{"investigating inside with nothing known goes outside", internalKnowledge, low, "wlv", 10, more{"goal_mode": investigate}, "vector 5, local_file 4, web 1 | counter_unavailable | counter_unavailable"},
		{"investigating inside with something known does not", internalKnowledge, low, "wlv", 10, more{"goal_mode": investigate, "local_material": more{"vector": 1}}, "vector 6, local_file 4 | counter_unavailable | counter_unavailable | R3:local_first"},
		{"no relations on a tight budget", techEvaluation, low, "wvg", 5, more{"information_gaps": []string{"stakeholder map"}}, "vector 4, web 1 | counter_unavailable | tight"},
		{"relations where there is budget", techEvaluation, low, "wvg", 6, more{"information_gaps": []string{"Stakeholder map"}}, "vector 3, web 2, graph 1 | counter_unavailable | graph_hint"},
		{"a word within a word is none", internalKnowledge, low, "wlv", 10, more{"information_gaps": []string{"concurrent writers"}}, "vector 6, local_file 4 | counter_unavailable"},
		{"a budget of nothing", breakingNews, high, "", 0, wanted, " | budget_zero | budget_zero"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := brief(planned(t, c.task, c.freshness, c.available, c.budget, c.more)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestHintsForTheWeb(t *testing.T) {
	t.Parallel()
	p := planned(t, breakingNews, high, "w", 10, map[string]any{"primary_subject": "固态电池", "preferred_domains": []string{"Example.org"}})
	if diff := cmp.Diff([]string{"固态电池 最新", "固态电池 site:example.org"}, p.SelectedSources[0].SearchHints); diff != "" {
		t.Error(diff)
	}
	p = planned(t, breakingNews, high, "w", 10, map[string]any{"information_gaps": []string{"a", "b", "c", "d", "e", "f"}})
	if got := p.SelectedSources[0].SearchHints; len(got) != mostHints || got[4] != "solid-state batteries e" {
		t.Errorf("got %q", got)
	}
}

func TestKnownMaterialIsARationale(t *testing.T) {
	t.Parallel()
	p := planned(t, deepResearch, "medium", "wlv", 10, map[string]any{"local_material": map[string]int{"local_file": 1}})
	want := []string{"R1:medium; supplement; R3:known_material", "R1:medium; R2:deep_research", "R1:medium; R2:deep_research"}
	for i, s := range p.SelectedSources {
		if s.Rationale != want[i] {
			t.Errorf("%s: %s, want %s", s.Source, s.Rationale, want[i])
		}
	}
}
