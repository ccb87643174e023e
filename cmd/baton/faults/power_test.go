//go:build linux

package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/stream"
)

// shown remembers what a reader was shown of the log, by sequence.
type shown struct {
	mu     sync.Mutex
	events map[uint64]string // ids of events
	after  uint64
}

// read follows the log as any program may, until ctx is done.
func (s *shown) read(ctx context.Context, client engine.Client) {
	for stream.Pause(ctx, time.Millisecond) {
		page, err := engine.As[engine.EventPage](client.Query(ctx, "events", "", engine.EventsAsk{After: s.after, Limit: 200}))
		if err != nil {
			continue
		}
		s.mu.Lock()
		for _, e := range page.Events {
			s.events[e.Seq] = e.ID
		}
		s.after = page.After
		s.mu.Unlock()
	}
}

// powerValue is the size of the n-th value: most stand in their commit, some are large enough to lie in the
// payload store.
func powerValue(n int) int {
	if n%8 == 0 {
		return 80_000 + 1000*(n%30)
	}
	return 3_000 + 100*(n%50)
}

// TestPowerLoss: the power goes while many write, over connections and by commands of their own, and one
// reads. Whatever anybody was told is there afterwards, in the classes that promise it.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, r *rand.Rand) {
		for _, class := range []string{"group", "always"} {
			for _, count := range []int{16, 64} {
				if *manySeeds == 1 && (class == "always") != (count == 16) {
					continue // one of each, where few are asked for
				}
				t.Run(fmt.Sprintf("%s with %d writers", class, count), func(t *testing.T) { losePower(t, r, class, count) })
			}
		}
	})
}

func losePower(t *testing.T, r *rand.Rand, class string, count int) {
	h := newHome(t, "BATON_DURABILITY="+class)
	disk := newDisk(t, h, 400)
	server := h.serve("--workers", "0")
	var ids []string
	for range count {
		ids = append(ids, h.session())
	}
	w, seen := newWriters(), &shown{events: map[uint64]string{}}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for i := range 4 { // connections
		client := h.client()
		for _, id := range ids[i*count/4 : (i+1)*count/4] {
			group.Go(func() { _ = w.write(ctx, client, id, powerValue, 1_000_000) })
		}
	}
	reader := h.client()
	group.Go(func() { seen.read(ctx, reader) })
	commands := newWriters()
	extra := h.session()
	group.Go(func() { h.setOften(ctx, commands, extra) })
	target := 600 + r.IntN(1200) // several blocks of 8 MiB
	await(t, "enough acknowledged values", func() bool { return w.total() > target || server.ended() })
	acks, told := map[string]int{}, map[uint64]string{}
	disk.losePower(server.Process.Pid, func() {
		stop()
		group.Wait()
		acks = w.copied()
		acks[extra] = commands.of(extra)
		for seq, id := range seen.events {
			told[seq] = id
		}
	})
	h.serve("--workers", "0")
	h.checkKept(acks, told)
	t.Logf("%d values acknowledged, %d events shown", w.total(), len(told))
}

// setOften sets values by the command, one process each.
func (h *home) setOften(ctx context.Context, w *writers, session string) {
	for n := 1; ctx.Err() == nil; n++ {
		cmd := h.command("--session", session, "ctx", "set", "k", value(session, n, powerValue(n)))
		if cmd.Start() != nil {
			return
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				return
			}
			w.acked(session, n)
		case <-ctx.Done():
			_ = cmd.Process.Kill()
			<-done
		}
	}
}

// checkKept compares what is there with what was told.
func (h *home) checkKept(acks map[string]int, told map[uint64]string) {
	t := h.t
	t.Helper()
	found := h.found()
	client := h.client()
	for id, n := range acks {
		if found[id] < n {
			t.Errorf("session %s has %d values, %d were acknowledged", id, found[id], n)
			continue
		}
		if last := found[id]; last > 0 { // the last one, large or not, can be read
			raw, err := client.Query(t.Context(), "context.get", id, engine.KeyAsk{Key: "k"})
			var got struct{ Value string }
			if err != nil || json.Unmarshal(raw, &got) != nil || !strings.HasPrefix(got.Value, fmt.Sprintf("%s/%d/", id, last)) {
				t.Errorf("value %d of session %s reads as %.60s, %v", last, id, raw, err)
			}
		}
	}
	there := map[uint64]string{}
	for _, e := range eventLines(t, h.must("events", "--all", "--json")) {
		there[e.Seq] = e.ID
	}
	for seq, id := range told {
		if there[seq] != id {
			t.Errorf("event %s was shown at %d, where %q is now", id, seq, there[seq])
		}
	}
	for _, command := range [][]string{{"audit", "verify"}, {"doctor"}} {
		if r := h.run(command...); r.code != 0 {
			t.Errorf("%v exits with %d: %s%s", command, r.code, r.stdout, r.stderr)
		}
	}
}

// TestPowerLossWithAnInterval: what was acknowledged longer ago than the interval is there, and doctor says
// what may be missing.
func TestPowerLossWithAnInterval(t *testing.T) {
	t.Parallel()
	const interval = 200 * time.Millisecond
	h := newHome(t, "BATON_DURABILITY=interval="+interval.String())
	disk := newDisk(t, h, 400)
	server := h.serve("--workers", "0")
	id := h.session()
	w := newWriters()
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	client := h.client()
	group.Go(func() { _ = w.write(ctx, client, id, powerValue, 1_000_000) })
	begun := time.Now()
	await(t, "some time of writing", func() bool { return time.Since(begun) > interval+2*noise && w.total() > 100 })
	stopped, kept := time.Now(), 0
	disk.losePower(server.Process.Pid, func() {
		stop()
		group.Wait()
		kept = w.before(id, stopped.Add(-interval-noise))
	})
	h.serve("--workers", "0")
	if found := h.found()[id]; found < kept || kept < 10 {
		t.Errorf("%d values are there, %d were acknowledged longer ago than the interval", found, kept)
	}
	if doctor := h.run("doctor"); doctor.code != 0 || !strings.Contains(doctor.stdout, "a power loss at most the last 200ms") {
		t.Errorf("doctor exits with %d: %s", doctor.code, doctor.stdout)
	}
}

// TestPowerLossIsOne: a disk that lost its power has lost what nobody flushed, or the tests above show nothing.
func TestPowerLossIsOne(t *testing.T) {
	t.Parallel()
	h := newHome(t, "BATON_DURABILITY=interval=1h")
	disk := newDisk(t, h, 200)
	server := h.serve("--workers", "0")
	id := h.session()
	w := newWriters()
	if err := w.write(t.Context(), h.client(), id, powerValue, 200); err != nil {
		t.Fatal(err)
	}
	disk.losePower(server.Process.Pid, func() {})
	r := h.run("events", "--all", "--type", "context.set", "--json")
	if r.code == 0 && len(eventLines(t, r.stdout)) == 200 {
		t.Error("nothing is lost, though nothing was flushed")
	}
}
