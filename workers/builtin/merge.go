package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
)

// merge joins the objects that the call reads from the context into one. Two that disagree about a
// field are a failure, because which of two branches came last must not decide.
func merge(in Input) (json.RawMessage, *events.Failure) {
	merged := make(map[string]json.RawMessage)
	owner := make(map[string]string)
	for _, key := range slices.Sorted(maps.Keys(in.Context)) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(in.Context[key], &object); err != nil || object == nil {
			return refuse("merge_not_object", fmt.Sprintf("context key %s is not an object: merge takes objects only", key))
		}
		for _, field := range slices.Sorted(maps.Keys(object)) {
			value := compact(object[field])
			if before, ok := merged[field]; ok && !bytes.Equal(before, value) {
				return refuse("merge_conflict", fmt.Sprintf(
					"context keys %s and %s disagree about field %s: let them write different fields", owner[field], key, field))
			}
			merged[field], owner[field] = value, key
		}
	}
	value, err := events.Marshal(merged)
	if err != nil {
		return refuse("builtin_input", "write the merged object: "+err.Error())
	}
	return value, nil
}

func compact(raw json.RawMessage) json.RawMessage {
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil {
		return raw
	}
	return buf.Bytes()
}

func refuse(code, message string) (json.RawMessage, *events.Failure) {
	return nil, workers.Failed(workers.Terminal, code, message).Failure
}
