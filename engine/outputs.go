package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/stream"
)

// outputs keeps the files of runs, outputs/<session>/ in the session's workspace, as the log has
// them. Only files that changed are written: beside themselves, flushed, renamed.
type outputs struct {
	log    stream.Log
	logger *slog.Logger
	moved  func()
	alone  bool // no other process writes these files
	dirty  chan struct{}

	writing  sync.Mutex // held by whoever writes files; taken before mu
	mu       sync.Mutex
	sessions map[string]*filedSession
}

type filedSession struct {
	pipeline  *projections.Pipeline
	workspace string
	written   uint64 // sequence up to which the files on disk are true
	touched   time.Time
	tidied    bool
}

const (
	settleFiles = 40 * time.Millisecond // commits that follow each other so closely share a writing
	forgetFiles = 5 * time.Minute       // a session at rest for so long is folded again when it moves
)

func newOutputs(log stream.Log, logger *slog.Logger, alone bool, moved func()) *outputs {
	return &outputs{log: log, logger: logger, moved: moved, alone: alone, dirty: make(chan struct{}, 1), sessions: map[string]*filedSession{}}
}

func folderOf(workspace, session string) string { return filepath.Join(workspace, "outputs", session) }

const (
	traceName   = "pipeline_trace.json"
	halfWritten = ".baton-" // begins the names of files that are being written
)

func (f *filedSession) fold(rec stream.Record) {
	if begun, ok := rec.Frame.Events[0].Data.(events.SessionStarted); ok {
		f.workspace = begun.Workspace
	}
	f.pipeline.Fold(rec.Sequence, rec.Frame)
}

// fold takes a session's commit. A session that is not in memory is first folded from its beginning.
func (o *outputs) fold(rec stream.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	session := rec.Entity.Session()
	f := o.sessions[session]
	if f == nil {
		f = &filedSession{pipeline: new(projections.Pipeline)}
		o.sessions[session] = f
		if _, forked := forkOf(rec.Frame); forked || rec.Frame.N > 1 {
			if err := o.refold(context.Background(), rec.Entity, rec.Sequence, f); err != nil {
				o.logger.Error("fold a session's files", "session", session, "err", err)
			}
		}
	}
	f.fold(rec)
	f.touched = time.Now()
	select {
	case o.dirty <- struct{}{}:
	default:
	}
}

// refold folds the session's commits that stand before a sequence.
func (o *outputs) refold(ctx context.Context, entity stream.Entity, before uint64, f *filedSession) error {
	for rec, err := range history(ctx, o.log, entity.Session()) {
		if err != nil {
			return err
		}
		if rec.Sequence >= before {
			return nil
		}
		f.fold(rec)
	}
	return nil
}

// rebuild deletes a session's files, as far as this projection made them, and writes them from the log.
func (o *outputs) rebuild(ctx context.Context, session string) (files int, err error) {
	f := &filedSession{pipeline: new(projections.Pipeline), touched: time.Now()}
	if err := o.refold(ctx, stream.SessionEntity(session), math.MaxUint64, f); err != nil {
		return 0, err
	}
	if f.workspace == "" {
		return 0, nil
	}
	names := f.pipeline.Files()
	for name := range names {
		if err := os.Remove(filepath.Join(folderOf(f.workspace, session), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	o.mu.Lock()
	o.sessions[session] = f
	o.mu.Unlock()
	if len(names) == 0 {
		return 0, nil
	}
	return len(names), o.write(session)
}

// run writes what has changed, shortly after it changed.
func (o *outputs) run(ctx context.Context) {
	for {
		select {
		case <-o.dirty:
		case <-ctx.Done():
			return
		}
		if !stream.Pause(ctx, settleFiles) {
			return
		}
		o.flush(ctx)
	}
}

// flush writes every session that has moved on.
func (o *outputs) flush(ctx context.Context) {
	o.mu.Lock()
	var behind []string
	for session, f := range o.sessions {
		switch {
		case f.written < f.pipeline.Sequence():
			behind = append(behind, session)
		case time.Since(f.touched) > forgetFiles:
			delete(o.sessions, session)
		}
	}
	o.mu.Unlock()
	for _, session := range behind {
		if err := o.write(session); err != nil && ctx.Err() == nil {
			o.logger.Warn("write a run's files", "session", session, "err", err)
		}
	}
	if len(behind) > 0 {
		o.moved()
	}
}

// write brings a session's folder up to date. A workspace that is gone, or on another machine, gets
// no files; that is said in the log, and the run goes on. Whoever folds waits for no disk.
func (o *outputs) write(session string) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	d, ok := o.due(session)
	if !ok {
		return nil
	}
	err := d.write(o.alone)
	o.mu.Lock()
	defer o.mu.Unlock()
	d.of.written = max(d.of.written, d.sequence)
	d.of.tidied = d.of.tidied || err == nil
	return err
}

// due is what of a session has changed since it was written.
type due struct {
	of        *filedSession
	sequence  uint64 // that the files will hold
	workspace string
	folder    string
	tidied    bool
	files     []file // in the order in which they are written
}

type file struct {
	name string
	data []byte
}

// due takes the changed files of a session; false when there is nothing to write.
func (o *outputs) due(session string) (due, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.sessions[session]
	if f == nil {
		return due{}, false
	}
	out := due{of: f, sequence: f.pipeline.Sequence(), workspace: f.workspace, folder: folderOf(f.workspace, session), tidied: f.tidied}
	var names []string
	if f.workspace != "" { // else the session belongs to no folder
		names = f.pipeline.Changed()
	}
	for _, name := range names {
		if data, ok := f.pipeline.File(name); ok {
			out.files = append(out.files, file{name, data})
		}
	}
	if len(names) == 0 {
		f.written = out.sequence
	}
	return out, len(names) > 0
}

func (d due) write(alone bool) error {
	if _, err := os.Stat(d.workspace); err != nil {
		return fmt.Errorf("workspace is not here: %w", err)
	}
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		return err
	}
	if alone && !d.tidied {
		if err := tidy(d.folder); err != nil {
			return err
		}
	}
	for _, f := range d.files {
		path := filepath.Join(d.folder, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := replaceFile(path, f.data); err != nil {
			return err
		}
	}
	return nil
}

// filed says whether the files hold everything up to the sequence. A session that is not in memory
// was written before it was let go.
func (o *outputs) filed(session string, sequence uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.sessions[session]
	return f == nil || f.written >= sequence
}

// tidy removes what a process that was killed had written only half.
func tidy(folder string) error {
	for _, at := range []string{folder, filepath.Join(folder, "loops")} {
		entries, err := os.ReadDir(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), halfWritten) {
				continue
			}
			if err := os.Remove(filepath.Join(at, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// replaceFile puts the bytes in place as a whole: a reader sees the old file or the new one.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), halfWritten+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
