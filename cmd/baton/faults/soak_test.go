//go:build linux

package faults_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/workflows"
)

var soakRuns = flag.Int("faults.soak", 60, "how many short runs the soak starts")

// settled is how long after the last kill no run may be unfinished.
const settled = 60 * time.Second

// TestSoak starts many short runs while the server and its workers are killed at random. Of each that is not
// finished it is known why, whenever one asks, and a minute after the last kill all are.
func TestSoak(t *testing.T) {
	t.Parallel()
	some(t, func(t *testing.T, r *rand.Rand) {
		h := newHome(t)
		template := h.template(step("a", "true"), step("b", "sleep 0.05", "a"), step("c", "true", "a"), step("d", "true", "b", "c"))
		h.session()
		killer, asking := h.killer(r), h.asker()
		var group sync.WaitGroup
		todo := make(chan int)
		for range 4 {
			group.Go(func() {
				for i := range todo {
					h.persist("workflow", "run", template, "--detach", "--request-id", fmt.Sprint("soak ", i))
				}
			})
		}
		for i := range *soakRuns {
			todo <- i
		}
		close(todo)
		group.Wait()
		kills := killer()
		begun := time.Now()
		h.must("status") // starts a server
		var left []projections.RunRow
		if !within(settled, func() bool { left = h.unfinished(); return len(left) == 0 }) {
			t.Fatalf("%v after the last kill %d runs are unfinished, such as %s", settled, len(left), left[0].ID)
		}
		took := time.Since(begun)
		asked := asking()
		runs := ask[[]run](h, "workflow", "list")
		for _, one := range runs {
			if one.Status != "completed" {
				t.Errorf("run %s is %s", one.Run, one.Status)
			}
		}
		if len(runs) != *soakRuns {
			t.Errorf("%d runs, want %d", len(runs), *soakRuns)
		}
		events := h.events(runs[0].Session)
		checkLedger(t, h.ledger(), attempts(t, events))
		t.Logf("%d runs, %d kills, %d attempts lost, %d times asked why, %d finds of the reconciler, all finished %v after the last kill",
			len(runs), kills, countType(events, "call.lost"), asked, strings.Count(h.serverLog(), "reconciler found "), took)
	})
}

// asker asks each second of every run that is not finished why, until what it gives is called, which says how
// often it was told. A server that is being killed may leave a question open; no answer may be empty.
func (h *home) asker() (stop func() int) {
	return again(func() time.Duration { return time.Second }, h.askWhy)
}

// again does something after each pause until what it gives is called, which sums up what came of it.
func again(pause func() time.Duration, do func() int) (stop func() int) {
	done, ended := make(chan struct{}), make(chan int)
	go func() {
		sum := 0
		for {
			select {
			case <-done:
				ended <- sum
				return
			case <-time.After(pause()):
				sum += do()
			}
		}
	}()
	return func() int {
		close(done)
		return <-ended
	}
}

func (h *home) askWhy() (told int) {
	h.asks(func(ctx context.Context, client engine.Client) error {
		rows, err := open(ctx, client)
		for _, row := range rows {
			why, err := engine.As[workflows.Why](client.Query(ctx, "run.why", row.Session, engine.RunAsk{Run: row.ID}))
			if err != nil {
				return err
			}
			told++
			if len(why.Reasons) == 0 && slices.Contains(unfinished, string(why.State)) {
				h.t.Errorf("run %s is %s, and nobody knows why", row.ID, why.State)
			}
		}
		return err
	})
	return told
}

// asks asks the server that runs over one connection, since a process for each of many questions would leave it
// no time. Where it is killed meanwhile the questions stay open.
func (h *home) asks(ask func(context.Context, engine.Client) error) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client, done, err := host.Ask(ctx, host.Dial{Home: host.Home{Dir: h.baton()}})
	if err != nil {
		return false
	}
	defer done()
	return ask(ctx, client) == nil
}

// unfinished are the states of runs that go on.
var unfinished = []string{"running", "waiting"}

// open lists the runs that are not finished.
func open(ctx context.Context, client engine.Client) (out []projections.RunRow, err error) {
	for _, status := range unfinished {
		rows, err := engine.As[[]projections.RunRow](client.Query(ctx, "run.list", "", engine.ListAsk{Status: status}))
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// unfinished lists the runs that are not finished, asking until there is an answer.
func (h *home) unfinished() (out []projections.RunRow) {
	h.t.Helper()
	await(h.t, "a list of runs", func() bool {
		return h.asks(func(ctx context.Context, client engine.Client) (err error) {
			out, err = open(ctx, client)
			return err
		})
	})
	return out
}

// persist repeats a command that can be repeated until it is answered, however often the server is killed meanwhile.
func (h *home) persist(args ...string) {
	var last result
	if !within(patience, func() bool { last = h.run(args...); return last.code == 0 }) {
		h.t.Errorf("baton %v: exit %d: %s", args, last.code, last.stderr)
	}
}

// killer kills the server, and with it its workers, again and again until what it gives is called, which
// says how often it did.
func (h *home) killer(r *rand.Rand) (stop func() int) {
	pause := func() time.Duration { return time.Duration(300+r.IntN(1200)) * time.Millisecond }
	return again(pause, func() int {
		if e, ok := h.server(); ok && syscall.Kill(e.PID, syscall.SIGKILL) == nil {
			return 1
		}
		return 0
	})
}
