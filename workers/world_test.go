package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/memory"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

const (
	session = "0189f000-0000-7000-8000-00000000002b"
	lease   = 10 * time.Second
)

// work is an executor that is a function.
type work func(ctx context.Context, t workers.Task) workers.Outcome

func (w work) Execute(ctx context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	return w(ctx, t)
}

func done(context.Context, workers.Task) workers.Outcome {
	return workers.Outcome{Value: json.RawMessage(`"done"`)}
}

// untilEnded works until it is ended, and tells why.
func untilEnded(cause chan<- error) work {
	return func(ctx context.Context, _ workers.Task) workers.Outcome {
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return workers.Failed(workers.ClassOf(context.Cause(ctx)), "ended", "it was ended")
	}
}

type noSkills struct{}

func (noSkills) Route(context.Context, string, sessions.RouteTask) (events.Data, error) {
	return nil, errors.New("no router")
}
func (noSkills) Resolve(context.Context, string, string, string) sessions.Resolution {
	return sessions.Resolution{}
}
func (noSkills) Again(context.Context, events.RouteDecided) (events.Data, error) {
	return nil, errors.New("no router")
}

// world is an engine without workers of its own; pools are added to it.
type world struct {
	*engine.Engine
	t     *testing.T
	store *memory.Store
	pools int
}

// inWorld runs a test in a bubble of fake time with an engine.
func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memory.New("01TESTINSTALLATION", time.Now)
		store.SetLease(lease)
		var n atomic.Uint64
		logger := slog.New(slog.DiscardHandler)
		w := &world{t: t, store: store, Engine: engine.New(engine.Config{
			Log: store, Queue: store, Timers: store, Payloads: store, Beats: store, Bus: store, Skills: noSkills{},
			Process: "hub", Sole: true, Lease: lease, Now: time.Now, Logger: logger,
			NewID: func() string { return fmt.Sprintf("e%06d", n.Add(1)) },
		})}
		ctx, cancel := context.WithCancel(context.Background())
		projector := engine.NewProjector(store, "", logger)
		var group sync.WaitGroup
		group.Go(func() { _ = projector.Run(ctx) })
		group.Go(func() { w.Reconcile(ctx, projector) })
		t.Cleanup(func() { cancel(); group.Wait(); w.Close() })
		f(t, w)
	})
}

// pool starts a pool and gives the two ways to end it: drain lets running attempts finish.
func (w *world) pool(slots int, execute work, conduct workers.Conductor) (p *workers.Pool, drain func(), over <-chan struct{}) {
	w.pools++
	p = workers.NewPool(workers.Config{
		Queue: w.store, Beats: w.store, Executors: map[string]workers.Executor{"builtin": execute}, Process: fmt.Sprintf("p%d", w.pools),
		Queues: []string{"default"}, Slots: slots, Lease: lease, Logger: slog.New(slog.DiscardHandler),
	})
	if conduct == nil {
		conduct = engine.Local{Via: w.Engine}
	}
	p.Conduct(conduct)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	w.t.Cleanup(func() { p.Abort(); cancel(); <-ended })
	return p, cancel, ended
}

func (w *world) start(text string) {
	w.t.Helper()
	c := workflows.Start{Run: "r1", Name: "t", Text: text, Goal: "g", Mode: "auto", Workspace: "/nowhere", Folder: "/nowhere"}
	if _, err := w.Do(w.t.Context(), session, c, engine.Meta{Actor: "test"}); err != nil {
		w.t.Fatal(err)
	}
}

// history is the life of the session's attempts, one line an event, as it stands.
func (w *world) history() []string {
	w.t.Helper()
	var out []string
	for rec, err := range w.store.Read(w.t.Context(), stream.SessionEntity(session), 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range rec.Frame.Events {
			switch d := e.Data.(type) {
			case events.CallStarted:
				out = append(out, fmt.Sprintf("%s %d started by %s", d.Call, d.Attempt, d.Worker))
			case events.CallClosed:
				out = append(out, fmt.Sprintf("%s %d closed %s", d.Call, d.Attempt, d.Value.JSON))
			case events.CallFailed:
				out = append(out, fmt.Sprintf("%s %d failed %s %s", d.Call, d.Attempt, d.Failure.Class, d.Failure.Code))
			case events.CallLost:
				out = append(out, fmt.Sprintf("%s %d lost", d.Call, d.Attempt))
			case events.RunCompleted:
				out = append(out, "completed")
			case events.RunFailed:
				out = append(out, "failed")
			}
		}
	}
	return out
}

// over waits until the run has ended; an hour of fake time is the bound.
func (w *world) over() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Hour)
	defer cancel()
	for rec := range w.store.Tail(ctx, 0) {
		for _, e := range rec.Frame.Events {
			switch e.Data.(type) {
			case events.RunCompleted, events.RunFailed:
				return
			}
		}
	}
	w.t.Fatalf("the run did not end: %v", w.history())
}
