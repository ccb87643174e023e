package memory_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/memory"
)

// TestBubble: the store lives in a bubble of fake time, where an hour passes at once and exactly.
func TestBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memory.New("01INSTALLATION", time.Now)
		begin := time.Now()
		if err := s.Arm(t.Context(), stream.Alarm{Session: "s", Timer: "t", At: begin.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Publish(t.Context(), "q", stream.Baton{Session: "s"}); err != nil {
			t.Fatal(err)
		}
		for count := 1; count <= 3; count++ {
			d, err := s.Pull(t.Context(), "q")
			if err != nil || d.Count() != count {
				t.Fatalf("delivery %v, %v, want %d", d, err, count)
			}
			if want := time.Duration(count-1) * memory.DefaultLease; time.Since(begin) != want {
				t.Errorf("delivery %d came after %v, want %v", count, time.Since(begin), want)
			}
		}
		_, done, err := s.Due(t.Context())
		if err != nil || time.Since(begin) != time.Hour {
			t.Fatalf("alarm rang after %v with %v, want an hour", time.Since(begin), err)
		}
		if err := done(t.Context()); err != nil {
			t.Error(err)
		}

		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int)
		go func() {
			n := 0
			for range s.Tail(ctx, 0) {
				n++
			}
			ended <- n
		}()
		s.Inject("session.s", []byte("torn"))
		synctest.Wait()
		stop()
		if n := <-ended; n != 1 {
			t.Errorf("tail gave %d records, want 1", n)
		}
	})
}
