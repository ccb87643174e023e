package web

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// valid says whether a schema takes a file in YAML or JSON.
func valid(t *testing.T, schema, file []byte) bool {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s", document); err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(file, &v); err != nil {
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
	return c.MustCompile("s").Validate(value) == nil
}

// TestFilesAndTheirSchemasAgree: what is read is what the schema takes, and what is refused it refuses.
func TestFilesAndTheirSchemasAgree(t *testing.T) {
	t.Parallel()
	readAdapters := func(file []byte) error { _, err := ReadAdapters(file); return err }
	readFallbacks := func(file []byte) error { _, err := ReadFallbacks(file); return err }
	readTools := func(file []byte) error { _, err := ReadTools(file); return err }
	for _, kind := range []struct {
		name   string
		read   func([]byte) error
		schema []byte
		good   []string
		bad    []string
	}{
		{"adapters", readAdapters, AdaptersSchema(), []string{
			string(adaptersFile), "adapters: [{capability: discover, equals: [x]}]",
		}, []string{
			"adapters: []", "adapters: [{capability: fly, equals: [x]}]", "adapters: [{capability: discover}]", "adapters: [{capability: discover, equals: [X]}]",
			"adapters: [{capability: discover, equals: ['']}]", "adapters: [{capability: discover, equal: [x]}]",
			"adapters: [{capability: discover, equals: [x]}]\ndefaults: [{name: a, scope: all}]",
		}},
		{"fallbacks", readFallbacks, FallbacksSchema(), []string{
			string(fallbacksFile), "[]", `[{"id":"a","category":"home","url_template":"https://a.example/","official_domains":["a.example"]}]`,
		}, []string{
			`{}`, `[{"id":"a","category":"map","url_template":"https://a.example/","official_domains":["a.example"]}]`,
			`[{"id":"a","category":"home","url_template":"http://a.example/","official_domains":["a.example"]}]`,
			`[{"id":"a","category":"home","url_template":"https://a.example/","official_domains":["example"]}]`,
			`[{"id":"a","category":"home","url_template":"https://a.example/","official_domains":[]}]`,
			`[{"id":"a","category":"home","url":"https://a.example/","official_domains":["a.example"]}]`,
		}},
		{"tools", readTools, ToolsSchema(), []string{
			"{}", "tools: [{name: s, capability: discover, exec: [./s, '{target}']}]\ntimeout: 2s\nmax_parallel: 2\nno_web_fetch: true",
			"tools: [{name: gh, supports: [[github, search]], mcp: {server: gh, tool: find, arguments: {q: '{query}'}}}]",
		}, []string{
			"tools: [{name: s}]", "tools: [{name: s, exec: []}]", "tools: [{exec: [x]}]", "tools: [{name: s, exec: [x], http: {url: y}}]",
			"tools: [{name: s, exec: [x], capability: fly}]", "tools: [{name: s, exec: [x], supports: [[a]]}]", "tools: [{name: s, exec: [x], structured: 4}]",
			"timeout: soon", "max_parallel: -1", "tool: []",
		}},
	} {
		for _, file := range kind.good {
			if err := kind.read([]byte(file)); err != nil || !valid(t, kind.schema, []byte(file)) {
				t.Errorf("%s: %q is refused: %v", kind.name, file, err)
			}
		}
		for _, file := range kind.bad {
			if kind.read([]byte(file)) == nil || valid(t, kind.schema, []byte(file)) {
				t.Errorf("%s: %q is taken", kind.name, file)
			}
		}
	}
}

func TestTheBuiltInRetrieveIsThere(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]int{
		"{}":                 1,
		"no_web_fetch: true": 0,
		"tools: [{name: web_fetch, capability: retrieve, exec: [x]}]": 1,
		"tools: [{name: s, capability: discover, exec: [x]}]":         2,
	} {
		tools, err := ReadTools([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if h := tools.Host(nil); len(h.Tools) != want || h.MaxParallel != maxParallel {
			t.Errorf("%s: %+v", file, h)
		}
	}
}
