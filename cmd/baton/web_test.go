package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChineseOfWebTakesTheSameValues(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, pair := range webTexts {
		if diff := cmp.Diff(verbs.FindAllString(pair[0], -1), verbs.FindAllString(pair[1], -1)); diff != "" {
			t.Errorf("%q and %q differ (-english +chinese):\n%s", pair[0], pair[1], diff)
		}
		if seen[pair[0]] {
			t.Errorf("%q is there twice", pair[0])
		}
		seen[pair[0]] = true
	}
	for _, text := range verdictTexts {
		if !seen[text] {
			t.Errorf("%q has no Chinese", text)
		}
	}
}
