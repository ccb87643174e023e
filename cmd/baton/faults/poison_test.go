//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/batonflow/baton/workflows"
)

// poison kills its worker: the parent of the shim that watches over the program.
const poison = `shim=$PPID; kill -9 $(awk '/^PPid:/ {print $2}' /proc/$shim/status); sleep 60`

// TestAPoisonousStep: a step that brings its worker down every time is given up with its causes, and
// what ran beside it is made up for and not blamed.
func TestAPoisonousStep(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t, "BATON_LEASE=800ms")
		h.serve("--workers", "0")
		beside := h.detach(h.template(step("slow", fmt.Sprintf("sleep %d.%d", 1+r.IntN(3), r.IntN(10)))))
		poisoned := h.detach(h.template(step("poison", poison)))
		worker, _ := h.worker("--concurrency", "2")
		lives := 1
		var last run
		await(t, "the poisonous run to be given up", func() bool {
			if worker.ended() && lives < 12 {
				worker, _ = h.worker("--concurrency", "2")
				lives++
			}
			last = h.show(poisoned.Run)
			return last.Status == "failed"
		})
		if last.Steps[0].Status != "dead" {
			t.Errorf("the step is %s", last.Steps[0].Status)
		}
		letters := ask[[]workflows.DeadLetter](h, "workflow", "dlq", "list", poisoned.Run)
		if len(letters) != 1 || len(letters[0].Causes) != 6 || letters[0].Causes[5].Failure.Class != "lost" {
			t.Errorf("the dead letter is %+v", letters)
		}
		if worker.ended() {
			h.worker("--concurrency", "2")
		}
		if got := h.over(beside.Run); got.Status != "completed" {
			t.Errorf("the run beside it is %s", got.Status)
		}
		losses := func(of run) int { return countType(h.events(of.Session), "call.lost") }
		alone := 0
		for _, a := range attempts(t, h.events(poisoned.Session))[poisoned.Run+"/poison"] {
			if a.end == "call.lost" {
				alone++
			}
		}
		t.Logf("%d workers lived, %d losses of the poison", lives, alone)
		if n := losses(beside); n > 2+alone { // both runs share the session: those of the poison are in it
			t.Errorf("what ran beside it was lost %d times", n-alone)
		}
		if out := h.must("why", poisoned.Run); !strings.Contains(out, "poison") {
			t.Error(fmt.Sprint("why does not name the step: ", out))
		}
	})
}
