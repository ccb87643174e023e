package jetstream

import (
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

const (
	// voidEntity is the line of what keeps lost sequences from being used again.
	voidEntity stream.Entity = "void"
	// tailChecked is how many of the last commits are read at every start. What lies before is read when
	// anything at all is not as it should be, by an audit, and with the session it belongs to.
	tailChecked = 1000
	voidsAtOnce = 1000
)

// open compares the log with the anchor before anybody reads or writes, and quarantines the lines that are
// not as they were acknowledged.
func (k *keeper) open(ctx context.Context, l *eventLog) error {
	if k.anchor == nil || k.opened {
		return nil
	}
	if err := k.check(ctx, l); err != nil {
		return fmt.Errorf("check the log by its anchor: %w", err)
	}
	k.opened = true
	for _, name := range k.restored {
		l.log.Error("the description of a stream was damaged and is restored from the anchor", "stream", name)
	}
	var names []string
	for _, s := range streamConfigs(l.installation, defaultReplica, unlimited) {
		names = append(names, s.Name)
	}
	if err := keepMeta(k.storeDir, k.anchorDir, names); err != nil {
		return err
	}
	return k.anchor.Start(k.class.String())
}

func (k *keeper) check(ctx context.Context, l *eventLog) error {
	info, err := l.stream.Info(ctx)
	if err != nil {
		return failed("look at the log", err)
	}
	known := k.anchor.State()
	adopted := known.Installation == ""
	k.unclean = !adopted && !known.Clean
	switch {
	case adopted:
		if err := k.anchor.Begin(l.installation); err != nil {
			return err
		}
	case known.Installation != l.installation:
		return fmt.Errorf("%w: the anchor is of installation %s, the log of %s", stream.ErrDamaged, known.Installation, l.installation)
	}
	end := info.State.LastSeq
	lost := end < k.anchor.Highest()
	if lost {
		if err := k.void(ctx, l, anchor.Span{From: end + 1, To: k.anchor.Highest()}); err != nil {
			return err
		}
	}
	// What an earlier server left in the page cache must be on the disk before anybody is shown it.
	if err := k.flush(ctx, 0); err != nil {
		return err
	}
	tail, err := k.scan(ctx, l, tailOf(end, k.anchor.Highest(), adopted))
	if err != nil {
		return err
	}
	if lost || k.touched || info.State.NumDeleted != known.Missing || !tail.asKnown(known) {
		l.log.Warn("the log is not as it was left; all of it is read", "end", end, "anchored", k.anchor.Highest(), "missing", info.State.NumDeleted)
		if tail, err = k.scan(ctx, l, 0); err != nil {
			return err
		}
		if err := k.quarantine(ctx, l, tail, info.State.NumDeleted); err != nil {
			return err
		}
	}
	return k.anchor.Add(tail.beyond(k.anchor.Heads()))
}

// tailOf is the sequence after which the end of the log begins that is read at a start: all that the
// anchor does not know yet, and some before it.
func tailOf(end, anchored uint64, all bool) uint64 {
	if all || end <= tailChecked {
		return 0
	}
	return min(end-tailChecked, anchored)
}

// void fills the sequences that the log has lost at its end.
func (k *keeper) void(ctx context.Context, l *eventLog, lost anchor.Span) error {
	l.log.Error("acknowledged commits are gone from the end of the log; their sequences are not used again", "from", lost.From, "to", lost.To)
	if err := k.anchor.Change(func(s *anchor.State) { s.Voids = append(s.Voids, lost) }); err != nil {
		return err
	}
	for at := lost.From; at <= lost.To; {
		var last jetstream.PubAckFuture
		var err error
		for range min(voidsAtOnce, lost.To-at+1) {
			m := &nats.Msg{Subject: eventsPrefix + string(voidEntity), Data: []byte("lost"), Header: nats.Header{jetstream.ExpectedStreamHeader: {eventsStream}}}
			if last, err = l.js.PublishMsgAsync(m); err != nil {
				return failed("fill lost sequences", err)
			}
			at++
		}
		select {
		case <-last.Ok():
		case err := <-last.Err():
			return failed("fill lost sequences", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		<-l.js.PublishAsyncComplete()
	}
	end, err := l.Head(ctx)
	if err == nil && end < lost.To {
		err = fmt.Errorf("%w: sequences up to %d cannot be filled, the log ends at %d", stream.ErrDamaged, lost.To, end)
	}
	return err
}

// quarantine writes down what a scan of the whole log found.
func (k *keeper) quarantine(ctx context.Context, l *eventLog, all *scan, missing int) error {
	broken, err := k.verdict(ctx, l, all)
	if err != nil {
		return err
	}
	err = k.anchor.Change(func(s *anchor.State) {
		s.Missing, s.Gaps = missing, all.gaps
		if s.Broken == nil {
			s.Broken = map[stream.Entity]anchor.Damage{}
		}
		for entity, damage := range broken {
			if before, ok := s.Broken[entity]; ok {
				damage.GivenUp = before.GivenUp
			}
			s.Broken[entity] = damage
			l.log.Error("quarantined", "entity", entity, "sequence", damage.Sequence, "problem", damage.Problem)
		}
	})
	k.found = err == nil
	return err
}

// verdict is that of the scan, but that a line whose end is there and cannot be read is not cut: the
// server would let nothing follow.
func (k *keeper) verdict(ctx context.Context, l *eventLog, all *scan) (map[stream.Entity]anchor.Damage, error) {
	out := all.verdict()
	for entity, damage := range out {
		if !damage.Cut {
			continue
		}
		subject := eventsPrefix + string(entity)
		info, err := l.stream.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err != nil {
			return nil, failed("look at "+string(entity), err)
		}
		if info.State.Subjects[subject] > all.lasts[entity].N {
			damage.Cut, damage.Problem = false, damage.Problem+"; what stands there cannot be read"
			out[entity] = damage
		}
	}
	return out, nil
}

// condemn quarantines a line on which somebody has met damage.
func (k *keeper) condemn(entity stream.Entity, sequence uint64, met error) error {
	if k.anchor == nil {
		return nil
	}
	if _, before := k.anchor.Broken(entity); before {
		return nil
	}
	return k.anchor.Change(func(s *anchor.State) {
		if s.Broken == nil {
			s.Broken = map[stream.Entity]anchor.Damage{}
		}
		s.Broken[entity] = anchor.Damage{Sequence: sequence, Problem: met.Error()}
	})
}

// knows says whether a gap in the log is written down: who lost something by it is quarantined.
func (k *keeper) knows(gap anchor.Span) bool {
	if k == nil || k.anchor == nil {
		return false
	}
	return within(k.anchor.State().Gaps, gap)
}

// gapAt is the gap that is written down and holds a sequence.
func (k *keeper) gapAt(sequence uint64) (anchor.Span, bool) {
	if k == nil || k.anchor == nil {
		return anchor.Span{}, false
	}
	for _, gap := range k.anchor.State().Gaps {
		if gap.From <= sequence && sequence <= gap.To {
			return gap, true
		}
	}
	return anchor.Span{}, false
}

func within(known []anchor.Span, gap anchor.Span) bool {
	return slices.ContainsFunc(known, func(k anchor.Span) bool { return k.From <= gap.From && gap.To <= k.To })
}

// whole refuses commits on a line that is quarantined.
func (k *keeper) whole(entity stream.Entity) error {
	if k.anchor == nil {
		return nil
	}
	if damage, bad := k.anchor.Broken(entity); bad && damage.GivenUp > 0 {
		return fmt.Errorf("%s: %w: it was given up in epoch %d: %s", entity, stream.ErrQuarantined, damage.GivenUp, damage.Problem)
	} else if bad {
		return fmt.Errorf("%s: %w: %s", entity, stream.ErrQuarantined, damage.Problem)
	}
	return nil
}

// entryOf is how a commit is anchored.
func entryOf(entity stream.Entity, sequence uint64, f events.Frame) anchor.Entry {
	return anchor.Entry{Entity: entity, Sequence: sequence, N: f.N, Hash: f.Hash}
}
