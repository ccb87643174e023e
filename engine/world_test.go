package engine_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/batonflow/baton/engine"
	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/memory"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workflows"
)

// noSkills routes nothing: templates in these tests name their executors.
type noSkills struct{}

func (noSkills) Route(context.Context, string, sessions.RouteTask) (events.Data, error) {
	return nil, errors.New("no router here")
}
func (noSkills) Resolve(context.Context, string, string, string) sessions.Resolution {
	return sessions.Resolution{}
}
func (noSkills) Again(context.Context, events.RouteDecided) (events.Data, error) {
	return nil, errors.New("no router here")
}

// ledger is an executor that counts effects outside the engine.
type ledger struct {
	mu      sync.Mutex
	started map[string][]int // call -> attempts
	work    func(ctx context.Context, t workers.Task) workers.Outcome
}

func (l *ledger) Execute(ctx context.Context, t workers.Task, _ io.Writer) workers.Outcome {
	l.mu.Lock()
	l.started[t.Call] = append(l.started[t.Call], t.Attempt)
	l.mu.Unlock()
	if l.work != nil {
		return l.work(ctx, t)
	}
	return workers.Outcome{Value: json.RawMessage(`"done"`)}
}

func (l *ledger) starts(call string) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int{}, l.started[call]...)
}

// ports is everything an engine needs of its substrate.
type ports interface {
	stream.Log
	stream.Queue
	stream.Timers
	stream.Payloads
	stream.Snapshots
	stream.Beats
	stream.Bus
}

// world is an engine with a pool over a log, in memory unless a test says otherwise.
type world struct {
	*engine.Engine
	store     ports
	pool      *workers.Pool
	ledger    *ledger
	queries   engine.Queries
	scheduler *engine.Scheduler
	dir       string
	waits     time.Duration // for a run to end
	stop      func()        // in order: running attempts are given back
	kill      func()        // at once: the engine goes first
}

// worldConfig has sensible zero values: a fresh log in memory, one process, no workers.
type worldConfig struct {
	store      ports
	process    string
	slots      int
	lease      time.Duration
	gone       func(string) bool
	work       func(ctx context.Context, t workers.Task) workers.Outcome
	skills     engine.Skills
	now        func() time.Time
	dir        string        // workspace; "": a temporary one
	waits      time.Duration // for a run to end; 0: 30 s
	shared     bool          // other processes append to the log too
	byBaton    bool          // calls start by batons alone, never in the commit that opens them
	quiet      bool          // warnings are expected
	unattended bool          // nothing makes up for lost batons and alarms
	kept       int           // a snapshot after so many bytes of commits; 0: as the server does
	folds      int           // bytes that folds may take; 0: as the server does
}

