package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ProvidersSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("providers.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("providers.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate checks a table in YAML against the schema.
func validate(t *testing.T, s *jsonschema.Schema, file []byte) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(file, &v); err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestTheTableOfTheBinaryIsValid(t *testing.T) {
	t.Parallel()
	if err := validate(t, schema(t), providersFile); err != nil {
		t.Error(err)
	}
	table, err := ReadProviders(providersFile)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tavily_search", "bailian_web_search", "web_search", "web_fetch_direct", "local_cache"}
	if diff := cmp.Diff(want, table.names()); diff != "" || table[0].MonthlyQuota != 1000 {
		t.Errorf("the table (-want +got), quota %d:\n%s", table[0].MonthlyQuota, diff)
	}
}

func TestBrokenTables(t *testing.T) {
	t.Parallel()
	const last = ", {name: cache, always: true}]"
	s := schema(t)
	for file, bySchema := range map[string]bool{ // false: the schema has no words for it
		"":                                      true,
		"providers: []":                         true,
		"provider: []":                          true,
		"providers: [{name: a, falls_on: [x]}]": true,
		"providers: [{name: a}" + last:          true,
		"providers: [{name: A, falls_on: [x]}" + last:                           true,
		"providers: [{name: a, falls_on: [x y]}" + last:                         true,
		"providers: [{name: a, falls_on: [x, x]}" + last:                        true,
		"providers: [{name: a, falls_on: [x, all_failed]}" + last:               true,
		"providers: [{name: a, falls_on: [x], monthly_quota: -1}" + last:        true,
		"providers: [{name: a, falls_on: [x], retries: 1}" + last:               true,
		"providers: [{name: a, always: true}" + last:                            true,
		"providers: [{name: cache, always: true, falls_on: [x]}]":               true,
		"providers: [{name: cache, always: true}, {name: a, falls_on: [x]}]":    false,
		"providers: [{name: a, falls_on: [x]}, {name: a, falls_on: [x]}" + last: false,
	} {
		if _, err := ReadProviders([]byte(file)); !errors.Is(err, ErrProviders) {
			t.Errorf("%q: error %v, want ErrProviders", file, err)
		}
		if err := validate(t, s, []byte(file)); (err != nil) != bySchema {
			t.Errorf("%q: the schema says %v", file, err)
		}
	}
}

// TestAnotherTable: a user's table gives the names that are taken and the chain.
func TestAnotherTable(t *testing.T) {
	t.Parallel()
	table, err := ReadProviders([]byte("providers: [{name: searx, falls_on: [http_429, empty_results]}, {name: archive, always: true}]"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(table)
	if err != nil {
		t.Fatal(err)
	}
	task := `{"task_type":"deep_research","primary_subject":"x","goal_mode":"analyze","freshness_required":"low","available_sources":["web"],"need_counter_evidence":false,"available_providers":["`
	p, faults := r.Plan([]byte(task + `searx"]}`))
	if faults != nil {
		t.Fatal(faults)
	}
	next, reasons := 2, "http_429 | empty_results"
	want := []Level{{Level: 1, Source: "searx", TriggerFallback: &reasons, FallbackTo: &next}, {Level: 2, Source: "archive"}}
	if diff := cmp.Diff(want, p.FallbackChain); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
	if _, faults := r.Plan([]byte(task + `tavily_search"]}`)); len(faults) != 1 || faults[0].Code != notListed {
		t.Errorf("a provider of another table: %v", faults)
	}
	if _, err := New(Providers{}); err == nil {
		t.Error("an empty table is taken")
	}
}

func FuzzReadProviders(f *testing.F) {
	f.Add(providersFile)
	f.Add([]byte("providers: [{name: a, falls_on: &x [y]}, {name: b, falls_on: *x}, {name: c, always: yes}]"))
	f.Fuzz(func(t *testing.T, file []byte) {
		table, err := ReadProviders(file)
		if err != nil {
			return
		}
		if err := table.check(); err != nil {
			t.Fatalf("read and not valid: %v", err)
		}
	})
}
