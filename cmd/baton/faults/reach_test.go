//go:build linux

package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestAStepReachesTheCluster: a step's own `baton` finds the cluster of its worker, and the password that is in
// the address stands in no event.
func TestAStepReachesTheCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	h := c.via(newHome(t), c.address())
	h.serve()
	path := h.template(fmt.Sprintf("  - {id: note, run: {exec: [%q, ctx, set, found, here]}}\n", h.binary))
	h.must("workflow", "run", path)
	if got := ask[struct{ Value string }](h, "ctx", "get", "found").Value; got != "here" {
		t.Errorf("the step's command has set %q", got)
	}
	if log := h.must("events", "--all", "--json"); strings.Contains(log, clusterToken) || !strings.Contains(log, "run.started") {
		t.Errorf("the log has the password, or nothing:\n%s", log)
	}
}
