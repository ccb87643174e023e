package template

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const typedInputs = `
inputs:
  topic: {type: string, required: true}
  count: {type: integer, default: 3}
  ratio: {type: number}
  deep: {type: boolean}
  filter: {type: object}
  tags: {type: array, default: [a, {b: 1}]}
steps: [{skill: a}]
`

func TestCheckInputs(t *testing.T) {
	t.Parallel()
	template := parsed(t, typedInputs)
	for _, c := range []struct{ name, given, want, err string }{
		{"defaults", `{"topic":"x"}`, `{"topic":"x","count":3,"tags":["a",{"b":1}]}`, ""},
		{"all", `{"topic":"x","count":2.0,"ratio":1.5,"deep":true,"filter":{"a":1},"tags":[]}`,
			`{"topic":"x","count":2.0,"ratio":1.5,"deep":true,"filter":{"a":1},"tags":[]}`, ""},
		{"scalars for a text", `{"topic":2026}`, `{"topic":"2026","count":3,"tags":["a",{"b":1}]}`, ""},
		{"true for a text", `{"topic":true}`, `{"topic":"true","count":3,"tags":["a",{"b":1}]}`, ""},
		{"missing", `{}`, "", `input of the template: topic is required (string)`},
		{"unknown", `{"topic":"x","topik":1}`, "", `input of the template: "topik" is unknown; did you mean "topic"?`},
		{"several", `{"topic":null,"count":1.5,"ratio":"1","deep":1,"filter":[],"tags":{}}`, "",
			`input of the template: count must be an integer, it is "1.5"; deep must be a boolean, it is "1"; ` +
				`filter must be an object, it is "[]"; ratio must be a number, it is "\"1\""; tags must be an array, it is "{}"; ` +
				`topic must be a string, it is "null"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var given map[string]json.RawMessage
			if err := json.Unmarshal([]byte(c.given), &given); err != nil {
				t.Fatal(err)
			}
			got, err := template.CheckInputs(given)
			if c.err != "" {
				if !errors.Is(err, ErrInput) || err.Error() != c.err || got != nil {
					t.Errorf("got %v, %v\nwant %s", got, err, c.err)
				}
				return
			}
			var want map[string]json.RawMessage
			if uerr := json.Unmarshal([]byte(c.want), &want); uerr != nil || err != nil {
				t.Fatal(uerr, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := template.CheckInputs(map[string]json.RawMessage{"topic": nil}); !errors.Is(err, ErrInput) {
		t.Errorf("an input without any value: %v", err)
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1s": time.Second, "10m": 10 * time.Minute, "2h": 2 * time.Hour, "1d": 24 * time.Hour, "500ms": 500 * time.Millisecond,
		"1h30m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond, "0": 0, "0s": 0, " 1s ": time.Second, "366d": 366 * 24 * time.Hour,
	} {
		if got, err := Duration(text); got != want || err != nil {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "s", "-1s", "1 s", "1us", "1w", "1e3s", "٣s", "367d", "99999999999999999999999999d", "1s,"} {
		if got, err := Duration(text); err == nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
