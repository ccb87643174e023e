package operation

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/batonflow/baton/routing/task"
	"github.com/batonflow/baton/workflows/fromtext"
)

// shapes are the schemas of types whose JSON is not what their Go type looks like.
var shapes = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[task.Activation](): {Type: "object"},
	reflect.TypeFor[fromtext.Keys]():   {Types: []string{"string", "array"}},
}

// schemaOf makes the JSON Schema of a type, each time anew: whoever gets it may change it.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: shapes})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	return s, nil
}

// loosen lets objects have fields that are not named.
func loosen(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, field := range s.Properties {
		loosen(field)
	}
	loosen(s.Items)
	loosen(s.AdditionalProperties)
}
