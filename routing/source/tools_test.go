package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const goodTools = `timeout: 5s
providers:
  tavily_search: {http: {method: POST, url: "https://s.example/?q={query}", headers: {Authorization: "Bearer ${env:KEY}"}, body: {query: "{query}", n: 3}}}
  web_search: {exec: [./search.sh, "{query}"], timeout: 1s}
  vector: {mcp: {server: shelf, tool: find, arguments: {text: "{query}"}}}
local_file: {folders: [notes]}
`

func TestToolsAreRead(t *testing.T) {
	t.Parallel()
	tools, err := ReadTools([]byte(goodTools))
	if err != nil {
		t.Fatal(err)
	}
	tools = tools.From("/home/ada")
	for provider, want := range map[string]string{
		"tavily_search": `{"http":{"body":{"n":3,"query":"a&b {x}"},"headers":{"Authorization":"Bearer ${env:KEY}"},"method":"POST","url":"https://s.example/?q=a%26b%20%7Bx%7D"}}`,
		"web_search":    `{"exec":["/home/ada/search.sh","a&b {x}"]}`,
		"vector":        `{"mcp":{"arguments":{"text":"a&b {x}"},"server":"shelf","tool":"find"}}`,
		"local_file":    `{"local_file":{"folders":["notes"],"query":"a&b {x}","subject":"s"}}`,
		"local_cache":   `{"local_cache":{"query":"a&b {x}","subject":"s"}}`,
	} {
		got, err := tools.Execute(Ask{Query: "a&b {x}", Level: Level{Source: provider}}, "s")
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s (%v)", provider, got, want, err)
		}
	}
	if a, b := tools.Within("web_search"), tools.Within("tavily_search"); a != time.Second || b != 5*time.Second {
		t.Errorf("waits %s and %s", a, b)
	}
	if d := (Tools{}).Within("x"); d != AnswerWithin {
		t.Errorf("waits %s", d)
	}
}

// TestToolsAndTheirSchemaAgree: what is refused here is refused by the schema, and the other way round.
func TestToolsAndTheirSchemaAgree(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(ToolsSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("tools", document); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("tools")
	for text, good := range map[string]bool{
		goodTools:                     true,
		"{}":                          true,
		"providers: {a: {exec: [x]}}": true,
		"providers: {a: {}}":          false,
		"providers: {a: {exec: []}}":  false,
		"providers: {a: {exec: [1]}}": false,
		"providers: {a: {exec: [x], mcp: {tool: y}}}": false,
		"providers: {A: {exec: [x]}}":                 false,
		"providers: {local_file: {exec: [x]}}":        false,
		"timeout: soon":                               false,
		"provider: {}":                                false,
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		_, read := ReadTools([]byte(text))
		if read != nil && !errors.Is(read, ErrTools) {
			t.Errorf("%s: %v is no ErrTools", text, read)
		}
		if by := schema.Validate(value); (read == nil) != good || (by == nil) != good {
			t.Errorf("%q: read %v, schema %v, want good %v", text, read, by, good)
		}
	}
	if _, err := ReadTools([]byte("timeout: 31s")); err == nil {
		t.Error("more than 30 s are taken")
	}
}

func TestPlansAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, sources := range []string{"wlvgc", "w", ""} {
		p := planned(t, deepResearch, low, sources, 12, nil)
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPlan(raw); err != nil || !IsPlan(raw) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	good, err := json.Marshal(planned(t, breakingNews, high, "wl", 10, nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"too little budget":   {`"total_budget":10`, `"total_budget":3`},
		"a negative share":    {`"local_file":`, `"local_file":-`},
		"an unknown source":   {`"search_order":["web"`, `"search_order":["blog"`},
		"a gap in the chain":  {`"fallback_to":3`, `"fallback_to":4`},
		"levels out of order": {`"level":2`, `"level":3`},
		"nothing to ask":      {`"search_hints":["`, `"search_hints":["","`},
		"an unknown field":    {`"task_id"`, `"task"`},
	} {
		bad := strings.Replace(string(good), change[0], change[1], 1)
		if _, err := ReadPlan([]byte(bad)); !errors.Is(err, ErrPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzReadPlan: a plan that is taken can be gone through to its end, whatever comes.
func FuzzReadPlan(f *testing.F) {
	for _, sources := range []string{"wlvgc", "w", ""} {
		raw, err := json.Marshal(planned(f, deepResearch, low, sources, 12, nil))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ReadPlan(raw)
		if err != nil {
			return
		}
		s := BeginWith(p, []string{"tavily_search"}, time.Time{})
		for made := 0; ; made++ {
			if _, ok := s.Next(); !ok {
				break
			}
			if made > p.BudgetAllocation.Total {
				t.Fatal("it does not end")
			}
			s.Fold(Attempt{Outcome: apiError}, Evidence{})
		}
		if s.Status() == Going {
			t.Fatal("it is over and goes on")
		}
	})
}
