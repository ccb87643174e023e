package events

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCutReadsWhatJSONReads: wherever a message or its events are taken apart without the JSON reader, that
// one reads the same.
func TestCutReadsWhatJSONReads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "a", "r-1/b", "\"", "\\", "}", "{\"x\":", "\u2028", "é", "\x7f", "<&>"})
		frame := Frame{V: 1, Session: word.Draw(t, "session"), N: rapid.Uint64Range(0, 1<<62).Draw(t, "n"), Prev: word.Draw(t, "prev"), Writer: word.Draw(t, "writer"), Hash: rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "hash")}
		var b Batch
		for range rapid.IntRange(1, 3).Draw(t, "events") {
			e := New(ContextSet{Key: word.Draw(t, "key"), By: word.Draw(t, "by"), Value: Value{JSON: json.RawMessage(rapid.SampledFrom([]string{`"}\"{"`, `{"a":[{}]}`, `1`}).Draw(t, "value"))}})
			e.ID, e.Causation, e.Actor, e.Request = word.Draw(t, "id"), word.Draw(t, "cause"), word.Draw(t, "actor"), word.Draw(t, "request")
			if err := b.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		message := frame.message([]byte("[" + b.body.String() + "]"))
		if i := rapid.IntRange(-1, len(message)-1).Draw(t, "changed"); i >= 0 {
			message[i] = rapid.SampledFrom([]byte(`"{}[],:0 a\`)).Draw(t, "byte")
		}
		if got, ok := cut(message); ok {
			var want frameWire
			if err := json.Unmarshal(message, &want); err != nil {
				if json.Valid(got.Events) {
					t.Fatalf("%s was cut, and is no JSON: %v", message, err)
				}
				return // the events are damaged, which whoever reads them says
			}
			if diff := cmp.Diff(want, got); diff != "" && json.Valid(got.Events) {
				t.Fatalf("%s is cut otherwise than read:\n%s", message, diff)
			}
		}
		if got, ok := cutEvents(b.body.Bytes()); ok {
			t.Fatalf("a list without brackets was cut: %v", got)
		}
		if got, ok := cutEvents([]byte("[" + b.body.String() + "]")); ok {
			var want []wire
			if err := json.Unmarshal([]byte("["+b.body.String()+"]"), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s is cut otherwise than read:\n%s", b.body.String(), diff)
			}
		}
	})
}
