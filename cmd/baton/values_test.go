package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/sessions"
)

func TestPairs(t *testing.T) {
	t.Parallel()
	got, err := pairs("input", []string{"n=5", "t=five", "o={ \"a\": [1, 2] }", "e=", "q=\"5\"", "url=http://x?a=b", "f=true", "neg=-5", "big=1e999", "zero=007"})
	want := map[string]json.RawMessage{
		"n": raw("5"), "t": raw(`"five"`), "o": raw(`{"a":[1,2]}`), "e": raw(`""`), "q": raw(`"5"`),
		"url": raw(`"http://x?a=b"`), "f": raw("true"), "neg": raw("-5"), "big": raw("1e999"), "zero": raw(`"007"`),
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("pairs (-want +got, %v):\n%s", err, diff)
	}
	for code, given := range map[string][]string{"bad_pair": {"x"}, "twice": {"x=1", "x=2"}, "bad_text": {"x=\xff"}} {
		var r *sessions.Refusal
		if _, err := pairs("input", given); !errors.As(err, &r) || r.Code != code || r.Kind != sessions.Usage {
			t.Errorf("pairs(%q): %v, want %s", given, err, code)
		}
	}
	if _, err := pairs("input", []string{"=x"}); err == nil {
		t.Error("a pair without a key is taken")
	}
	if got, err := pairs("input", nil); got != nil || err != nil {
		t.Errorf("no pairs: %v %v", got, err)
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func TestValueOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text      string
		asValue   bool
		asOutput  bool
		want      string
		wantFault bool
	}{
		{"5", false, false, `"5"`, false},
		{"5", true, false, `5`, false},
		{"5", false, true, `"5"`, false},
		{`{"a": 1}`, false, false, `"{\"a\": 1}"`, false},
		{`{"a": 1}`, false, true, `{"a":1}`, false},
		{`[1]`, false, true, `[1]`, false},
		{`[1`, false, true, `"[1"`, false},
		{`[1`, true, false, ``, true},
		{``, true, false, ``, true},
		{``, false, false, `""`, false},
		{"<&>\u2028", false, false, "\"<&>\\u2028\"", false},
	} {
		a, _, _ := testApp(t)
		a.json = tc.asOutput
		got, err := a.valueOf([]string{"k", tc.text}, "", tc.asValue)
		if string(got) != tc.want || (err != nil) != tc.wantFault {
			t.Errorf("value of %q (as value %v, --json %v) is %s, %v; want %s", tc.text, tc.asValue, tc.asOutput, got, err, tc.want)
		}
		a.in = strings.NewReader(tc.text)
		again, _ := a.valueOf([]string{"k"}, "-", tc.asValue)
		if string(again) != string(got) {
			t.Errorf("from stdin it is %s, not %s", again, got)
		}
	}
}

func TestReadFromBoundsWhatItReads(t *testing.T) {
	t.Parallel()
	a, _, _ := testApp(t)
	a.in = strings.NewReader("12345")
	if got, err := a.readFrom("-", 5); string(got) != "12345" || err != nil {
		t.Errorf("five of five: %q %v", got, err)
	}
	a.in = strings.NewReader("123456")
	var r *sessions.Refusal
	if _, err := a.readFrom("-", 5); !errors.As(err, &r) || r.Code != "value_too_large" {
		t.Errorf("six of five: %v", err)
	}
	if _, err := a.readFrom(t.TempDir(), 5); !errors.As(err, &r) || r.Kind != sessions.Usage {
		t.Errorf("a folder: %v", err)
	}
}

// FuzzPairs: whatever is taken is valid JSON and comes back as what was given.
func FuzzPairs(f *testing.F) {
	for _, s := range []string{"k=v", "k={}", "=", "k=\xff", "k=\"\\ud800\"", "k= 1 ", "k=1e5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pair string) {
		got, err := pairs("input", []string{pair})
		if err != nil {
			return
		}
		key, value, _ := strings.Cut(pair, "=")
		out, ok := got[key]
		if !ok || !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q gives %s", pair, out)
		}
		var text string
		var compact bytes.Buffer
		isText := json.Unmarshal(out, &text) == nil && text == value
		isJSON := json.Compact(&compact, []byte(value)) == nil && compact.String() == string(out)
		if !isText && !isJSON {
			t.Errorf("%q becomes %s", value, out)
		}
	})
}
