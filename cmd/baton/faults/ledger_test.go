//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// entry is a line of the ledger: an effect, counted by whoever had it.
type entry struct {
	run, step string
	attempt   int
	key       string
}

// ledgerScript is a step that appends to the ledger, does what its arguments say, and gives a value.
const ledgerScript = `#!/bin/sh
printf '%s %s %s %s\n' "${BATON_CALL%%/*}" "${BATON_CALL#*/}" "$BATON_ATTEMPT" "$BATON_EFFECT_KEY" >> ledger
eval "$1"
echo "{\"attempt\": $BATON_ATTEMPT}"
`

// ledger reads what the steps have noted so far.
func (h *home) ledger() []entry {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.work, "ledger"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	var out []entry
	for line := range strings.Lines(string(raw)) {
		words := strings.Fields(line)
		if len(words) != 4 {
			h.t.Fatalf("the ledger has the line %q", line)
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			h.t.Fatal(err)
		}
		out = append(out, entry{words[0], words[1], n, words[3]})
	}
	return out
}

// template writes a template of ledger steps into the workspace and gives its path.
func (h *home) template(steps ...string) string {
	h.t.Helper()
	path := filepath.Join(h.work, "faults.yaml")
	write(h.t, filepath.Join(h.work, "ledger.sh"), []byte(ledgerScript))
	write(h.t, path, []byte("name: faults\norder: dataflow\nsteps:\n"+strings.Join(steps, "")))
	return path
}

// step is a line of a template: a ledger step that runs a shell text after it has noted itself.
func step(id, script string, needs ...string) string {
	return fmt.Sprintf("  - {id: %s, needs: [%s], output: %s.value, run: {exec: [./ledger.sh, %s]}}\n",
		id, strings.Join(needs, ", "), id, strconv.Quote(script))
}

// chains are branches side by side of steps one after the other.
func chains(branches, length int, script string) (steps []string) {
	for b := range branches {
		for i := range length {
			id, needs := fmt.Sprintf("%c%02d", 'a'+b, i+1), []string(nil)
			if i > 0 {
				needs = []string{fmt.Sprintf("%c%02d", 'a'+b, i)}
			}
			steps = append(steps, step(id, script, needs...))
		}
	}
	return steps
}

// run is a run, as `workflow show` gives it.
type run struct {
	Run, Session, Status string
	Steps                []struct {
		ID       string
		CallID   string `json:"call_id"`
		Status   string
		Attempts int
		Worker   string
	}
	TraceFile string `json:"trace_file"`
}

// detach starts a run and does not wait for it.
func (h *home) detach(template string, more ...string) run {
	h.t.Helper()
	return ask[run](h, append([]string{"workflow", "run", template, "--detach"}, more...)...)
}

func (h *home) show(id string) run {
	h.t.Helper()
	return ask[run](h, "workflow", "show", id)
}

// over waits until the run has ended and its files are written.
func (h *home) over(id string) run {
	h.t.Helper()
	var r run
	await(h.t, "the end of the run", func() bool {
		r = h.show(id)
		return r.Status != "running" && r.Status != "waiting" && r.TraceFile != ""
	})
	return r
}

// outputs reads every file of a session's folder.
func (h *home) outputs(session string) map[string]string {
	h.t.Helper()
	return files(h.t, filepath.Join(h.work, "outputs", session))
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(raw)
	}
	return out
}
