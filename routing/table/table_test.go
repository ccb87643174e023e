package table_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/routing/table"
)

const schema = `{
	"type": "object",
	"additionalProperties": false,
	"properties": {
		"limits": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
		"rules": {"type": "array", "items": {
			"type": "object", "additionalProperties": false, "required": ["name"],
			"properties": {"name": {"type": "string"}, "words": {"type": "array", "items": {"type": "string"}}}
		}}
	}
}`

type rules struct {
	Limits map[string]int `yaml:"limits"`
	Rules  []struct {
		Name  string   `yaml:"name"`
		Words []string `yaml:"words"`
	} `yaml:"rules"`
}

func compiled(t testing.TB) *table.Schema {
	t.Helper()
	s, err := table.Compile([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadTakesWhatTheSchemaAllows(t *testing.T) {
	t.Parallel()
	got, err := table.Read[rules]([]byte("limits: {gpu: 3}\nrules:\n  - name: a\n    words: [x, y]\n"), compiled(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.Limits["gpu"] != 3 || len(got.Rules) != 1 || len(got.Rules[0].Words) != 2 {
		t.Errorf("read %+v", got)
	}
	if empty, err := table.Read[rules](nil, compiled(t)); err != nil || empty.Rules != nil {
		t.Errorf("an empty text gives %+v, %v", empty, err)
	}
}

func TestEveryFaultIsNamedWithItsLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a mistyped key", "limit: {gpu: 3}\n", []string{`line 1 limit: unknown key "limit"; did you mean "limits"?`}},
		{"a key deep inside", "rules:\n  - name: a\n    word: [x]\n", []string{`line 3 rules.0.word: unknown key "word"; did you mean "words"?`}},
		{"a far one", "colour: red\n", []string{`line 1 colour: unknown key "colour"; known are limits, rules`}},
		{"two at once", "limits:\n  gpu: 0\nrules:\n  - words: 7\n", []string{
			"line 2 limits.gpu: minimum: got 0, want 1",
			`line 4 rules.0: missing property 'name'`,
			"line 4 rules.0.words: got number, want array",
		}},
		{"no mapping", "[1]\n", []string{"line 1: got array, want object"}},
		{"no YAML", "a: [\n", []string{"line 1: did not find expected node content"}},
		{"an alias", "limits: &a {x: 1}\nrules: *a\n", []string{"line 2: aliases are not taken"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := table.Read[rules]([]byte(tt.text), compiled(t))
			if err == nil {
				t.Fatalf("%q was taken", tt.text)
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASchemaRefersToNothingOutside(t *testing.T) {
	t.Parallel()
	if _, err := table.Compile([]byte(`{"$ref": "https://example.com/schema.json"}`)); err == nil {
		t.Error("a schema from elsewhere was loaded")
	}
}

func FuzzTree(f *testing.F) {
	f.Add("limits: {gpu: 3}")
	f.Add("rules:\n  - name: !!binary aGk=\n")
	f.Add("? [a, b]\n: c\n")
	s := compiled(f)
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := s.Tree([]byte(text))
		if err == nil && tree == nil {
			t.Error("neither a tree nor a fault")
		}
	})
}