func (c *worldConfig) defaults(t testing.TB) {
	if c.store == nil {
		c.store = newStore()
	}
	if c.process == "" {
		c.process = "s1"
	}
	if c.lease == 0 {
		c.lease = 10 * time.Second
	}
	if c.waits == 0 {
		c.waits = 30 * time.Second
	}
	if c.skills == nil {
		c.skills = noSkills{}
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.dir == "" {
		c.dir = t.TempDir()
	}
}

func newStore() *memory.Store { return memory.New("01TESTINSTALLATION", time.Now) }

func (c *worldConfig) logger(t testing.TB) *slog.Logger {
	out := t.Output()
	if c.quiet {
		out = io.Discard
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

func newWorld(t testing.TB, c worldConfig) *world {
	t.Helper()
	c.defaults(t)
	logger := c.logger(t)
	w := &world{store: c.store, dir: c.dir, waits: c.waits, ledger: &ledger{started: map[string][]int{}, work: c.work}}
	config := engine.Config{
		Log: c.store, Queue: c.store, Timers: c.store, Payloads: c.store, Beats: c.store, Bus: c.store, Skills: c.skills,
		Process: c.process, Sole: !c.shared, Lease: c.lease, Now: c.now, NewID: counter(c.process), Gone: c.gone, Logger: logger,
		Snapshots: engine.Snapshots{Store: c.store, Code: func() string { return "test" }, After: c.kept}, Folds: c.folds,
	}
	if c.slots > 0 {
		w.pool = workers.NewPool(workers.Config{
			Queue: c.store, Beats: c.store, Executors: map[string]workers.Executor{"builtin": w.ledger}, Process: c.process,
			Queues: []string{"default"}, Slots: c.slots, Lease: c.lease, Logger: logger,
		})
		if !c.byBaton {
			config.Slots = w.pool
		}
	}
	w.Engine = engine.New(config)
	if w.pool != nil {
		w.pool.Conduct(engine.Local{Via: w.Engine})
	}
	w.run(t, c, logger)
	return w
}

// run starts everything a server runs besides its engine.
func (w *world) run(t testing.TB, c worldConfig, logger *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	projector := engine.NewProjector(c.store, "", logger)
	w.queries = engine.Standard(w.Engine, projector)
	w.scheduler = engine.NewScheduler(w.Engine, projector, nextMinute, identify)
	w.Engine.Rung = w.scheduler.Rung
	group.Go(func() { _ = projector.Run(ctx) })
	if !c.unattended {
		group.Go(func() { w.Reconcile(ctx, projector) })
	}
	group.Go(func() { w.Ring(ctx) })
	if !c.unattended {
		group.Go(func() { w.scheduler.Run(ctx) })
	}
	if w.pool != nil {
		group.Go(func() { _ = w.pool.Run(ctx) })
	}
	if err := w.Serve(ctx, w.queries); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	end := func(closing ...func()) func() {
		return func() {
			once.Do(func() {
				if w.pool != nil {
					w.pool.Abort()
				}
				cancel()
				for _, f := range closing {
					f()
				}
			})
		}
	}
	w.stop, w.kill = end(group.Wait, w.Close), end(w.Close, group.Wait)
	t.Cleanup(w.stop)
}

func counter(process string) func() string {
	var n atomic.Uint64
	return func() string { return fmt.Sprintf("%s-%09d", process, n.Add(1)) }
}

// start starts a template in a session of its own.
func (w *world) start(t testing.TB, session, text string) {
	t.Helper()
	_, err := w.Do(t.Context(), session, workflows.Start{
		Run: "r1", Name: "test", Text: text, Goal: "test", Mode: "auto", Workspace: w.dir,
	}, engine.Meta{Actor: "test"})
	if err != nil {
		t.Fatal(err)
	}
}

// await waits until the run is over and gives it.
func (w *world) await(t testing.TB, session string) workflows.View {
	t.Helper()
	w.awaitAfter(t, session, 0)
	return w.view(t, session)
}

func (w *world) view(t testing.TB, session string) workflows.View {
	t.Helper()
	v, err := engine.As[workflows.View](w.View(t.Context(), session, func(s *workflows.State, world sessions.World) (any, error) {
		return s.View("r1", world)
	}))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// frames gives a session's commits.
func frames(t testing.TB, log stream.Log, session string) []events.Frame {
	t.Helper()
	var out []events.Frame
	for rec, err := range log.Read(t.Context(), stream.SessionEntity(session), 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec.Frame)
	}
	return out
}

// count tells how often each type of event stands in a session's log.
func count(t testing.TB, log stream.Log, session string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, f := range frames(t, log, session) {
		for _, e := range f.Events {
			out[e.Type]++
		}
	}
	return out
}

// last is the sequence of the log's last commit.
func (w *world) last(t testing.TB) uint64 {
	t.Helper()
	head, err := w.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// awaitAfter waits until a run of the session ends after a sequence.
func (w *world) awaitAfter(t testing.TB, session string, after uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), w.waits)
	defer cancel()
	for rec, err := range w.store.Tail(ctx, after) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Frame.Events {
			switch e.Data.(type) {
			case events.RunCompleted, events.RunFailed, events.RunCancelled:
				if rec.Entity.Session() == session {
					return
				}
			}
		}
	}
	t.Fatalf("run did not end:\n%s", picture(w.view(t, session)))
}

// picture draws a run, one line a step.
func picture(v workflows.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n", v.Name, v.Status, v.Reason)
	for _, s := range v.Steps {
		fmt.Fprintf(&b, "  %-12s %-10s attempts %d worker %s", s.ID, s.Status, s.Attempts, s.Worker)
		if s.Error != nil {
			fmt.Fprintf(&b, " %s %s: %s", s.Error.Class, s.Error.Code, s.Error.Message)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// newBubbled is newWorld inside a bubble of fake time: an hour is nothing, no file is written, and there is
// a snapshot of every commit.
func newBubbled(t testing.TB, c worldConfig) *world {
	t.Helper()
	c.dir, c.quiet, c.waits, c.kept = "/nowhere", true, time.Hour, 1
	return newWorld(t, c)
}

// named is the session id that stands for a name: a UUID, as all are.
func named(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// refused says whether an error is a refusal with a code.
func refused(err error, code string) bool {
	var r *sessions.Refusal
	return errors.As(err, &r) && r.Code == code
}

// meta is who asks in these tests.
var meta = engine.Meta{Actor: "test"}

func digits(n int) string { return strconv.Itoa(n) }

func equal(a, b []string) bool { return slices.Equal(a, b) }

func (l *ledger) all() map[string][]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.started)
}

func claimOf(call, worker string, baton uint64) workflows.Claim {
	return workflows.Claim{Claim: sessions.Claim{Call: call, Queue: "default", Worker: worker, Baton: baton, Delivery: 1}}
}

// writeIn writes a small value in a call.
func writeIn(call, key string, n int) sessions.SetContext {
	return sessions.SetContext{Key: key, Call: call, Value: events.Value{JSON: []byte(digits(n))}}
}

func valueOf(t testing.TB, got any) string {
	t.Helper()
	w, err := engine.As[sessions.Written](got, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.Value)
}
