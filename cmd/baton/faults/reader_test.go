//go:build linux

package faults_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/batonflow/baton/engine"
)

// TestAReaderThatStandsStill: a command that follows the log is stopped while a hundred thousand events
// come. Those who write go on; once it may go on too, it tells all of them in order, and stays small.
func TestAReaderThatStandsStill(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		h.session()
		path := filepath.Join(h.work, "followed")
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		reader := h.follow(out, "events", "--all", "--follow", "--json")
		await(t, "the first events", func() bool { return countLines(t, path) > 0 })
		reader.signal(t, syscall.SIGSTOP)
		rounds := scaled(t, 4, 1)
		template := h.template(fmt.Sprintf("  - {id: many, foreach: 1..8400, concurrency: %d, run: {builtin: noop}}\n", 4+r.IntN(8)))
		for range rounds {
			if of := h.over(h.detach(template).Run); of.Status != "completed" {
				t.Fatalf("a run is %s while a reader stands still", of.Status)
			}
		}
		reader.signal(t, syscall.SIGCONT)
		last := h.events(ask[struct{ Session string }](h, "status").Session)
		await(t, "the reader to catch up", func() bool { return countLines(t, path) >= len(last) })
		if len(last) < 25_000*rounds {
			t.Errorf("only %d events came", len(last))
		}
		checkOrder(t, path)
		if mib := peak(t, reader.Process.Pid); mib >= 256 {
			t.Errorf("the reader took %d MiB", mib)
		}
	})
}

func countLines(t *testing.T, path string) (n int) {
	t.Helper()
	eachLine(t, path, func([]byte) { n++ })
	return n
}

func checkOrder(t *testing.T, path string) {
	t.Helper()
	var seq uint64
	seen := map[string]bool{}
	eachLine(t, path, func(line []byte) {
		var e engine.EventLine
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if e.Seq < seq || seen[e.ID] {
			t.Fatalf("event %s at %d comes after %d, or again", e.ID, e.Seq, seq)
		}
		seq, seen[e.ID] = e.Seq, true
	})
}

func eachLine(t *testing.T, path string, f func([]byte)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
