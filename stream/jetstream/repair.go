package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
	"github.com/batonflow/baton/stream/anchor"
)

// ErrWhole says that there is nothing to repair.
var ErrWhole = errors.New("nothing is quarantined")

// Quarantined is a line that is not as it was acknowledged.
type Quarantined struct {
	Entity stream.Entity `json:"entity"`
	anchor.Damage
}

// Standing says what is known of the log that the server keeps.
type Standing struct {
	Epoch       int           `json:"epoch"`
	Highest     uint64        `json:"anchored"` // sequence
	Unclean     bool          `json:"unclean,omitempty"`
	Restored    []string      `json:"restored,omitempty"` // streams whose description was damaged
	Gaps        []anchor.Span `json:"gaps,omitempty"`
	Voids       []anchor.Span `json:"voids,omitempty"`
	Quarantined []Quarantined `json:"quarantined,omitempty"`
	Found       bool          `json:"-"` // at this start, and not before
}

// Standing is the zero value where no anchor is kept.
func (s *Server) Standing() Standing {
	k := s.keeper
	if k.anchor == nil {
		return Standing{}
	}
	state := k.anchor.State()
	out := Standing{Epoch: state.Epoch, Highest: k.anchor.Highest(), Unclean: k.unclean, Restored: k.restored, Gaps: state.Gaps, Voids: state.Voids, Found: k.found}
	for entity, damage := range state.Broken {
		out.Quarantined = append(out.Quarantined, Quarantined{entity, damage})
	}
	slices.SortFunc(out.Quarantined, func(a, b Quarantined) int { return cmp.Compare(a.Entity, b.Entity) })
	return out
}

// Repaired says what a repair gave up.
type Repaired struct {
	Epoch   int           `json:"epoch"`
	GoOn    []Quarantined `json:"go_on"`    // lines that go on from the last commit that is there
	GivenUp []Quarantined `json:"given_up"` // lines that take no commit any more
	Lost    []anchor.Span `json:"lost"`     // sequences that are gone or cannot be read
}

// Repair begins a new epoch. A line of which only the end is gone goes on from what is there; one with a
// hole or a changed commit is given up: what stands behind the hole was decided on what nobody can read.
func (s *Server) Repair(ctx context.Context, store *Store) (Repaired, error) {
	k := s.keeper
	if k.anchor == nil {
		return Repaired{}, ErrWhole
	}
	open := slices.DeleteFunc(s.Standing().Quarantined, func(q Quarantined) bool { return q.GivenUp > 0 })
	if len(open) == 0 {
		return Repaired{}, ErrWhole
	}
	all, err := k.scan(ctx, store.eventLog, 0)
	if err != nil {
		return Repaired{}, fmt.Errorf("repair: %w", err)
	}
	now, err := k.verdict(ctx, store.eventLog, all)
	if err != nil {
		return Repaired{}, fmt.Errorf("repair: %w", err)
	}
	out := Repaired{Epoch: k.anchor.State().Epoch + 1, GoOn: []Quarantined{}, GivenUp: []Quarantined{}, Lost: []anchor.Span{}}
	var ends []anchor.Entry
	for _, q := range open {
		damage, still := now[q.Entity]
		switch {
		case !still, damage.Cut:
			last := all.lasts[q.Entity]
			last.Entity = q.Entity
			ends = append(ends, last)
			out.GoOn = append(out.GoOn, q)
		default:
			damage.GivenUp = out.Epoch
			out.GivenUp = append(out.GivenUp, Quarantined{q.Entity, damage})
		}
	}
	state := k.anchor.State()
	out.Lost = append(append(out.Lost, state.Gaps...), state.Voids...)
	if err := k.anchor.Reset(ends...); err != nil {
		return Repaired{}, fmt.Errorf("repair: %w", err)
	}
	return out, k.anchor.Change(func(s *anchor.State) {
		s.Epoch = out.Epoch
		for _, q := range out.GoOn {
			delete(s.Broken, q.Entity)
		}
		for _, q := range out.GivenUp {
			s.Broken[q.Entity] = q.Damage
		}
	})
}

// Anchored is how far every line had come when it was last flushed, given up lines aside; nil where no
// anchor is kept.
func (s *Server) Anchored() map[stream.Entity]events.Link {
	if s.keeper.anchor == nil {
		return nil
	}
	out := map[stream.Entity]events.Link{}
	for entity, head := range s.keeper.anchor.Heads() {
		out[entity] = events.Link{N: head.N, Hash: head.Hash}
	}
	return out
}
