package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/stream"
)

// Projector follows the log and keeps what is read from it: the index of sessions, runs and open
// work in memory, and the files of runs on disk. Everything it keeps can be deleted and is folded
// again.
type Projector struct {
	log     stream.Log
	logger  *slog.Logger
	path    string // of the index's checkpoint; "": none is kept
	outputs *outputs
	seen    func(stream.Record) // what came after the log's end at the start; nil: nobody looks
	since   uint64

	mu    sync.Mutex
	index *projections.Index
	moved chan struct{} // closed and made anew whenever the projector has moved on
	bad   []string      // commits that could not be read
}

// saveEvery is how often the index's checkpoint is written while commits come in.
const saveEvery = 5 * time.Second

// NewProjector makes a projector that starts from the checkpoint at path, if there is a usable one.
// Without a path, other processes may write the same files.
func NewProjector(log stream.Log, path string, logger *slog.Logger) *Projector {
	p := &Projector{log: log, logger: logger, path: path, index: new(projections.Index), moved: make(chan struct{})}
	p.outputs = newOutputs(log, logger, path != "", p.notify)
	if path == "" {
		return p
	}
	f, err := os.Open(path)
	if err != nil {
		return p // none yet
	}
	defer f.Close()
	index, err := projections.LoadIndex(f)
	if err != nil {
		logger.Warn("index checkpoint is not usable, folding the log again", "err", err)
		return p
	}
	p.index = index
	return p
}

// Watch lets f see every commit that comes in once the projector runs, one after the other. It must not
// wait.
func (p *Projector) Watch(f func(stream.Record)) { p.seen = f }

// Run follows the log until ctx is done.
func (p *Projector) Run(ctx context.Context) error {
	if err := p.check(ctx); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.outputs.run(ctx)
	}()
	defer func() { <-done }()
	saved := time.Now()
	for rec, err := range p.log.Tail(ctx, p.index.Sequence()) {
		if err != nil && rec.Sequence == 0 {
			return fmt.Errorf("follow the log: %w", err)
		}
		p.fold(rec, err)
		if time.Since(saved) > saveEvery {
			p.outputs.flush(ctx)
			p.save()
			saved = time.Now()
		}
	}
	p.outputs.flush(context.WithoutCancel(ctx))
	p.save()
	if ctx.Err() == nil {
		return errTailEnded
	}
	return nil
}

var errTailEnded = errors.New("the log's tail ended: it stands before what was read from it")

// check throws a checkpoint away that is ahead of the log: it belongs to another one.
func (p *Projector) check(ctx context.Context) error {
	head, err := p.log.Head(ctx)
	if err != nil {
		return fmt.Errorf("follow the log: %w", err)
	}
	p.since = head
	if p.index.Sequence() > head {
		p.logger.Warn("index checkpoint is ahead of the log, folding again", "checkpoint", p.index.Sequence(), "log", head)
		p.mu.Lock()
		p.index = new(projections.Index)
		p.mu.Unlock()
	}
	return nil
}

func (p *Projector) fold(rec stream.Record, err error) {
	lost := errors.Is(err, stream.ErrLost)
	if err != nil && !lost {
		p.logger.Error("commit cannot be read", "sequence", rec.Sequence, "entity", rec.Entity, "err", err)
	}
	if err == nil && rec.Entity.Session() != "" {
		p.outputs.fold(rec)
	}
	if err == nil && p.seen != nil && rec.Sequence > p.since {
		p.seen(rec)
	}
	p.mu.Lock()
	switch {
	case err != nil:
		if !lost {
			p.bad = append(p.bad, fmt.Sprintf("%d: %v", rec.Sequence, err))
		}
		p.index.Pass(rec.Sequence)
	default:
		p.index.Fold(rec.Sequence, rec.Frame)
	}
	p.mu.Unlock()
	p.notify()
}

func (p *Projector) notify() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.moved)
	p.moved = make(chan struct{})
}

// Index lets f read the index. It must not keep it.
func (p *Projector) Index(f func(*projections.Index)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.index)
}

// Unreadable lists the commits that could not be read.
func (p *Projector) Unreadable() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.bad...)
}

// Await waits until cond holds, looking whenever the projector has moved on.
func (p *Projector) Await(ctx context.Context, cond func(*projections.Index) bool) error {
	for {
		p.mu.Lock()
		ok, moved := cond(p.index), p.moved
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Reached waits until everything up to the sequence is folded.
func (p *Projector) Reached(ctx context.Context, sequence uint64) error {
	return p.Await(ctx, func(x *projections.Index) bool { return x.Sequence() >= sequence })
}

// Current waits until everything that was committed when it was called is folded, so that a reader
// sees what it has just written.
func (p *Projector) Current(ctx context.Context) error {
	head, err := p.log.Head(ctx)
	if err != nil {
		return unreachable(err)
	}
	return p.Reached(ctx, head)
}

// Filed waits until the files of a session hold everything up to the sequence, and gives the path of
// its pipeline_trace.json; "" when it has none or cannot be written.
func (p *Projector) Filed(ctx context.Context, session string, sequence uint64) string {
	err := p.Await(ctx, func(x *projections.Index) bool { return x.Sequence() >= sequence && p.outputs.filed(session, sequence) })
	if err != nil {
		return ""
	}
	var row projections.SessionRow
	p.Index(func(x *projections.Index) { row, _ = x.FindSession(session) })
	path := filepath.Join(folderOf(row.Workspace, session), traceName)
	if _, err := os.Stat(path); err != nil || row.Workspace == "" {
		return ""
	}
	return path
}

// Rebuild throws away what is kept of the session, or of all sessions, and folds the log again. It
// returns when the files are in place.
func (p *Projector) Rebuild(ctx context.Context, session string) (files int, err error) {
	head, err := p.log.Head(ctx)
	if err != nil {
		return 0, fmt.Errorf("rebuild: %w", err)
	}
	fresh := new(projections.Index)
	for rec, err := range p.log.Tail(ctx, 0) {
		if err == nil {
			fresh.Fold(rec.Sequence, rec.Frame)
		}
		if rec.Sequence >= head || rec.Sequence == 0 {
			break
		}
	}
	p.mu.Lock()
	if fresh.Sequence() >= p.index.Sequence() {
		p.index = fresh
	}
	p.mu.Unlock()
	for _, row := range fresh.Sessions() {
		if row.Workspace == "" || session != "" && row.ID != session {
			continue
		}
		n, err := p.outputs.rebuild(ctx, row.ID)
		if err != nil {
			return files, fmt.Errorf("rebuild the files of session %s: %w", row.ID, err)
		}
		files += n
	}
	return files, nil
}

// save writes the checkpoint beside itself and renames it: it is whole or the old one.
func (p *Projector) save() {
	if p.path == "" {
		return
	}
	if err := p.saveTo(p.path); err != nil {
		p.logger.Warn("save index checkpoint", "err", err)
	}
}

func (p *Projector) saveTo(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".index-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	p.mu.Lock()
	err = p.index.Save(f)
	p.mu.Unlock()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
