package streamtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/batonflow/baton/stream"
)

var busTests = map[string]func(*testing.T, Fixture){
	"answers of any size": func(t *testing.T, f Fixture) {
		serve(t, f, func(_ context.Context, request []byte) []byte {
			size, _ := strconv.Atoi(string(request))
			return noise(size)
		})
		for _, size := range []int{0, 1, 512 << 10, 512<<10 + 1, 1 << 20, 12_345_678} {
			got, err := f.Bus.Ask(within(t, patience), "test.bus", []byte(strconv.Itoa(size)))
			if err != nil || !bytes.Equal(got, noise(size)) {
				t.Errorf("answer of %d bytes came as %d, %v", size, len(got), err)
			}
		}
	},
	"many at once": func(t *testing.T, f Fixture) {
		serve(t, f, func(_ context.Context, request []byte) []byte { return bytes.Repeat(request, 200_000) })
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				request := fmt.Appendf(nil, "%02d:", i)
				got, err := f.Bus.Ask(within(t, patience), "test.bus", request)
				if err != nil || !bytes.Equal(got, bytes.Repeat(request, 200_000)) {
					t.Errorf("request %d got %d bytes, %v", i, len(got), err)
				}
			})
		}
		all.Wait()
	},
	"a slow answer holds up no other": func(t *testing.T, f Fixture) {
		release := make(chan struct{})
		serve(t, f, func(_ context.Context, request []byte) []byte {
			if string(request) == "slow" {
				<-release
			}
			return request
		})
		slow := make(chan error, 1)
		go func() {
			_, err := f.Bus.Ask(within(t, patience), "test.bus", []byte("slow"))
			slow <- err
		}()
		if _, err := f.Bus.Ask(within(t, patience), "test.bus", []byte("quick")); err != nil {
			t.Error(err)
		}
		close(release)
		if err := <-slow; err != nil {
			t.Error(err)
		}
	},
	"nobody serves": func(t *testing.T, f Fixture) {
		if _, err := f.Bus.Ask(within(t, patience), "test.nobody", nil); !errors.Is(err, stream.ErrNobody) || !errors.Is(err, stream.ErrUnavailable) {
			t.Errorf("%v, want %v", err, stream.ErrNobody)
		}
	},
	"no answer in time": func(t *testing.T, f Fixture) {
		serve(t, f, func(context.Context, []byte) []byte { <-t.Context().Done(); return nil })
		if _, err := f.Bus.Ask(within(t, 50*time.Millisecond), "test.bus", nil); !errors.Is(err, stream.ErrUnavailable) {
			t.Errorf("%v, want %v", err, stream.ErrUnavailable)
		}
	},
	"a request over the bound": func(t *testing.T, f Fixture) {
		var served atomic.Int32
		serve(t, f, func(_ context.Context, request []byte) []byte { served.Add(1); return request })
		if got, err := f.Bus.Ask(within(t, patience), "test.bus", noise(1_000_000)); err != nil || len(got) != 1_000_000 {
			t.Errorf("a megabyte: %d bytes, %v", len(got), err)
		}
		if _, err := f.Bus.Ask(within(t, patience), "test.bus", noise(2<<20)); err == nil || errors.Is(err, stream.ErrUnavailable) {
			t.Errorf("two megabytes: %v, want a refusal of its own", err)
		}
		if served.Load() != 1 {
			t.Errorf("%d requests were served, want 1", served.Load())
		}
	},
	"one of a group, until it stops": func(t *testing.T, f Fixture) {
		var served atomic.Int32
		ctx, stop := context.WithCancel(t.Context())
		for range 3 {
			err := f.Bus.Serve(ctx, "test.bus", "group", func(context.Context, []byte) []byte { served.Add(1); return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 30 {
			if _, err := f.Bus.Ask(within(t, patience), "test.bus", nil); err != nil {
				t.Fatal(err)
			}
		}
		if served.Load() != 30 {
			t.Errorf("30 requests were served %d times", served.Load())
		}
		stop()
		eventually(t, "nobody serves any more", func() bool {
			_, err := f.Bus.Ask(within(t, patience), "test.bus", nil)
			return errors.Is(err, stream.ErrUnavailable)
		})
	},
}

func serve(t *testing.T, f Fixture, answer func(context.Context, []byte) []byte) {
	t.Helper()
	if err := f.Bus.Serve(t.Context(), "test.bus", "group", answer); err != nil {
		t.Fatal(err)
	}
}
