package jetstream

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

// scan goes through the log after a sequence and notes what does not fit: within a line by its chain,
// at its end by the anchor.
type scan struct {
	installation string
	heads        map[stream.Entity]anchor.Entry
	after        uint64 // where it began; 0: with the first commit
	next         uint64 // the sequence that must come
	gaps         []anchor.Span
	lasts        map[stream.Entity]anchor.Entry // the last commit of each line that was met
	broken       map[stream.Entity]anchor.Damage
	newer        map[stream.Entity]bool // lines that go on in a newer Baton's hand
}

func (k *keeper) scan(ctx context.Context, l *eventLog, after uint64) (*scan, error) {
	s := &scan{
		installation: l.installation, heads: k.anchor.Heads(), after: after, next: after + 1,
		lasts: map[stream.Entity]anchor.Entry{}, broken: map[stream.Entity]anchor.Damage{}, newer: map[stream.Entity]bool{},
	}
	end, err := l.Head(ctx)
	if err != nil {
		return nil, err
	}
	for s.next <= end {
		batch, _, err := l.batch(ctx, eventsPrefix+">", s.next-1, readBatch)
		if err != nil {
			return nil, err
		}
		for _, m := range batch {
			s.message(m)
		}
		if len(batch) == 0 { // the rest cannot be read, and the server says so by saying nothing
			s.gap(end + 1)
		}
	}
	return s, nil
}

func (s *scan) gap(upTo uint64) {
	if upTo > s.next {
		s.gaps = append(s.gaps, anchor.Span{From: s.next, To: upTo - 1})
		s.next = upTo
	}
}

func (s *scan) message(m stored) {
	s.gap(m.sequence)
	s.next = m.sequence + 1
	entity := m.entity()
	if _, bad := s.broken[entity]; bad || s.newer[entity] || entity == voidEntity {
		return
	}
	rec, err := recordOf(entity, m, func(m stored) (events.Frame, error) { return events.Open(m.data) })
	switch {
	case errors.Is(err, events.ErrNewer):
		s.newer[entity] = true
	case err != nil:
		s.broken[entity] = anchor.Damage{Sequence: m.sequence, Problem: fmt.Sprintf("it cannot be read: %v", err)}
	default:
		s.commit(rec)
	}
}

// commit compares a commit with the one before it and with the anchor.
func (s *scan) commit(rec stream.Record) {
	last, met := s.lasts[rec.Entity]
	link := events.Link{N: last.N, Hash: last.Hash}
	if !met {
		link = events.Genesis(s.installation, rec.Entity.Name())
	}
	if met || s.after == 0 || rec.Frame.N == 1 {
		if err := rec.Frame.Follows(link); err != nil {
			s.broken[rec.Entity] = anchor.Damage{Sequence: rec.Sequence, Problem: fmt.Sprintf("commit %d stands after commit %d: what was between them is gone or changed", rec.Frame.N, link.N)}
			return
		}
	}
	if head := s.heads[rec.Entity]; head.N == rec.Frame.N && head.Hash != rec.Frame.Hash {
		s.broken[rec.Entity] = anchor.Damage{Sequence: rec.Sequence, Problem: fmt.Sprintf("commit %d is not the one that was acknowledged", rec.Frame.N)}
		return
	}
	s.lasts[rec.Entity] = entryOf(rec.Entity, rec.Sequence, rec.Frame)
}

// verdict gives every line that is not as it was acknowledged, after a scan of the whole log.
func (s *scan) verdict() map[stream.Entity]anchor.Damage {
	out := maps.Clone(s.broken)
	for entity, head := range s.heads {
		last := s.lasts[entity]
		if _, bad := out[entity]; bad || s.newer[entity] || last.N >= head.N {
			continue
		}
		out[entity] = anchor.Damage{Sequence: head.Sequence, Cut: true, Problem: ended(last.N, head.N)}
	}
	return out
}

func ended(is, was uint64) string {
	missing := fmt.Sprintf("commits %d to %d are gone", is+1, was)
	if is+1 == was {
		missing = fmt.Sprintf("commit %d is gone", was)
	}
	if is == 0 {
		return missing + ", and with them all of it"
	}
	return fmt.Sprintf("%s, it ends with commit %d", missing, is)
}

// asKnown says whether the scan met nothing that is not written down already.
func (s *scan) asKnown(known anchor.State) bool {
	for entity := range s.broken {
		if _, before := known.Broken[entity]; !before {
			return false
		}
	}
	for entity, last := range s.lasts {
		if _, before := known.Broken[entity]; !before && last.N < s.heads[entity].N {
			return false
		}
	}
	for entity, head := range s.heads {
		if _, before := known.Broken[entity]; before || head.Sequence <= s.after {
			continue
		}
		if _, met := s.lasts[entity]; !met && !s.newer[entity] {
			return false
		}
	}
	for _, gap := range s.gaps {
		if !within(known.Gaps, gap) {
			return false
		}
	}
	return true
}

// beyond lists the commits that came after those that were anchored.
func (s *scan) beyond(heads map[stream.Entity]anchor.Entry) []anchor.Entry {
	var out []anchor.Entry
	for entity, last := range s.lasts {
		if _, bad := s.broken[entity]; !bad && last.N > heads[entity].N {
			out = append(out, last)
		}
	}
	return out
}
