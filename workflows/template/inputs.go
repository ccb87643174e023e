package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// ErrInput says that a run is not given what its template declares.
var ErrInput = errors.New("input of the template")

// CheckInputs gives the inputs of a run: those given, and the defaults of the others. It fails with
// [ErrInput], naming every input that is unknown, missing or of the wrong type. A number, true or
// false given for a text is taken as it is written: a command line cannot tell them apart.
func (t *Template) CheckInputs(given map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	var wrong []string
	names := slices.Sorted(maps.Keys(t.Inputs))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := t.Inputs[name]; !ok {
			wrong = append(wrong, strings.TrimSpace(fmt.Sprintf("%s is unknown; %s", short(name), didYouMean(name, names))))
		}
	}
	inputs := make(map[string]json.RawMessage, len(names))
	for _, name := range names {
		in := t.Inputs[name]
		raw, ok := given[name]
		switch {
		case ok:
			if raw = adapted(raw, in.Type); !isOf(raw, in.Type) {
				wrong = append(wrong, fmt.Sprintf("%s must be %s, it is %s", name, article(in.Type), short(string(raw))))
			}
			inputs[name] = raw
		case in.Default != nil:
			inputs[name] = in.Default
		case in.Required:
			wrong = append(wrong, fmt.Sprintf("%s is required (%s)", name, in.Type))
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrInput, strings.Join(wrong, "; "))
	}
	return inputs, nil
}

// adapted writes a number, true or false as a text where a text is wanted.
func adapted(raw json.RawMessage, want string) json.RawMessage {
	if want != "string" || !json.Valid(raw) {
		return raw
	}
	literal := strings.TrimSpace(string(raw))
	if literal == "null" || strings.ContainsAny(literal[:1], `"{[`) {
		return raw
	}
	quoted, err := compact(literal)
	if err != nil {
		return raw
	}
	return quoted
}

// isOf says whether a JSON value is of a declared type.
func isOf(raw json.RawMessage, want string) bool {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == math.Trunc(v)
	case map[string]any:
		return want == "object"
	case []any:
		return want == "array"
	}
	return false
}
