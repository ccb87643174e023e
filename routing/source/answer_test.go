package source

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnswersAreRead(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Reading{
		``:                               {Outcome: NoResults},
		`null`:                           {Outcome: NoResults},
		`[]`:                             {Outcome: NoResults},
		`"  "`:                           {Outcome: NoResults},
		`{"results":[]}`:                 {Outcome: NoResults},
		`"{\"results\":[]}"`:             {Outcome: NoResults},
		`"a text"`:                       {Outcome: Answered, Results: 1},
		`["a","b"]`:                      {Outcome: Answered, Results: 2},
		`{"answer":"yes"}`:               {Outcome: Answered, Results: 1},
		`{"items":[{"title":"a"}]}`:      {Outcome: Answered, Results: 1},
		`"[{\"title\":\"a\"}]"`:          {Outcome: Answered, Results: 1},
		`{"error":"quota_exhausted"}`:    {Outcome: quotaExhausted},
		`{"error":{"code":"gfw_block"}}`: {Outcome: "gfw_block"},
		`{"error":"something broke"}`:    {Outcome: apiError},
		`{"error":{}}`:                   {Outcome: apiError},
		`{"outcome":"empty_results"}`:    {Outcome: NoResults},
		`{"outcome":"ok"}`:               {Outcome: Answered, Results: 1},
		`"quota_exhausted\n"`:            {Outcome: quotaExhausted},
		`{"error":null,"results":["a"]}`: {Outcome: Answered, Results: 1},
		`{"results":[{"grade":"A","confidence":0.9},{"grade":"c","confidence":"high"},{"grade":"B","kind":"review","stance":"for"}]}`: {
			Outcome: Answered, Results: 3, Adds: Evidence{HighQuality: 1, HighConfidence: 2, Reports: 1, For: true, Graded: 3, Good: 1, Poor: 1},
		},
		`[{"confirms":true,"url":"https://A.example/x"},{"confirms":true,"url":"https://a.example/y"},{"confirms":true,"url":"https://b.example/"}]`: {
			Outcome: Answered, Results: 3, Adds: Evidence{Confirmations: 2},
		},
		`{"results":["a"],"evidence":{"nodes":3,"reports":-4}}`: {Outcome: Answered, Results: 1, Adds: Evidence{Nodes: 3}},
	} {
		got, _ := Read(Web, json.RawMessage(raw), nil)
		got.Places = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
	if got, _ := Read(LocalFile, json.RawMessage(`["a","b"]`), nil); got.Adds.LocalDocuments != 2 {
		t.Errorf("local documents: %+v", got)
	}
	if got, _ := Read(Graph, json.RawMessage(`["a","b"]`), nil); got.Adds.Nodes != 2 {
		t.Errorf("nodes: %+v", got)
	}
}

func TestWhatIsFoundAgainCountsOnce(t *testing.T) {
	t.Parallel()
	const raw = `[{"path":"a.md"},{"path":"b.md"},{"text":"of nowhere"}]`
	first, _ := Read(LocalFile, json.RawMessage(raw), nil)
	held := map[string]bool{}
	for _, at := range first.Places {
		held[at] = true
	}
	again, _ := Read(LocalFile, json.RawMessage(raw), held)
	if first.Adds.LocalDocuments != 3 || again.Adds.LocalDocuments != 1 || again.Results != 3 {
		t.Errorf("first %+v, again %+v", first, again)
	}
}

func TestBothSidesAddUp(t *testing.T) {
	t.Parallel()
	if e := (Evidence{For: true}).Plus(Evidence{Against: true}); !e.BothSides {
		t.Errorf("%+v", e)
	}
}

func TestFailuresAreNamedAsTheChainDoes(t *testing.T) {
	t.Parallel()
	chain := linked(t, router(t).providers.names())
	for _, c := range []struct {
		level int
		f     Failure
		want  string
	}{
		{1, Failure{Class: "timeout"}, timedOut},
		{1, Failure{Class: "lost"}, "lost"},
		{1, Failure{Class: "cancelled"}, Cancelled},
		{1, Failure{Status: 429}, quotaExhausted},
		{2, Failure{Status: 429}, apiError},
		{1, Failure{Status: 503}, "http_503"},
		{2, Failure{Status: 503}, apiError},
		{3, Failure{Exit: 1, Said: "no route\ngfw_blocked\n"}, "gfw_blocked"},
		{3, Failure{Exit: 7, Said: "some words"}, "exit_7"},
		{3, Failure{Code: "http_unreachable"}, "http_unreachable"},
		{3, Failure{Code: "What?"}, "unknown"},
	} {
		if got := chain[c.level-1].Outcome(c.f); got != c.want {
			t.Errorf("level %d, %+v is called %s, want %s", c.level, c.f, got, c.want)
		}
	}
}

// FuzzRead: whatever a provider says is an outcome.
func FuzzRead(f *testing.F) {
	for _, raw := range []string{`null`, `["a",{"grade":"S"}]`, `{"error":{"code":"x"}}`, `{"evidence":{"nodes":1e9},"data":[1]}`, `"{\"a\":1}"`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, results := Read(Web, raw, nil)
		if got.Outcome == "" || got.Results != len(results) || (got.Outcome == Answered) != (len(results) > 0) {
			t.Fatalf("%s is read as %+v with %d results", raw, got, len(results))
		}
	})
}
