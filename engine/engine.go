// Package engine turns commands into commits: load the fold, decide, say what follows, append, and
// only then let the outside see it.
//
// One [Engine] runs in every process that appends. It has one writer a session, which gathers what
// waits into one commit, so that parallel branches of a process never fight over the sequence. Other
// processes are met by compare-and-append: whoever loses folds what won and decides again, and after
// three losses asks the winner to decide for it.
//
// Promises: an answer, a wake-up or a started executor is seen only after the commit it rests on has
// settled in the log. A commit is decided on exactly the state it is appended to. A command that is
// refused changes nothing. Wake-ups and alarms may be lost: the reconciler makes up for them.
package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

// Config is what an engine is built from. Every field is needed unless it says otherwise.
type Config struct {
	Log       stream.Log
	Queue     stream.Queue
	Timers    stream.Timers
	Payloads  stream.Payloads
	Beats     stream.Beats
	Bus       stream.Bus
	Skills    Skills
	Process   string // id of this process; workers of it are called "<process>.<slot>"
	Sole      bool   // no other process appends to this log: folds in memory are never behind
	Lease     time.Duration
	Now       func() time.Time
	NewID     func() string                                // ULIDs
	Gone      func(process string) bool                    // optional: whether a process is known to have ended
	Slots     Slots                                        // optional: this process's own workers
	Rung      func(ctx context.Context, timer string) bool // optional: takes alarms that are of no session; see Scheduler
	Limits    map[string]int                               // how many calls may run at once under each limit, whatever their sessions
	Consult   Consult                                      // optional: asks somebody outside before a route is decided
	Room      func() error                                 // optional: why nothing new may be begun
	Witnesses func() []Witness                             // optional: what is remembered outside the log, for audits
	Logger    *slog.Logger
	// Committed is told of each commit of this engine's once it has settled; optional, for whoever measures.
	Committed func(stream.Record)

	Snapshots Snapshots // optional: folded states, so that long sessions open soon
	Folds     int       // bytes that folds may take in memory; 0: DefaultFolds
}

// Slots are the workers of this process: calls that have just become ready start on a free one in the
// same commit, without a baton.
type Slots interface {
	// Reserve takes a free slot that serves the queue and gives its worker's id.
	Reserve(queue string) (worker string, ok bool)
	// Start hands a claimed call to a reserved slot; it does not wait.
	Start(session, worker string, task workflows.Task)
	// Free gives a reserved slot back unused.
	Free(worker string)
}

// Engine decides and commits.
type Engine struct {
	Config
	Counts  Counts
	heard   *heard
	vals    *values
	permits *permits
	folds   *folds
	parse   workflows.Parse
	tending chan struct{} // how many child runs are tended at once

	mu      sync.Mutex
	writers map[stream.Entity]*writer
	closed  bool
	group   sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// ErrClosed says that the engine has been closed.
var ErrClosed = errors.New("engine is closed")

// New makes an engine; Close ends it.
func New(c Config) *Engine {
	ctx, cancel := context.WithCancelCause(context.Background())
	e := &Engine{
		Config: c, heard: newHeard(c.Now, c.Lease), vals: newValues(c.Payloads), folds: newFolds(c.Folds), parse: remembering(), tending: make(chan struct{}, tendAtOnce),
		writers: map[stream.Entity]*writer{}, ctx: ctx, cancel: cancel,
	}
	e.permits = newPermits(e, c.Limits)
	return e
}

// Close ends every writer after the commit it is at.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel(ErrClosed)
	e.group.Wait()
}

// Meta is what a command brings besides itself.
type Meta struct {
	Actor   string `json:"actor"`
	Request string `json:"request,omitempty"`
	// Forwarded says that a process which lost to this one asks for it.
	Forwarded bool `json:"forwarded,omitempty"`
	// Judge is what the deciding process heard outside about a route; what a client says of it counts for nothing.
	Judge events.Judged `json:"judge,omitzero"`
}

// Do decides a command in a session and commits what follows. The answer is the command's own type.
// Refusals are *sessions.Refusal; a log out of reach gives one of kind Unreachable.
func (e *Engine) Do(ctx context.Context, session string, c workflows.Command, m Meta) (any, error) {
	if e.Room != nil {
		if err := e.Room(); err != nil && workflows.Begins(c) {
			return nil, sessions.Refuse(sessions.Damaged, "no_room", "make room on the disk; what runs goes on meanwhile", "nothing new is begun: %v", err)
		}
	}
	c, err := stash(ctx, e.vals.store, c)
	if err != nil {
		return nil, err
	}
	value, err := e.ask(ctx, session, &ask{command: c, meta: e.consulted(ctx, session, c, m)})
	if claim, ok := c.(workflows.Claim); ok && err != nil && claim.Permitted == "" {
		return e.permits.claim(ctx, session, claim, m, err)
	}
	switch stop := c.(type) {
	case workflows.Cancel:
		e.stopChildren(ctx, session, stop.Run, err)
	case workflows.StopChild:
		e.stopChildren(ctx, session, stop.Run, err)
	}
	return value, err
}

// View reads a session's committed state. The function must not keep or change it.
func (e *Engine) View(ctx context.Context, session string, f func(*workflows.State, sessions.World) (any, error)) (any, error) {
	return e.ask(ctx, session, &ask{view: f})
}

func (e *Engine) ask(ctx context.Context, session string, a *ask) (any, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	a.done = make(chan answer, 1)
	for {
		w, err := e.writer(stream.SessionEntity(session))
		if err != nil {
			return nil, err
		}
		select {
		case w.inbox <- a:
		case <-w.over:
			continue // it went to rest; the next one takes the question
		case <-ctx.Done():
			return nil, timedOut(ctx)
		}
		select {
		case got := <-a.done:
			return got.value, got.err
		case <-w.over:
			select { // it may have answered with its last breath
			case got := <-a.done:
				return got.value, got.err
			default:
				continue
			}
		case <-ctx.Done():
			return nil, timedOut(ctx)
		}
	}
}

func timedOut(ctx context.Context) error {
	return sessions.Refuse(sessions.Unreachable, "no_answer", "look at the state before you repeat it, or use --request-id",
		"no answer came in time, the command may or may not have taken effect: %v", context.Cause(ctx))
}

func (e *Engine) writer(entity stream.Entity) (*writer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, sessions.Refuse(sessions.Unreachable, "stopping", "try again in a moment", "this server is stopping")
	}
	w := e.writers[entity]
	if w == nil {
		w = newWriter(e, entity)
		e.writers[entity] = w
		e.group.Go(w.run)
	}
	return w, nil
}

// retire lets a writer that has rested go, unless a question reached it meanwhile.
func (e *Engine) retire(w *writer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.writers[w.entity] == w {
		delete(e.writers, w.entity)
	}
	close(w.over)
	e.folds.gone(w)
}
