package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/schema"
)

// compiled gives the schema in one version, ready to validate.
func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func document(t *testing.T, text []byte) any {
	t.Helper()
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGoldensAreValid holds what was stored, by any release, against the schema of its version.
func TestGoldensAreValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			payload, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := compiled(t, filepath.Base(path))
			if err := s.Validate(document(t, payload)); err != nil {
				t.Error(err)
			}
			extra := append([]byte(`{"no_such_field":1,`), payload[1:]...)
			if err := s.Validate(document(t, extra)); err == nil {
				t.Error("a field that the version does not have is taken")
			}
		})
	}
}

// TestEmptyFactsAreValid: what Go writes for a fact with nothing in it is of the same shape.
func TestEmptyFactsAreValid(t *testing.T) {
	t.Parallel()
	for _, e := range events.Catalogue {
		payload, err := events.Marshal(e.Zero())
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled(t, schema.Name(e.Type, e.V)).Validate(document(t, payload)); err != nil {
			t.Errorf("%s %s: %v", e.Type, payload, err)
		}
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	var want []string
	for _, e := range events.Catalogue {
		want = append(want, e.Type)
		text, ok := schema.For(e.Type)
		if !ok {
			t.Fatalf("there is no schema of %s", e.Type)
		}
		var head struct {
			ID    string `json:"$id"`
			Title string `json:"title"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			t.Fatal(err)
		}
		if head.Title != e.Type || !strings.HasPrefix(head.ID, "urn:baton:event:"+e.Type+":v") {
			t.Errorf("the schema of %s says it is %+v", e.Type, head)
		}
	}
	slices.Sort(want)
	if got := schema.Types(); !slices.Equal(got, want) {
		t.Errorf("Types gives %v, want %v", got, want)
	}
	for _, stored := range []string{"", "call", "call.imagined", "../schema", "call.opened.v1"} {
		if _, ok := schema.For(stored); ok {
			t.Errorf("For(%q) finds something", stored)
		}
	}
	if _, ok := schema.Version("call.opened", 99); ok {
		t.Error("there is a schema of call.opened v99")
	}
}
