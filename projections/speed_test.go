package projections

import (
	"fmt"
	"io"
	"testing"

	"github.com/batonflow/baton/events"
)

// chainLog is a run of so many steps, one commit a step, as one worker writes it.
func chainLog(steps int) []recorded {
	const run = "r-1"
	facts := []events.Data{events.SessionStarted{Goal: "g"}, events.RunStarted{Run: run}}
	var log []recorded
	for i := range steps {
		id := fmt.Sprintf("s%d", i)
		facts = append(facts, step(run, id), events.CallStarted{Call: run + "/" + id, Attempt: 1, Worker: "p1.0"})
		frame := events.Frame{Session: sessionA, N: uint64(i + 1)}
		for _, d := range facts {
			frame.Events = append(frame.Events, events.New(d))
		}
		log = append(log, recorded{uint64(i + 1), frame})
		facts = []events.Data{events.CallClosed{Call: run + "/" + id, Attempt: 1, Status: "ok", Value: raw(`{"n":1}`)}}
	}
	return log
}

func BenchmarkFold(b *testing.B) {
	log := chainLog(10_000)
	for _, row := range Projections {
		b.Run(row.Name, func(b *testing.B) {
			for b.Loop() {
				p := row.New()
				for _, c := range log {
					p.Fold(c.sequence, c.frame)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(log)), "ns/commit")
		})
	}
}

func BenchmarkRender(b *testing.B) {
	trace, pipeline := new(Trace), new(Pipeline)
	for _, c := range chainLog(10_000) {
		trace.Fold(c.sequence, c.frame)
		pipeline.Fold(c.sequence, c.frame)
	}
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			if err := trace.Text(io.Discard, "en"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pipeline_trace", func(b *testing.B) {
		for b.Loop() {
			pipeline.File(traceFile)
		}
	})
}
