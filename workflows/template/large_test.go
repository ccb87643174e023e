//go:build !race

package template

import (
	"testing"
	"time"
)

// The bound is many times what is needed on an idle machine (see BenchmarkParse); it catches searches
// that start anew for each step or key. With the race detector it would say nothing.
func TestLargeTemplatesAreReadQuickly(t *testing.T) {
	for name, text := range large() {
		start := time.Now()
		got, faults := Parse([]byte(text), Known{})
		took := time.Since(start)
		t.Logf("%-16s %7d bytes %5d faults %8s", name, len(text), len(faults), took.Round(time.Millisecond))
		if took > 10*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if got == nil && len(faults) == 0 {
			t.Errorf("%s gave nothing", name)
		}
	}
}
