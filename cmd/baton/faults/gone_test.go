//go:build linux

package faults_test

import (
	"syscall"
	"testing"
	"time"
)

// deaf is a step whose program, child and grandchild hear no SIGTERM.
const deaf = `
trap '' TERM
sh -c 'sleep 1000 & echo $! >> pids; exec sleep 1000' &
echo $! $$ >> pids
sleep 1000`

// grace is what newHome sets.
const grace = time.Second

// TestProcessesGo: a step's program, its child and its grandchild are gone within the grace period,
// even if they do not listen.
func TestProcessesGo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *pair){
		"after a cancel": func(_ *testing.T, p *pair) { p.must("workflow", "cancel", p.run.Run) },
		"after a worker was told twice to stop": func(t *testing.T, p *pair) {
			p.first.signal(t, syscall.SIGTERM)
			await(t, "the first signal to be taken", func() bool { // from then on the second one ends it at once
				p.first.signal(t, syscall.SIGTERM)
				return within(50*time.Millisecond, p.first.ended)
			})
		},
		"after the lease was lost": func(t *testing.T, p *pair) {
			p.second, p.secondID = p.worker()
			p.first.signal(t, syscall.SIGSTOP)
			await(t, "the second attempt", func() bool { return len(p.ledger()) == 2 })
			p.first.signal(t, syscall.SIGCONT)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pair{home: newHome(t)}
			p.serve("--workers", "0")
			p.first, p.firstID = p.worker()
			p.run = p.detach(p.template(step("deaf", deaf)))
			p.pids = p.home.pids(3)
			end(t, p)
			began := time.Now()
			if !within(grace+noise, func() bool { return !anyAlive(p.pids) }) {
				t.Errorf("%v later processes %v are still there", time.Since(began), p.pids)
			}
			t.Logf("gone after %v", time.Since(began))
			p.must("workflow", "cancel", p.run.Run)
		})
	}
}
