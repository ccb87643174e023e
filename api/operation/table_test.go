package operation_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/batonflow/baton/api/operation"
)

// TestTheTableIsWhole holds each line against what the doors rely on.
func TestTheTableIsWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	once := func(kind, name, of string) {
		if name == "" {
			return
		}
		if other, twice := seen[kind+name]; twice {
			t.Errorf("%s %q is that of %s and of %s", kind, name, other, of)
		}
		seen[kind+name] = of
	}
	mux := http.NewServeMux()
	for _, o := range operation.Table() {
		once("name", o.Name, o.Name)
		once("tool", o.Tool, o.Name)
		once("route", o.Route, o.Name)
		if o.Summary == "" || o.Command == "" || o.Tool == "" && o.Route == "" {
			t.Errorf("%s has no summary, command or door: %+v", o.Name, o)
		}
		if o.Tool != "" && !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(o.Tool) {
			t.Errorf("tool %q is no short name", o.Tool)
		}
		if o.Route != "" && !strings.HasPrefix(o.Path(), "/v1/") {
			t.Errorf("route %q is of no version", o.Route)
		}
		mux.HandleFunc(o.Route, func(http.ResponseWriter, *http.Request) {}) // panics where two could be meant
	}
}

func TestSchemasAreValidAndExamplesPass(t *testing.T) {
	t.Parallel()
	for _, o := range operation.Table() {
		in, err := o.Input()
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		if in.Type != "object" {
			t.Errorf("the input of %s is a %q, not an object", o.Name, in.Type)
		}
		for name, field := range in.Properties {
			if field.Description == "" && o.Name != "web.route" && o.Name != "task.route" {
				t.Errorf("field %s of %s says nothing of itself", name, o.Name)
			}
		}
		for _, part := range pathParts(o.Path()) {
			if in.Properties[part] == nil {
				t.Errorf("the route of %s names %s, which its input does not have", o.Name, part)
			}
		}
		checked, err := in.Resolve(nil)
		if err != nil {
			t.Errorf("input of %s: %v", o.Name, err)
			continue
		}
		passes(t, o, checked)
		out, err := o.Output()
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		if _, err := out.Resolve(nil); err != nil {
			t.Errorf("output of %s: %v", o.Name, err)
		}
	}
}

func passes(t *testing.T, o operation.Operation, schema *jsonschema.Resolved) {
	t.Helper()
	raw, err := o.Example()
	if err != nil {
		t.Errorf("example of %s: %v", o.Name, err)
		return
	}
	var example any
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&example); err != nil {
		t.Errorf("example of %s: %v", o.Name, err)
		return
	}
	if err := schema.Validate(example); err != nil {
		t.Errorf("example of %s does not pass: %s: %v", o.Name, raw, err)
	}
	if err := schema.Validate(map[string]any{"no such field": true}); err == nil {
		t.Errorf("%s takes a field that there is not", o.Name)
	}
}

// pathParts are the names in braces of a path.
func pathParts(path string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`\{([^}]+)\}`).FindAllStringSubmatch(path, -1) {
		out = append(out, m[1])
	}
	return out
}
