//go:build linux

package faults_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTemplateEditedBetween: a run fails, everything is killed, and its template is edited. A resume stops with
// the difference and appends nothing; with --pin the recorded text goes on, with --accept the new one, and a
// finished step runs again only where it is named.
func TestTemplateEditedBetween(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		policy := [][]string{{"--pin"}, {"--accept"}, {"--accept", "--redo=first"}}[r.IntN(3)]
		h := newHome(t)
		path := h.template(step("first", "true"), step("fails", "[ -e mended ] || exit 1", "first"), step("last", "true", "fails"))
		of := h.detach(path)
		if got := h.over(of.Run); got.Status != "failed" {
			t.Fatalf("the run is %s", got.Status)
		}
		if r.IntN(2) == 0 {
			h.killServer()
		}
		h.template(step("first", "sleep 0.01"), step("fails", "[ -e mended ] || exit 1", "first"), step("other", "true", "fails"))
		write(t, h.work+"/mended", nil)
		before := h.must("events", "--session", of.Session, "--json")
		refused := h.run("workflow", "resume", of.Run)
		for _, word := range []string{"template_changed", "first", "other", "last"} {
			if refused.code != 4 || !strings.Contains(refused.stderr, word) {
				t.Errorf("exit %d, and %q is not named: %s", refused.code, word, refused.stderr)
			}
		}
		if after := h.must("events", "--session", of.Session, "--json"); after != before {
			t.Errorf("the refused resume left something behind: %s", strings.TrimPrefix(after, before))
		}
		if r.IntN(2) == 0 {
			h.killServer()
		}
		h.run(append([]string{"workflow", "resume", of.Run}, policy...)...)
		last := h.over(of.Run)
		if last.Status != "completed" {
			t.Errorf("with %v the run is %s", policy, last.Status)
		}
		want := map[bool]string{true: "last", false: "other"}[policy[0] == "--pin"]
		if got := last.Steps[2].ID; got != want {
			t.Errorf("with %v the third step is %s", policy, got)
		}
		events := h.events(of.Session)
		starts := 0
		for _, e := range events {
			if e.Type == "call.started" && e.Call == of.Run+"/first" {
				starts++
			}
		}
		if starts != len(policy) { // once more where it is named
			t.Errorf("with %v the finished step was started %d times", policy, starts)
		}
		h.checkWhole(of.Session, events)
	})
}
