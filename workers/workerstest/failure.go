// Package workerstest holds what the tests of all executors say in the same words.
package workerstest

import (
	"testing"

	"github.com/batonflow/baton/events"
)

// WantFailure checks that an attempt failed with a class and a code, and that a sentence says why.
func WantFailure(t *testing.T, got *events.Failure, class, code string) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("it went well; want %s %s", class, code)
	case got.Class != class || got.Code != code || got.Message == "":
		t.Errorf("got %+v; want %s %s", *got, class, code)
	}
}
