package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

// keeper makes what the embedded server holds as durable as its class promises. Flushes go round by round:
// whoever waits while one is under way shares the next. In each, large values come first, then the log,
// then the anchor, so that nothing stands on the disk before what it rests on.
type keeper struct {
	class     stream.Durability
	storeDir  string
	anchorDir string
	payloads  *blocks
	log       *blocks
	anchor    *anchor.Anchor // nil: none is kept
	opened    bool           // the log was compared with it
	found     bool           // and was not as it should be
	unclean   bool           // the server before did not stop in order
	restored  []string       // streams whose description was damaged
	touched   bool           // somebody was at the files of the log after that one

	wake    chan struct{}
	stopped chan struct{}
	done    chan struct{}

	mu      sync.Mutex
	next    *round         // that has not begun
	noted   []anchor.Entry // commits that are yet to be anchored
	highest uint64         // sequence that was noted or waited for
	flushed uint64
	rounds  int64 // that flushed something
	failed  error // a flush that failed is never made up for: what it should have written may be gone
}

// round is one flush, which ends for all that wait for it at once.
type round struct {
	done chan struct{}
	err  error
}

func newKeeper(cfg ServerConfig, a *anchor.Anchor) *keeper {
	k := &keeper{
		class: cfg.Durability, anchor: a, storeDir: cfg.StoreDir, anchorDir: cfg.AnchorDir,
		payloads: newBlocks(cfg.StoreDir, payloadsStream), log: newBlocks(cfg.StoreDir, eventsStream),
		wake: make(chan struct{}, 1), stopped: make(chan struct{}), done: make(chan struct{}),
	}
	go k.run()
	return k
}

// note remembers a commit that was stored, for the anchor.
func (k *keeper) note(entity stream.Entity, sequence uint64, frame events.Frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.highest = max(k.highest, sequence)
	if k.anchor != nil {
		k.noted = append(k.noted, entryOf(entity, sequence, frame))
	}
}

// barrier is the Barrier of the class.
func (k *keeper) barrier(ctx context.Context, sequence uint64) error {
	if k.class.Class == stream.Interval {
		return k.broken()
	}
	return k.flush(ctx, sequence)
}

func (k *keeper) broken() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed
}

// flush waits for a round that began after it was called, or for none if the sequence is flushed already.
func (k *keeper) flush(ctx context.Context, sequence uint64) error {
	k.mu.Lock()
	if k.failed != nil || sequence != 0 && sequence <= k.flushed {
		defer k.mu.Unlock()
		return k.failed
	}
	k.highest = max(k.highest, sequence)
	if k.next == nil {
		k.next = &round{done: make(chan struct{})}
	}
	r := k.next
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default: // it is woken already
	}
	select {
	case <-r.done:
		return r.err
	case <-k.done:
		return fmt.Errorf("flush: %w: the server has stopped", stream.ErrUnavailable)
	case <-ctx.Done():
		return fmt.Errorf("flush: %w: %w", stream.ErrUnavailable, context.Cause(ctx))
	}
}

// run flushes whenever somebody waits and, in the class interval, as often as that says.
func (k *keeper) run() {
	defer close(k.done)
	var tick <-chan time.Time
	if k.class.Class == stream.Interval {
		t := time.NewTicker(k.class.Every)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-k.wake:
		case <-tick:
		case <-k.stopped:
			k.round() // for those who were too late to wake it
			return
		}
		k.round()
	}
}

func (k *keeper) round() {
	k.mu.Lock()
	r, noted, highest := k.next, k.noted, k.highest
	idle := r == nil && highest <= k.flushed && len(noted) == 0
	k.next, k.noted = nil, nil
	err := k.failed
	k.mu.Unlock()
	if idle {
		return
	}
	if err == nil {
		err = k.write(noted)
	}
	k.mu.Lock()
	if errors.Is(err, syscall.ENOSPC) { // what is written stays, and is flushed when there is room
		k.noted = append(noted, k.noted...)
		err = fmt.Errorf("flush: %w: %w", stream.ErrFull, err)
	} else if err == nil {
		k.flushed = max(k.flushed, highest)
		k.rounds++
	} else {
		k.failed = err
	}
	k.mu.Unlock()
	if r != nil {
		r.err = err
		close(r.done)
	}
}

// write flushes the store and then the anchor.
func (k *keeper) write(noted []anchor.Entry) error {
	data := k.class.Class != stream.Always // which the server flushed by itself
	err := k.payloads.flush(data)
	if err == nil {
		err = k.log.flush(data)
	}
	if err == nil && k.anchor != nil {
		err = k.anchor.Add(noted)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", stream.ErrDamaged, err)
	}
	return nil
}

// stop ends the rounds. Then, when the server is down, close writes what it left on its way out.
func (k *keeper) stop() {
	close(k.stopped)
	<-k.done
}

func (k *keeper) close() error {
	if err := k.broken(); err != nil {
		return err
	}
	err := errors.Join(k.payloads.flush(true), k.log.flush(true))
	if err != nil || k.anchor == nil {
		return err
	}
	files, err := stampsOf(k.storeDir)
	if err != nil {
		return err
	}
	return k.anchor.Stop(files)
}
