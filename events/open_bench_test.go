package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
)

// step is a commit as a chain of steps has them: an end, what it wrote, the next call and its claim.
func step(tb testing.TB) events.Frame {
	tb.Helper()
	value := events.Value{JSON: json.RawMessage(`{"data":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}`)}
	var b events.Batch
	for _, fact := range []events.Data{
		events.CallClosed{Call: "r-1/a", Attempt: 1, Status: "ok", Value: value},
		events.ContextSet{Key: "out.a", Value: value, Rev: 1, By: "a", Call: "r-1/a"},
		events.CallOpened{Call: "r-1/b", Run: "r-1", Step: "b", Queue: "default", Inputs: map[string]events.Value{"data": value}},
		events.CallStarted{Call: "r-1/b", Attempt: 1, Worker: "s.1"},
	} {
		e := events.New(fact)
		e.ID, e.Time, e.Actor = "01M8P15NV0S9TTW3ZW9QAFFJ8R", time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), "worker:s.1"
		if err := b.Add(e); err != nil {
			tb.Fatal(err)
		}
	}
	f, err := b.Seal("ad256c48-2ee5-86f1-be2f-898b14c50cd0", events.Genesis("i", "s"), "s1")
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func BenchmarkOpen(b *testing.B) {
	message := step(b).Bytes()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, err := events.Open(message); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	f := step(b)
	b.SetBytes(int64(len(f.Bytes())))
	for b.Loop() {
		if _, err := events.Seal(f.Session, events.Link{Hash: f.Prev}, f.Writer, f.Events); err != nil {
			b.Fatal(err)
		}
	}
}
