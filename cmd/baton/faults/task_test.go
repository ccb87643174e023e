//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// notedScript notes an effect, takes its time, and then does what the skill does.
const notedScript = `#!/bin/sh
printf '%s %s %s %s\n' "${BATON_CALL%%/*}" "${BATON_CALL#*/}" "$BATON_ATTEMPT" "$BATON_EFFECT_KEY" >> ledger
sleep 0.1
exec "$@"
`

// examples copies the example skills into the workspace, each noting itself in the ledger first.
func (h *home) examples() *home {
	h.t.Helper()
	from := filepath.Join("..", "..", "..", "examples")
	to := filepath.Join(h.work, "examples")
	if err := os.CopyFS(filepath.Join(to, "papers"), os.DirFS(filepath.Join(from, "papers"))); err != nil {
		h.t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(to, "skills"), os.DirFS(filepath.Join(from, "skills"))); err != nil {
		h.t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(to, "skills", "*", "SKILL.md"))
	if err != nil || len(files) == 0 {
		h.t.Fatalf("example skills: %v, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			h.t.Fatal(err)
		}
		noted := regexp.MustCompile(`entrypoint_cmd: `).ReplaceAllString(string(raw), "entrypoint_cmd: ./noted.sh ")
		write(h.t, file, []byte(noted))
		write(h.t, filepath.Join(filepath.Dir(file), "noted.sh"), []byte(notedScript))
	}
	return h.with("BATON_SKILLS_PATH=" + filepath.Join(to, "skills"))
}

// TestTaskKilled: the server is killed while two branches of a task run, again and again. No atom whose
// outcome is recorded starts again; one in flight is lost and made up for; the trace is whole.
func TestTaskKilled(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t).examples()
		args := []string{"task", "run", "同时搜索VOR和BPPV两个方向的文献并分析矛盾", "--request-id", "two-branches"}
		started := ask[run](h, append(args, "--detach")...)
		for range 5 { // a sixth loss of one call would be its last
			h.letRun(1+r.IntN(4), time.Duration(r.IntN(120))*time.Millisecond)
			h.killServer()
			h.must("workflow", "show", started.Run)
		}
		last := ask[run](h, args...)
		if last.Run != started.Run || last.Status != "completed" || len(last.Steps) != 7 {
			t.Fatalf("the run ended as %+v", last)
		}
		events := h.events(last.Session)
		all := attempts(t, events)
		checkLedger(t, h.ledger(), all)
		lost := 0
		for _, step := range last.Steps {
			tries := all[step.CallID]
			if n := len(tries); n == 0 || tries[n-1].end != "call.closed" {
				t.Errorf("atom %s was tried as %+v", step.ID, tries)
				continue
			}
			for _, try := range tries[:len(tries)-1] {
				if lost++; try.end != "call.lost" {
					t.Errorf("attempt %d of %s ended with %s, though only the server was killed", try.n, step.ID, try.end)
				}
			}
		}
		t.Logf("%d attempts were lost", lost)
		h.checkWhole(last.Session, events)
		h.checkTask(last)
		h.checkRebuild(last.Session)
	})
}

// checkTask reads what a task left behind: a whole trace, and a file for each step that it names.
func (h *home) checkTask(of run) {
	h.t.Helper()
	folder := filepath.Join(h.work, "outputs", of.Session)
	var trace struct {
		Status string
		Atoms  map[string]struct{ Status string }
		Steps  map[string]struct {
			File string `json:"output_file"`
		}
	}
	raw, err := os.ReadFile(filepath.Join(folder, "pipeline_trace.json"))
	if err == nil {
		err = json.Unmarshal(raw, &trace)
	}
	if err != nil || trace.Status != "completed" || len(trace.Atoms) != 3 || len(trace.Steps) != len(of.Steps) {
		h.t.Fatalf("the trace is %+v, %v", trace, err)
	}
	files := map[string]bool{}
	for id, step := range trace.Steps {
		name := strings.TrimPrefix(step.File, fmt.Sprintf("outputs/%s/", of.Session))
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil || files[name] {
			h.t.Errorf("the file of %s is %q: %v", id, name, err)
		}
		files[name] = true
	}
	if again := h.must("replay", "--session", of.Session, "--verify", "--json"); !strings.Contains(again, `"equal":true`) {
		h.t.Errorf("decided again: %s", again)
	}
}
