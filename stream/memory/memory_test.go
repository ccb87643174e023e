package memory_test

import (
	"testing"
	"time"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/memory"
	"github.com/batonflow/baton/stream/streamtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	streamtest.Run(t, func(*testing.T) streamtest.Fixture {
		const lease = 500 * time.Millisecond
		s := memory.New("01INSTALLATION", time.Now)
		s.SetLease(lease)
		return streamtest.Fixture{
			Log: s, Queue: s, Timers: s, Payloads: s, Snapshots: s, Beats: s, Bus: s, Live: s,
			Lease:         lease,
			Inject:        s.Inject,
			InjectWork:    func(queue string, message []byte) { s.InjectWork(queue, message) },
			InjectPayload: s.InjectPayload,
		}
	})
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	s := memory.New("01INSTALLATION", time.Now)
	s.InjectWork("q", []byte("no baton"))
	if _, err := s.Publish(t.Context(), "q", stream.Baton{Session: "s", Call: "c"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pull(t.Context(), "q"); err != nil {
		t.Fatal(err)
	}
	if got := s.SetAside(); len(got) != 1 || string(got[0].Bytes) != "no baton" || got[0].Queue != "q" {
		t.Errorf("set aside %+v", got)
	}
}
