package sentinel

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sentinel(t testing.TB) Sentinel {
	t.Helper()
	s, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCheck(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/requests.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Matched           string
		Types, Skills, Warnings []string
		Env                     map[string]string
		Proceed                 bool
		Coverage                *float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	s := sentinel(t)
	for _, c := range cases {
		t.Run(c.Text, func(t *testing.T) {
			t.Parallel()
			got := s.Check(Request{Text: c.Text, Types: c.Types, Skills: c.Skills, Env: c.Env, Soft: true})
			if got.Proceed != c.Proceed {
				t.Fatalf("got %+v, want proceed %v", got, c.Proceed)
			}
			if c.Matched != "" && got.Matched != c.Matched && !(c.Matched == "駭入" && got.Matched == "骇入") {
				t.Errorf("matched %q, want %q", got.Matched, c.Matched)
			}
			if diff := cmp.Diff(c.Coverage, got.Coverage); diff != "" {
				t.Errorf("coverage (-want +got):\n%s", diff)
			}
			if c.Warnings != nil {
				if diff := cmp.Diff(c.Warnings, got.Warnings, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("warnings (-want +got):\n%s", diff)
				}
			}
			if !got.Proceed && (got.Reason != ReasonSecurity || got.Suggestion == "") {
				t.Errorf("a refusal without reason or suggestion: %+v", got)
			}
		})
	}
}

func TestBrokenRulesAreAnError(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "[]", "hack", "attacks: []", "attacks: [{words: [x], needs: nothing, report: verb}]", "attacks: [{words: [x], report: loud}]", "attacks: [{words: [''], report: verb}]", "atacks: []"} {
		if _, err := ReadRules(file); !errors.Is(err, ErrRules) {
			t.Errorf("%q: error %v, want ErrRules", file, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("ｈａｃｋ 駭入")
	f.Fuzz(func(t *testing.T, text string) {
		if v := sentinel(t).Check(Request{Text: text, Soft: true}); v.Proceed == (v.Reason == ReasonSecurity) {
			t.Errorf("%q: %+v", text, v)
		}
	})
}

func TestAFileStandsOverTheRulesOfTheBinary(t *testing.T) {
	t.Parallel()
	rules, err := ReadRules(string(RulesFile()), "also: [{words: [Unscrew, 拆毀], needs: '', report: verb}]\nmin_coverage: 0.5\nlists: {extra: [a]}")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(&rules)
	if err != nil {
		t.Fatal(err)
	}
	for text, proceed := range map[string]bool{"unscrew the door": false, "拆毁大门": false, "hack the server": false, "open the door": true} {
		if got := s.Check(Request{Text: text}); got.Proceed != proceed {
			t.Errorf("%q: proceed %v, want %v", text, got.Proceed, proceed)
		}
	}
	if rules.MinCoverage != 0.5 || len(rules.Lists["systems"]) == 0 {
		t.Errorf("coverage %v, %d systems", rules.MinCoverage, len(rules.Lists["systems"]))
	}
	if own := sentinel(t); own.Check(Request{Text: "unscrew the door"}).Proceed != true {
		t.Error("the rules of the binary were changed")
	}
	if _, err := ReadRules(string(RulesFile()), "atacks: []"); err == nil || !strings.Contains(err.Error(), "attacks") {
		t.Errorf("a mistyped key: %v", err)
	}
}

func FuzzReadRules(f *testing.F) {
	f.Add("also: [{words: [x], report: verb}]")
	f.Add("lists: {a: [*b]}")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := ReadRules(string(RulesFile()), text)
		if err != nil {
			return
		}
		s, err := New(&rules)
		if err != nil {
			t.Fatal(err)
		}
		s.Check(Request{Text: text, Soft: true})
	})
}

// TestVariations holds requests in other words than those that the rules were first written for.
func TestVariations(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/variations.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := sentinel(t)
	for line := range strings.Lines(string(data)) {
		sign, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || sign == "#" {
			continue
		}
		if got := s.Check(Request{Text: text}); got.Proceed != (sign == "+") {
			t.Errorf("%q: proceed %v, matched %q", text, got.Proceed, got.Matched)
		}
	}
}
