//go:build linux

package faults_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/batonflow/baton/workflows"
)

// TestKilledWrite: the server is killed while a tool changes something in a person's name. Nobody knows
// whether it happened, so it is told so and not done again, whoever takes over.
func TestKilledWrite(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t, "BATON_LEASE=600ms")
		write(t, filepath.Join(h.work, "post.sh"), []byte("echo \"$1\" >> asked\nwhile [ -e hold ]; do sleep 0.02; done\necho '{\"text\":\"posted\"}'\n"))
		write(t, filepath.Join(h.work, "web.yaml"), []byte("tools:\n- {name: browser, capability: interact, exec: [sh, ./post.sh, \"{target}\"]}\n"))
		write(t, filepath.Join(h.work, "hold"), nil)
		waits := h.run("web", "run", "post it", "--url", "https://a.example/", "--effect", "post", "--need", "actions", "--tools", "web.yaml", "--json")
		if waits.code != 5 {
			t.Fatalf("exit %d before anybody agreed: %s%s", waits.code, waits.stdout, waits.stderr)
		}
		v := answer[workflows.ErrandView](t, waits.stdout)
		h.must("workflow", "approve", v.Run, v.Waits.Step, "--yes")
		await(t, "the post", func() bool { return h.asked() == "https://a.example/\n" })
		h.killServer()
		if r.IntN(2) == 0 {
			if err := os.Remove(filepath.Join(h.work, "hold")); err != nil {
				t.Fatal(err)
			}
		}
		ended := h.run("web", "show", v.Run, "--wait", "--json")
		v = answer[workflows.ErrandView](t, ended.stdout)
		if ended.code != 1 || v.Final == nil || v.Final.Reason != "write_outcome_unknown" {
			t.Errorf("exit %d, %+v", ended.code, v.Final)
		}
		if n := strings.Count(h.asked(), "\n"); n != 1 {
			t.Errorf("it was done %d times", n)
		}
		session := h.show(v.Run).Session
		events := h.events(session)
		for call, tries := range attempts(t, events) {
			if len(tries) != 1 {
				t.Errorf("%s was tried as %+v", call, tries)
			}
		}
		h.checkWhole(session, events)
	})
}
