package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/workflows"
)

const (
	maxGather = 256             // questions folded into one commit at the most
	yields    = 2               // times that others are let run before a commit is closed
	idleFor   = 2 * time.Minute // after which a writer goes to rest and its fold is forgotten
)

// ask is a question to a session's writer: a command, or a view of the committed state.
type ask struct {
	command workflows.Command
	meta    Meta
	view    func(*workflows.State, sessions.World) (any, error)
	past    func(*writer) (any, error) // an import, which is decided already
	done    chan answer
}

type answer struct {
	value any
	err   error
}

func (a *ask) reply(value any, err error) { a.done <- answer{value, err} }

// writer is the only one in this process who appends to a session. It owns the fold.
type writer struct {
	e      *Engine
	entity stream.Entity
	inbox  chan *ask
	over   chan struct{}
	rest   chan struct{} // its fold takes room that others need

	fold
	keeper keeper
	// second says that the last commands were lost to the rival and decided by it. The next ones go
	// to it at once: after a loss the fold is read again from its beginning, which is dear in a long
	// session, and far from the log it is lost again.
	second bool
}

func newWriter(e *Engine, entity stream.Entity) *writer {
	return &writer{e: e, entity: entity, inbox: make(chan *ask), over: make(chan struct{}), rest: make(chan struct{}, 1), keeper: keeper{e: e, entity: entity}}
}

func (w *writer) run() {
	defer w.e.retire(w)
	idle := time.NewTimer(idleFor)
	defer idle.Stop()
	for {
		select {
		case a := <-w.inbox:
			w.serve(w.gather(a))
			w.keeper.save(&w.fold)
			w.e.folds.used(w, w.bytes)
			idle.Reset(idleFor)
		case <-w.rest:
			return
		case <-idle.C:
			return
		case <-w.e.ctx.Done():
			return
		}
	}
}

// gather takes what else waits, so that it shares the commit. Whoever is about to ask is let run first:
// that takes no time when nobody is, and branches that end together then end in one commit.
func (w *writer) gather(first *ask) []*ask {
	asks := []*ask{first}
	for yielded := 0; len(asks) < maxGather; {
		select {
		case a := <-w.inbox:
			asks, yielded = append(asks, a), 0
			continue
		default:
		}
		if yielded == yields {
			break
		}
		runtime.Gosched()
		yielded++
	}
	return asks
}

// serve answers views from the committed state, then decides the commands. A conflict means that
// somebody else was first: the commands are decided again on what is there now.
func (w *writer) serve(asks []*ask) {
	commands := w.answerViews(asks)
	if w.second && len(commands) > 0 {
		commands = w.askWinner(commands)
	}
	one := false // commands were too large together: one at a time
	for losses, unsaid := 0, false; len(commands) > 0 || unsaid; {
		if losses >= 3 {
			commands = w.askWinner(commands)
			losses = 1
			continue
		}
		now, later := commands, []*ask(nil)
		if one && len(commands) > 1 {
			now, later = commands[:1], commands[1:]
		}
		err := w.load(w.e.ctx)
		if err == nil {
			now, unsaid, err = w.commit(now)
		}
		switch {
		case errors.Is(err, stream.ErrConflict):
			losses++
			w.e.Counts.Conflicts.Add(1)
		case errors.Is(err, events.ErrTooLarge) && len(now) > 1:
			one = true
		case err != nil:
			w.state = nil
			replyAll(now, nil, unreachable(err))
			now, unsaid = nil, false
		}
		commands = append(now, later...)
	}
}

func (w *writer) answerViews(asks []*ask) (commands []*ask) {
	fresh := false
	for _, a := range asks {
		if a.past != nil {
			a.reply(a.past(w))
			fresh = false
			continue
		}
		if a.view == nil {
			commands = append(commands, a)
			continue
		}
		if !fresh {
			if err := w.refresh(w.e.ctx); err != nil {
				a.reply(nil, unreachable(err))
				continue
			}
			fresh = true
		}
		a.reply(a.view(w.state, w.world()))
	}
	return commands
}

func replyAll(asks []*ask, value any, err error) {
	for _, a := range asks {
		a.reply(value, err)
	}
}

// unreachable says what happened to the log in the words of a refusal.
func unreachable(err error) error {
	var r *sessions.Refusal
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, stream.ErrFull):
		return sessions.Refuse(sessions.Damaged, "store_full", "make room, see `baton doctor`", "nothing was stored: %v", err)
	case errors.Is(err, stream.ErrQuarantined):
		return sessions.Refuse(sessions.Damaged, "session_quarantined", "read it as far as it is whole; `baton doctor` says what to do", "nothing was stored: %v", err)
	case errors.Is(err, events.ErrNewer):
		return sessions.Refuse(sessions.Damaged, "newer_version", "use the Baton that wrote it, or a newer one", "%v", err)
	case errors.Is(err, events.ErrDamaged), errors.Is(err, events.ErrChain), errors.Is(err, stream.ErrDamaged):
		return sessions.Refuse(sessions.Damaged, "store_damaged", "see `baton doctor`", "%v", err)
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled):
		return sessions.Refuse(sessions.Unreachable, "stopping", "try again in a moment", "this server is stopping")
	case errors.Is(err, events.ErrTooLarge):
		return sessions.Refuse(sessions.Usage, "too_large", "give large values with --from-file, they are stored apart", "%v", err)
	}
	return sessions.Refuse(sessions.Unreachable, "log_unreachable", "see `baton doctor`", "%v", err)
}

// load brings the fold up to date: from what is kept, from nothing, or not at all when it is there.
func (w *writer) load(ctx context.Context) error {
	if w.state != nil {
		return nil
	}
	var there bool
	if w.fold, there = w.keeper.load(ctx, w.bytes); !there {
		w.fold = fold{state: workflows.New(w.entity.Name()).Parsing(w.e.parse), link: events.Genesis(w.e.Log.Installation(), w.entity.Name())}
	}
	return w.catchUp(ctx)
}

// refresh also looks for commits of other processes.
func (w *writer) refresh(ctx context.Context) error {
	if w.state == nil {
		return w.load(ctx)
	}
	if w.e.Sole {
		return nil
	}
	return w.catchUp(ctx)
}

// catchUp folds what was committed after the last sequence seen. On an error the fold is forgotten.
func (w *writer) catchUp(ctx context.Context) error {
	for rec, err := range w.e.Log.Read(ctx, w.entity, w.last) {
		if err == nil {
			err = rec.Frame.Follows(w.link)
		}
		if err != nil {
			w.state = nil
			return fmt.Errorf("read session %s: %w", w.entity.Name(), err)
		}
		if fork, ok := forkOf(rec.Frame); ok {
			if err := w.e.recall(ctx, w.state, fork); err != nil {
				w.state = nil
				return err
			}
		}
		for _, event := range rec.Frame.Events {
			w.state.Fold(event)
		}
		w.took(rec.Sequence, rec.Frame)
	}
	return nil
}

func (w *writer) world() sessions.World { return w.hearing(events.Judged{}) }

// hearing is the world of a command about which somebody outside was asked.
func (w *writer) hearing(judge events.Judged) world {
	return world{judge: judge, ctx: w.e.ctx, values: w.e.vals, skills: w.e.Skills, workspace: w.state.Workspace, limited: w.e.permits.limited}
}
