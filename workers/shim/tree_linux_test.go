package shim

import (
	"os"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	for stat, want := range map[string]process{
		"7 (sh) S 1 6 5 0":             {7, 1, 6, 5},
		"7 (a) b (c)) Z 22 33 44 5":    {7, 22, 33, 44},
		"7 (line\nbreak) R 22 33 44\n": {7, 22, 33, 44},
		"7 (sh) S 1 6":                 {},
		"":                             {},
		"7 (sh) S one 6 5":             {},
	} {
		got, ok := parseStat(7, []byte(stat))
		if ok != (want != process{}) || ok && got != want {
			t.Errorf("parseStat(%q) = %+v, %v; want %+v", stat, got, ok, want)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (sh) S 1 6 5 0"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, stat []byte) { parseStat(7, stat) })
}

func TestProcessesFindsThisOne(t *testing.T) {
	t.Parallel()
	self := func(p process) bool { return p.pid == os.Getpid() && p.parent == os.Getppid() }
	if !slices.ContainsFunc(processes(), self) {
		t.Error("the process table does not hold this process with its parent")
	}
}
