//go:build linux

package faults_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

type statusAnswer struct {
	Session string
	Server  struct {
		PID     int
		Version string
	}
}

// TestOlderServer: a newer command replaces an older server that is idle, and names one that is busy.
func TestOlderServer(t *testing.T) {
	t.Parallel()
	newer := buildVersion(t, "9.0.0")
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		session := h.session()
		old := ask[statusAnswer](h, "status")
		var commands [][]string
		for range 10 {
			commands = append(commands, []string{"status", "--json"})
		}
		results := h.released(newer).atOnce(commands)
		allDone(t, results)
		if t.Failed() {
			return
		}
		for _, r := range results {
			got := answer[statusAnswer](t, r.stdout)
			if got.Server.Version != "9.0.0" || got.Server.PID == old.Server.PID || got.Session != session || r.stderr != "" {
				t.Errorf("got %+v, said %q; the server before was %+v", got, r.stderr, old)
			}
		}
		if alive(old.Server.PID) || len(h.servers()) != 1 {
			t.Errorf("the older server is still there: %v", h.servers())
		}
		// An older command is content with a newer server.
		again := h.run("status", "--json")
		if got := answer[statusAnswer](t, again.stdout); again.code != 0 || got.Server.Version != "9.0.0" {
			t.Errorf("exit %d, %+v, %s", again.code, got, again.stderr)
		}
	})
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		h.session()
		h.released(newer).must("stop")
		await(t, "no server", func() bool { return len(h.servers()) == 0 })
	})
	t.Run("busy", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		started := h.detach(h.template(step("held", held)))
		await(t, "the step", func() bool { return len(h.ledger()) == 1 })
		old := ask[statusAnswer](h, "status")
		for range 3 {
			r := h.released(newer).run("status", "--json")
			got := answer[statusAnswer](t, r.stdout)
			if r.code != 0 || got.Server != old.Server {
				t.Errorf("exit %d, %+v; want the server %+v", r.code, got, old)
			}
			for _, word := range []string{fmt.Sprint(old.Server.PID), old.Server.Version, "9.0.0", "baton stop"} {
				if !strings.Contains(r.stderr, word) {
					t.Errorf("%q does not name %s", r.stderr, word)
				}
			}
		}
		write(t, filepath.Join(h.work, "go"), nil)
		if last := h.over(started.Run); last.Status != "completed" || last.Steps[0].Attempts != 1 {
			t.Errorf("the run ended as %+v", last)
		}
		if got := ask[statusAnswer](h.released(newer), "status"); got.Server.Version != "9.0.0" {
			t.Errorf("once idle it was not replaced: %+v", got)
		}
	})
}
