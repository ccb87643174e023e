package streamtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/stream"
)

const work = "small_jobs-1"

var queueTests = map[string]func(*testing.T, Fixture){
	"order and ack":                 testQueueOrder,
	"comes again after a lease":     testLease,
	"extend puts redelivery off":    testExtend,
	"nak with a delay":              testNak,
	"nak at once":                   testNakAtOnce,
	"remove":                        testRemove,
	"one a pull":                    testOneAPull,
	"a pull that ends takes none":   testPullEnds,
	"what is no baton is set aside": testAside,
	"same baton twice":              testTwice,
	"served while somebody pulls":   testServed,
}

func testQueueOrder(t *testing.T, f Fixture) {
	first := publish(t, f, "c001")
	second := publish(t, f, "r/fetch.2")
	checkDepth(t, f, 2)
	for _, want := range []struct {
		call     string
		sequence uint64
	}{{"c001", first}, {"r/fetch.2", second}} {
		d := pull(t, f)
		if d.Baton() != baton(want.call) || d.Sequence() != want.sequence || d.Count() != 1 {
			t.Errorf("pulled %+v at %d, delivery %d, want %s at %d, delivery 1", d.Baton(), d.Sequence(), d.Count(), want.call, want.sequence)
		}
		ack(t, d)
	}
	eventually(t, "queue is empty", func() bool { return depth(t, f) == 0 })
	nothing(t, f, f.Lease*5/4)
}

func testLease(t *testing.T, f Fixture) {
	publish(t, f, "c001")
	held := pull(t, f)
	since := time.Now()
	again := pull(t, f)
	if waited := time.Since(since); waited < f.Lease/2 {
		t.Errorf("baton came again after %v, before its lease of %v", waited, f.Lease)
	}
	if again.Sequence() != held.Sequence() || again.Count() != 2 {
		t.Errorf("sequence %d, delivery %d, want %d, 2", again.Sequence(), again.Count(), held.Sequence())
	}
	ack(t, again)
	nothing(t, f, f.Lease*5/4)
}

func testExtend(t *testing.T, f Fixture) {
	publish(t, f, "c001")
	d := pull(t, f)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for tick := time.NewTicker(f.Lease / 8); ctx.Err() == nil; <-tick.C {
			_ = d.Extend(ctx)
		}
	}()
	nothing(t, f, 2*f.Lease)
	stop()
	if again := pull(t, f); again.Count() != 2 {
		t.Errorf("delivery %d, want 2", again.Count())
	}
}

func testNak(t *testing.T, f Fixture) {
	publish(t, f, "c001")
	d := pull(t, f)
	delay := f.Lease / 2
	since := time.Now()
	if err := d.Nak(t.Context(), delay); err != nil {
		t.Fatal(err)
	}
	again := pull(t, f)
	if waited := time.Since(since); waited < delay-5*time.Millisecond {
		t.Errorf("baton came again after %v, want %v", waited, delay)
	}
	if again.Count() != 2 {
		t.Errorf("delivery %d, want 2", again.Count())
	}
}

func testNakAtOnce(t *testing.T, f Fixture) {
	publish(t, f, "c001")
	for count := 1; count <= 3; count++ {
		d := pull(t, f)
		if d.Count() != count {
			t.Fatalf("delivery %d, want %d", d.Count(), count)
		}
		if err := d.Nak(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
}

func testRemove(t *testing.T, f Fixture) {
	held, free := publish(t, f, "c001"), publish(t, f, "c002")
	pull(t, f)
	for _, sequence := range []uint64{held, free, free, 4711} {
		if err := f.Queue.Remove(t.Context(), sequence); err != nil {
			t.Errorf("remove %d: %v", sequence, err)
		}
	}
	checkDepth(t, f, 0)
	nothing(t, f, f.Lease*5/4)
}

func testOneAPull(t *testing.T, f Fixture) {
	for _, call := range []string{"c001", "c002", "c003"} {
		publish(t, f, call)
	}
	pull(t, f)
	// The others were in nobody's hand meanwhile: they come as their first delivery.
	for range 2 {
		if d := pull(t, f); d.Count() != 1 {
			t.Errorf("%s comes as delivery %d, want 1", d.Baton().Call, d.Count())
		}
	}
}

func testPullEnds(t *testing.T, f Fixture) {
	for range 5 {
		if _, err := f.Queue.Pull(within(t, 20*time.Millisecond), work); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("pull from an empty queue: %v, want its context's error", err)
		}
	}
	publish(t, f, "c001")
	if d := pull(t, f); d.Count() != 1 {
		t.Errorf("baton came as delivery %d: pulls that had ended took it", d.Count())
	}
}

func testAside(t *testing.T, f Fixture) {
	for _, message := range []string{"", "not JSON", `{"call":"c001"}`, `[1]`, "\x00\xff"} {
		f.InjectWork(work, []byte(message))
	}
	publish(t, f, "c007")
	if d := pull(t, f); d.Baton().Call != "c007" {
		t.Errorf("pulled %+v, want the baton behind what is none", d.Baton())
	}
	eventually(t, "only the baton is left", func() bool { return depth(t, f) == 1 })
}

func testTwice(t *testing.T, f Fixture) {
	one, two := publish(t, f, "c001"), publish(t, f, "c001")
	if one == two {
		t.Fatalf("both copies are at %d", one)
	}
	if diff := cmp.Diff([]uint64{one, two}, []uint64{pull(t, f).Sequence(), pull(t, f).Sequence()}); diff != "" {
		t.Error(diff)
	}
}

func baton(call string) stream.Baton {
	return stream.Baton{Session: "s", Call: call, After: 12, Wake: true}
}

func publish(t *testing.T, f Fixture, call string) uint64 {
	t.Helper()
	sequence, err := f.Queue.Publish(t.Context(), work, baton(call))
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

func pull(t *testing.T, f Fixture) stream.Delivery {
	t.Helper()
	d, err := f.Queue.Pull(within(t, patience), work)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ack(t *testing.T, d stream.Delivery) {
	t.Helper()
	if err := d.Ack(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testServed(t *testing.T, f Fixture) {
	served := func() bool {
		t.Helper()
		yes, err := f.Queue.Served(t.Context(), work)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if served() {
		t.Error("queue is served before anybody pulled")
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = f.Queue.Pull(ctx, work)
	}()
	eventually(t, "queue is served by a pull that waits", served)
	stop()
	<-ended
	publish(t, f, "c001")
	d := pull(t, f)
	if !served() {
		t.Error("queue is not served while a baton is in a hand")
	}
	ack(t, d)
}

func nothing(t *testing.T, f Fixture, d time.Duration) {
	t.Helper()
	if got, err := f.Queue.Pull(within(t, d), work); err == nil {
		t.Errorf("pulled %+v, delivery %d, want nothing", got.Baton(), got.Count())
	}
}

func depth(t *testing.T, f Fixture) int {
	t.Helper()
	n, err := f.Queue.Depth(t.Context(), work)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func checkDepth(t *testing.T, f Fixture, want int) {
	t.Helper()
	if got := depth(t, f); got != want {
		t.Errorf("depth is %d, want %d", got, want)
	}
}

// eventually waits for what is observed by asking.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx := within(t, patience); !so(); <-tick.C {
		if ctx.Err() != nil {
			t.Fatalf("it did not come to pass that %s", what)
		}
	}
}
