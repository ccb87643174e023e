//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestLargeResultsWhileKilled: results of 5 MB, of four kinds, while the server is killed: no event stands
// without its payload, and equal payloads are kept once. There are a hundred of them with a seed that is drawn in full.
func TestLargeResultsWhileKilled(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		const kinds, size = 4, 5 << 20
		results := scaled(t, 100, 20)
		h := newHome(t)
		run := h.detach(h.template(fmt.Sprintf(
			"  - {id: each, foreach: 1..%d, concurrency: 4, output: all, run: {exec: [sh, -c, 'head -c %d /dev/zero | tr \"\\\\0\" $(printf abcd | cut -c $(($0 %% %d + 1)))', '${item}']}}\n", results, size, kinds)))
		for range 2 {
			goal := r.IntN(results / 4)
			await(t, "some results", func() bool { return countType(h.events(run.Session), "call.closed") > goal })
			h.killServer()
			h.must("status")
		}
		last := h.over(run.Run)
		if last.Status != "failed" && last.Status != "completed" {
			t.Fatalf("the run is %s", last.Status)
		}
		hashes := map[string]bool{}
		for _, e := range h.events(last.Session) {
			var d struct {
				Call  string
				Value struct {
					SHA256 string `json:"sha256"`
				}
			}
			if e.Type != "call.closed" || json.Unmarshal(e.Data, &d) != nil {
				continue
			}
			if hash := d.Value.SHA256; !hashes[hash] {
				hashes[hash] = true
				got := answer[struct{ Value string }](t, h.must("--session", last.Session, "call", "show", d.Call, "--json"))
				if len(got.Value) != size {
					t.Errorf("the value of %s has %d bytes", d.Call, len(got.Value))
				}
			}
		}
		if len(hashes) != kinds {
			t.Errorf("%d different payloads, want %d", len(hashes), kinds)
		}
		if used := bytesBelow(t, h.baton("store")); used > 3*kinds*size {
			t.Errorf("the store takes %d MiB for %d payloads of 5 MiB", used>>20, kinds)
		}
	})
}

func bytesBelow(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
