package jetstream

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

// BenchmarkGroupAgainstAlways is how many commits a second several writers get acknowledged in the class
// group, and how many times that of always it is. The two take turns, so that a busy machine slows both.
func BenchmarkGroupAgainstAlways(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			group, always := openClass(b, stream.Group), openClass(b, stream.Always)
			var g, a, ratio []float64
			for b.Loop() {
				for range 5 {
					const turn = 500 * time.Millisecond
					g, a = append(g, rate(b, group, writers, turn)), append(a, rate(b, always, writers, turn))
					ratio = append(ratio, g[len(g)-1]/a[len(a)-1])
				}
			}
			b.ReportMetric(median(g), "group/s")
			b.ReportMetric(median(a), "always/s")
			b.ReportMetric(median(ratio), "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }

func openClass(b *testing.B, class string) *Store {
	b.Helper()
	server, err := Start(b.Context(), ServerConfig{
		StoreDir: b.TempDir(), AnchorDir: b.TempDir(), Token: testToken, Durability: stream.Durability{Class: class}, Logger: testLogger(b),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Close(); err != nil {
			b.Error(err)
		}
	})
	return testStore(b, server, Config{})
}

// rate is how many commits a second get settled for the writers together, each in a session of its own.
func rate(b *testing.B, s *Store, writers int, turn time.Duration) float64 {
	b.Helper()
	var group sync.WaitGroup
	counts, start := make([]int, writers), time.Now()
	for w := range writers {
		group.Go(func() {
			var after uint64
			session := fmt.Sprintf("s%d-%d", w, start.UnixNano())
			link := events.Genesis(s.Installation(), session)
			for time.Since(start) < turn {
				frame, err := events.Seal(session, link, "bench", testFrame(b, link).Events)
				if err != nil {
					b.Error(err)
					return
				}
				if after, err = s.Append(b.Context(), stream.SessionEntity(session), after, frame); err == nil {
					err = s.Settle(b.Context(), after)
				}
				if err != nil {
					b.Error(err)
					return
				}
				link = frame.Link()
				counts[w]++
			}
		})
	}
	group.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(start).Seconds()
}
