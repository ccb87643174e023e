package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/jetstream"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/builtin"
	"github.com/batonflow/baton/workflows"
)

// Each benchmark measures the raw publish first, on the server that it then works on: requests of 900
// bytes to a subject of the log's stream, answered by the server's acknowledgement, and nothing else.
// "ratio" is steps a second over raw publishes a second with as many publishers as there are runs.

// rawBytes is about what a step takes in the log.
const rawBytes = 900

// benchStore is a log to measure on, and how many raw publishes a second it takes.
type benchStore struct {
	name string
	open func(b *testing.B) ports
}

var benchStores = []benchStore{
	{"memory", func(*testing.B) ports { return newStore() }},
	{"jetstream", openJetStream},
}

// openJetStream runs an embedded server with the durability class interval=1s.
func openJetStream(b *testing.B) ports {
	b.Helper()
	logger := slog.New(slog.DiscardHandler)
	server, err := jetstream.Start(b.Context(), jetstream.ServerConfig{StoreDir: b.TempDir(), Token: "bench", Durability: stream.Durability{Class: stream.Interval, Every: time.Second}, Logger: logger})
	if err != nil {
		b.Fatal(err)
	}
	store, err := jetstream.Open(b.Context(), jetstream.Config{Server: server, Token: "bench", New: "01BENCHINSTALLATION", Logger: logger})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
		if err := server.Close(); err != nil {
			b.Error(err)
		}
	})
	return store
}

// rawFor is how long raw publishing is measured.
const rawFor = 500 * time.Millisecond

// raw measures publishes a second with a number of publishers; 0 for a log that is not on JetStream.
func raw(b *testing.B, store ports, publishers int) float64 {
	b.Helper()
	if _, ok := store.(*jetstream.Store); !ok {
		return 0
	}
	body := []byte(`{"raw":"` + strings.Repeat("x", rawBytes-10) + `"}`)
	ctx, cancel := context.WithTimeout(b.Context(), rawFor)
	defer cancel()
	var published atomic.Int64
	var group sync.WaitGroup
	begun := time.Now()
	for i := range publishers {
		group.Go(func() {
			subject := fmt.Sprintf("ev.session.raw%d", i)
			for ctx.Err() == nil {
				answer, err := store.Ask(b.Context(), subject, body)
				var ack struct{ Seq uint64 }
				if err == nil {
					err = json.Unmarshal(answer, &ack)
				}
				if err != nil || ack.Seq == 0 {
					b.Errorf("raw publish: %v %s", err, answer)
					return
				}
				published.Add(1)
			}
		})
	}
	group.Wait()
	return float64(published.Load()) / time.Since(begun).Seconds()
}

// tally counts the commits that get in, and tells when a run's last one is in.
type tally struct {
	ports
	commits atomic.Int64
	ended   chan string // the session
}

func (t *tally) Append(ctx context.Context, entity stream.Entity, after uint64, frame events.Frame) (uint64, error) {
	sequence, err := t.ports.Append(ctx, entity, after, frame)
	if err != nil {
		return sequence, err
	}
	t.commits.Add(1)
	switch frame.Events[len(frame.Events)-1].Data.(type) {
	case events.RunCompleted, events.RunFailed:
		t.ended <- entity.Session()
	}
	return sequence, nil
}

// bench is a server at work on a log.
type bench struct {
	*world
	tally *tally
	raw   float64
	runs  int // started so far
}

func newBench(b *testing.B, store ports, slots, publishers int) *bench {
	b.Helper()
	x := &bench{raw: raw(b, store, publishers), tally: &tally{ports: store, ended: make(chan string, 1024)}}
	noop := func(ctx context.Context, t workers.Task) workers.Outcome {
		return builtin.Executor{}.Execute(ctx, t, nil)
	}
	x.world = newWorld(b, worldConfig{store: x.tally, slots: slots, dir: "/nowhere", quiet: true, work: noop})
	return x
}

// round starts as many runs at once as it is told, and returns when the last has ended.
func (x *bench) round(b *testing.B, text string, runs int) {
	b.Helper()
	for range runs {
		x.runs++
		session := named(fmt.Sprintf("%s %d", b.Name(), x.runs))
		go func() {
			if _, err := x.Do(b.Context(), session, benchStart(text), meta); err != nil {
				b.Error(err)
				x.tally.ended <- session
			}
		}()
	}
	for range runs {
		<-x.tally.ended
	}
}

func benchStart(text string) workflows.Command {
	return workflows.Start{Run: "r1", Name: "bench", Text: text, Goal: "bench", Mode: "auto", Workspace: "/nowhere", Folder: "/nowhere"}
}

// report says what the work cost. The commit that starts a run is not one of its steps'.
func (x *bench) report(b *testing.B, stepsARun int, commits int64) {
	b.Helper()
	steps := float64(x.runs * stepsARun)
	perSecond := steps / b.Elapsed().Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(perSecond, "steps/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e6/steps, "µs/step")
	b.ReportMetric(float64(commits-int64(x.runs))/steps, "commits/step")
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/round")
	if x.raw > 0 {
		b.ReportMetric(x.raw, "raw/s")
		b.ReportMetric(perSecond/x.raw, "ratio")
	}
}

func (x *bench) measure(b *testing.B, text string, stepsARun, runs int) {
	b.Helper()
	before := x.tally.commits.Load()
	for b.Loop() {
		x.round(b, text, runs)
	}
	x.report(b, stepsARun, x.tally.commits.Load()-before)
}

// BenchmarkRawPublish is what everything else is measured by.
func BenchmarkRawPublish(b *testing.B) {
	for _, publishers := range []int{1, 64} {
		b.Run(fmt.Sprintf("publishers=%d", publishers), func(b *testing.B) {
			store := openJetStream(b)
			var sum float64
			for b.Loop() {
				sum += raw(b, store, publishers)
			}
			perSecond := sum / float64(b.N)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(perSecond, "raw/s")
			b.ReportMetric(1e6/perSecond, "µs/publish")
		})
	}
}

// BenchmarkChain is a chain of ten steps that do nothing, in one run and in 64 at once. There are slots
// to spare, so that a run never waits for one that the run before it has not given back yet.
func BenchmarkChain(b *testing.B) {
	const steps = 10
	for _, store := range benchStores {
		for _, runs := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/runs=%d", store.name, runs), func(b *testing.B) {
				newBench(b, store.open(b), 2*runs, runs).measure(b, chain(steps), steps, runs)
			})
		}
	}
}

// BenchmarkFanOut is a thousand steps side by side and a join over them.
func BenchmarkFanOut(b *testing.B) {
	const branches = 1000
	for _, store := range benchStores {
		for _, slots := range []int{8, 64} {
			b.Run(fmt.Sprintf("%s/slots=%d", store.name, slots), func(b *testing.B) {
				newBench(b, store.open(b), slots, 1).measure(b, fan(branches), branches+1, 1)
			})
		}
	}
}
