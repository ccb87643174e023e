package jetstream

import "context"

// reader reads a subject in batches that grow. While somebody works on one, the commits of the next are opened
// and the one after that is read; not so behind the first: who takes a page would pay for what it leaves. Its
// maker calls stop in the end.
type reader struct {
	l       *eventLog
	subject string
	size    int // of the last batch that was asked for
	after   uint64
	coming  <-chan fetched // what stands after that; nil: nothing is read ahead
	cancel  context.CancelFunc
}

type fetched struct {
	batch []stored
	more  bool
	err   error
}

// last is the sequence that the next batch is after.
func (f fetched) last() uint64 { return f.batch[len(f.batch)-1].sequence }

// goesOn says whether there is a next batch to read.
func (f fetched) goesOn() bool { return f.err == nil && f.more && len(f.batch) > 0 }

// batch gives what stands after a sequence, and whether more does.
func (r *reader) batch(ctx context.Context, after uint64) (batch []stored, more bool, err error) {
	got, ok := r.arrived(after)
	if !ok {
		r.stop()
		r.size = grown(r.size)
		got.batch, got.more, got.err = r.l.batch(ctx, r.subject, after, r.size)
		if got.goesOn() && r.size > readFirst {
			r.begin(ctx, got.last())
		}
	}
	if len(got.batch) > 0 {
		r.after = got.last()
	}
	return got.batch, got.more, got.err
}

// arrived takes the next batch of what is read ahead, where that is what is asked for.
func (r *reader) arrived(after uint64) (got fetched, ok bool) {
	if r.coming == nil || r.after != after {
		return got, false
	}
	got, ok = <-r.coming
	return got, ok
}

func (r *reader) begin(ctx context.Context, after uint64) {
	ctx, r.cancel = context.WithCancel(ctx)
	r.coming = r.opened(ctx, r.fetch(ctx, after, r.size))
}

// stop ends what is read ahead.
func (r *reader) stop() {
	if r.coming != nil {
		r.cancel()
		r.coming = nil
	}
}

func grown(size int) int { return min(max(readFirst, 2*size), readBatch) }

// fetch reads batch after batch until one does not go on.
func (r *reader) fetch(ctx context.Context, after uint64, size int) <-chan fetched {
	out := make(chan fetched)
	go func() {
		defer close(out)
		for {
			var got fetched
			size = grown(size)
			got.batch, got.more, got.err = r.l.batch(ctx, r.subject, after, size)
			select {
			case out <- got:
			case <-ctx.Done():
				return
			}
			if !got.goesOn() {
				return
			}
			after = got.last()
		}
	}()
	return out
}

// opened opens the commits of batches, one batch ahead.
func (r *reader) opened(ctx context.Context, in <-chan fetched) <-chan fetched {
	out := make(chan fetched, 1)
	go func() {
		defer close(out)
		for got := range in {
			for i := range got.batch {
				frame, err := r.l.recent.open(got.batch[i])
				got.batch[i].opened = &opened{frame, err}
			}
			select {
			case out <- got:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
