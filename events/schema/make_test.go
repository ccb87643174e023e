package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/events/schema"
)

var update = flag.Bool("update", false, "rewrite the schemas and docs/EVENTS.md from the types")

// makeSchema makes the schema of a fact from its Go type and the comments in its source.
func makeSchema(t *testing.T, e events.Entry, comments map[string]string) []byte {
	t.Helper()
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, CommentMap: comments}
	of := reflect.TypeOf(e.Zero())
	s := r.ReflectFromType(of)
	s.ID = jsonschema.ID(fmt.Sprintf("urn:baton:event:%s:v%d", e.Type, e.V))
	s.Title = e.Type
	s.Description = e.Meaning
	allowNull(s.Properties, of)
	for name, def := range s.Definitions {
		allowNull(def.Properties, definition(of, name))
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// allowNull says of lists that are always written that they may be null, as Go writes an empty one.
func allowNull(properties interface {
	Get(string) (*jsonschema.Schema, bool)
	Set(string, *jsonschema.Schema) (*jsonschema.Schema, bool)
}, of reflect.Type) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() == reflect.Uint8 || options != "" {
			continue
		}
		list, ok := properties.Get(name)
		if !ok {
			continue
		}
		described := &jsonschema.Schema{Description: list.Description, AnyOf: []*jsonschema.Schema{list, {Type: "null"}}}
		list.Description = ""
		properties.Set(name, described)
	}
}

// definition finds the struct of a name among the types that a type is made of.
func definition(of reflect.Type, name string) reflect.Type {
	switch of.Kind() {
	case reflect.Slice, reflect.Map:
		return definition(of.Elem(), name)
	case reflect.Struct:
		if of.Name() == name {
			return of
		}
		for i := range of.NumField() {
			if found := definition(of.Field(i).Type, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// sourceComments reads the comments of package events, keyed as the generator wants them.
func sourceComments(t *testing.T) map[string]string {
	t.Helper()
	var r jsonschema.Reflector
	if err := r.AddGoComments(reflect.TypeFor[events.Event]().PkgPath()+"/schema", ".."); err != nil {
		t.Fatal(err)
	}
	return r.CommentMap
}

func TestSchemasAreUpToDate(t *testing.T) {
	t.Parallel()
	comments := sourceComments(t)
	for _, e := range events.Catalogue {
		made := makeSchema(t, e, comments)
		compare(t, schema.Name(e.Type, e.V), made)
	}
}

// compare holds a committed file against what is made now; with -update it rewrites it.
func compare(t *testing.T, path string, made []byte) {
	t.Helper()
	kept, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(kept, made):
	case *update:
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date, run make update: %v\n%s", path, err, cmp.Diff(string(kept), string(made)))
	}
}
