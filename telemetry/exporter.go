package telemetry

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/batonflow/baton/projections"
	"github.com/batonflow/baton/stream"
)

// Config is what an exporter is made of.
type Config struct {
	Log stream.Log
	// History reads a session's commits from its beginning, those that a fork shares included.
	History func(ctx context.Context, session string) iter.Seq2[stream.Record, error]
	Path    string // of the file that keeps the position
	Target  Target
	Source  Source
	Content bool // see projections.Spans
	Logger  *slog.Logger
}

// Exporter follows the log and sends what has ended.
type Exporter struct {
	Config
	client   *http.Client
	sessions map[string]*following
	pruned   time.Time
}

// following is a session that is being folded.
type following struct {
	spans   projections.Spans
	touched time.Time
}

const (
	sendAtMost   = 512         // spans in one document
	sendEvery    = time.Second // when there are fewer
	firstPause   = time.Second
	longestPause = time.Minute
	waitingLots  = 64              // lots between who folds and who sends
	forgetAfter  = 5 * time.Minute // a session at rest for so long is folded again when it moves
)

// NewExporter makes an exporter; Run starts it.
func NewExporter(c Config) *Exporter {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Exporter{Config: c, client: client, sessions: map[string]*following{}, pruned: time.Now()}
}

// lot is what a commit ended, and how far the log has been read with it.
type lot struct {
	sequence uint64
	spans    []projections.Span
}

// Run exports until ctx is done. The first time it begins with what comes from now on.
func (x *Exporter) Run(ctx context.Context) error {
	after, err := x.begin(ctx)
	if err != nil {
		return fmt.Errorf("export spans: %w", err)
	}
	lots := make(chan lot, waitingLots)
	var group sync.WaitGroup
	group.Go(func() { x.deliver(ctx, after, lots) })
	defer group.Wait()
	defer close(lots)
	for rec, err := range x.Log.Tail(ctx, after) {
		if err != nil && rec.Sequence == 0 {
			return fmt.Errorf("export spans: %w", err)
		}
		l := lot{sequence: rec.Sequence}
		if err == nil && rec.Entity.Session() != "" {
			l.spans = x.fold(ctx, rec)
		}
		select {
		case lots <- l:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// fold takes a session's commit and gives what ended with it. A session that is not in memory is first
// folded from its beginning; what had ended there has been sent.
func (x *Exporter) fold(ctx context.Context, rec stream.Record) []projections.Span {
	x.prune()
	session := rec.Entity.Session()
	f := x.sessions[session]
	if f == nil {
		f = &following{spans: projections.Spans{Content: x.Content}}
		x.sessions[session] = f
		for past, err := range x.History(ctx, session) {
			if err != nil && ctx.Err() == nil {
				x.Logger.Warn("spans of a session lack their beginning", "session", session, "err", err)
			}
			if err != nil || past.Entity == rec.Entity && past.Sequence >= rec.Sequence {
				break
			}
			f.spans.Fold(past.Sequence, past.Frame)
		}
		f.spans.Drain()
	}
	f.touched = time.Now()
	f.spans.Fold(rec.Sequence, rec.Frame)
	return f.spans.Drain()
}

// prune lets go of sessions at rest, so that memory stays bounded by what moves.
func (x *Exporter) prune() {
	if time.Since(x.pruned) < forgetAfter/5 {
		return
	}
	x.pruned = time.Now()
	for session, f := range x.sessions {
		if time.Since(f.touched) > forgetAfter {
			delete(x.sessions, session)
		}
	}
}

// deliver sends lots as they fill a document, or after a while.
func (x *Exporter) deliver(ctx context.Context, kept uint64, lots <-chan lot) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	var waiting []projections.Span
	reached := kept
	out := func() bool {
		for len(waiting) > 0 {
			n := min(len(waiting), sendAtMost)
			if !x.push(ctx, reached, waiting[:n]) {
				return false
			}
			waiting = waiting[n:]
		}
		if reached > kept {
			kept = reached
			x.keep(reached)
		}
		return true
	}
	for {
		select {
		case l, open := <-lots:
			if !open {
				return
			}
			waiting, reached = append(waiting, l.spans...), l.sequence
			if len(waiting) >= sendAtMost && !out() {
				return
			}
		case <-tick.C:
			if !out() {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// push sends one document, as often as it takes. False: ctx was done before.
func (x *Exporter) push(ctx context.Context, reached uint64, spans []projections.Span) bool {
	document, err := x.Source.Binary(spans)
	if err != nil {
		x.Logger.Error("spans cannot be encoded and are left out", "spans", len(spans), "err", err)
		return true
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := x.Log.Settle(ctx, reached) // the outside sees only what is durable
		if err == nil {
			err = x.Target.send(ctx, x.client, document)
		}
		var down turnedDown
		var wait later
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case errors.As(err, &down):
			x.Logger.Error("the collector took spans for wrong, they are left out", "spans", len(spans), "err", err)
			return true
		case errors.As(err, &wait):
			pause = wait.after
		}
		x.Logger.Warn("spans wait for the collector", "spans", len(spans), "again_in", pause, "err", err)
		if !stream.Pause(ctx, pause) {
			return false
		}
	}
}
