package streamtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

var logTests = map[string]func(*testing.T, Fixture){
	"order":              testOrder,
	"empty":              testEmpty,
	"conflict":           testConflict,
	"one winner of many": testRace,
	"lost answer":        testLostAnswer,
	"repeated append":    testRepeat,
	"read in batches":    testLongRead,
	"tail follows":       testTail,
	"names of entities":  testNames,
	"cancelled":          testCancelled,
}

func testOrder(t *testing.T, f Fixture) {
	a, b := newLine(f, "a"), newLine(f, "b")
	for i := range 5 {
		a.append(t, fmt.Sprint("a", i))
		b.append(t, fmt.Sprint("b", i))
	}
	for _, l := range []*line{a, b} {
		checkLine(t, l, readAll(t, f, l.entity, 0))
		if got := readAll(t, f, l.entity, l.after); len(got) != 0 {
			t.Errorf("read after the end gave %d commits", len(got))
		}
		if got, err := f.Log.Last(t.Context(), l.entity); err != nil || got != l.after {
			t.Errorf("last of %s is %d, %v, want %d", l.entity, got, err, l.after)
		}
	}
	if got, err := f.Log.Head(t.Context()); err != nil || got != b.after {
		t.Errorf("head is %d, %v, want %d", got, err, b.after)
	}
	if err := f.Log.Settle(t.Context(), b.after); err != nil {
		t.Errorf("settle: %v", err)
	}
}

func testEmpty(t *testing.T, f Fixture) {
	entity := stream.SessionEntity("nobody")
	if got := readAll(t, f, entity, 0); len(got) != 0 {
		t.Errorf("read gave %d commits", len(got))
	}
	last, err := f.Log.Last(t.Context(), entity)
	head, err2 := f.Log.Head(t.Context())
	if last != 0 || head != 0 || errors.Join(err, err2) != nil {
		t.Errorf("last is %d, head %d, %v, want 0 and 0", last, head, errors.Join(err, err2))
	}
	if f.Log.Installation() == "" {
		t.Error("installation has no id")
	}
}

func testConflict(t *testing.T, f Fixture) {
	mine, theirs := newLine(f, "s"), newLine(f, "s")
	mine.append(t, "first")
	loser := theirs.sealed(t, []events.Event{started("other", "late")})
	if _, err := f.Log.Append(t.Context(), "session.s", 0, loser); !errors.Is(err, stream.ErrConflict) {
		t.Errorf("append after 0: %v, want a conflict", err)
	}
	if _, err := f.Log.Append(t.Context(), "session.s", mine.after+7, loser); !errors.Is(err, stream.ErrConflict) {
		t.Errorf("append after the end: %v, want a conflict", err)
	}
	mine.append(t, "second")
	checkLine(t, mine, readAll(t, f, mine.entity, 0))
}

func testRace(t *testing.T, f Fixture) {
	const writers = 16
	var wins sync.Map
	var all sync.WaitGroup
	for i := range writers {
		frame := newLine(f, "race").sealed(t, []events.Event{started(fmt.Sprint("E", i), "me")})
		all.Go(func() {
			switch sequence, err := f.Log.Append(t.Context(), "session.race", 0, frame); {
			case err == nil:
				wins.Store(frame.ID(), sequence)
			case !errors.Is(err, stream.ErrConflict):
				t.Errorf("loser got %v, want a conflict", err)
			}
		})
	}
	all.Wait()
	got := readAll(t, f, "session.race", 0)
	if len(got) != 1 {
		t.Fatalf("%d commits are stored, want 1", len(got))
	}
	n := 0
	wins.Range(func(id, sequence any) bool {
		n++
		if id != got[0].Frame.ID() || sequence != got[0].Sequence {
			t.Errorf("%v at %v was told that it won, %s at %d is stored", id, sequence, got[0].Frame.ID(), got[0].Sequence)
		}
		return true
	})
	if n != 1 {
		t.Errorf("%d writers were told that they won, want 1", n)
	}
}

// testLostAnswer: an append that is stored, whose answer is lost, and after which others commit,
// is a success and stands there once.
func testLostAnswer(t *testing.T, f Fixture) {
	if f.LoseAnswer == nil {
		t.Skip("answers cannot be lost")
	}
	l := newLine(f, "lost")
	l.append(t, "one")
	mine, after := l.seal(t, "mine"), l.after
	f.LoseAnswer(func() {
		stored := readAll(t, f, l.entity, after)
		l.moved(mine, stored[0].Sequence)
		l.append(t, "theirs")
		l.append(t, "theirs too")
	})
	sequence, err := f.Log.Append(t.Context(), l.entity, after, mine)
	if err != nil {
		t.Fatalf("append whose answer was lost: %v", err)
	}
	got := readAll(t, f, l.entity, 0)
	checkLine(t, l, got)
	if got[1].Sequence != sequence {
		t.Errorf("append gave %d, the commit is at %d", sequence, got[1].Sequence)
	}
}

func testRepeat(t *testing.T, f Fixture) {
	l := newLine(f, "repeat")
	l.append(t, "one")
	after, frame := l.after, l.seal(t, "two")
	want := l.add(t, frame)
	for _, others := range []string{"", "three", "four"} {
		if others != "" {
			l.append(t, others)
		}
		if got, err := f.Log.Append(t.Context(), l.entity, after, frame); err != nil || got != want {
			t.Errorf("repeated append gave %d, %v, want %d", got, err, want)
		}
	}
	checkLine(t, l, readAll(t, f, l.entity, 0))
}

func testLongRead(t *testing.T, f Fixture) {
	l, other := newLine(f, "long"), newLine(f, "between")
	for i := range 700 {
		l.append(t, fmt.Sprint(i))
		if i%50 == 0 {
			other.append(t, "x")
		}
	}
	all := readAll(t, f, l.entity, 0)
	checkLine(t, l, all)
	if got := readAll(t, f, l.entity, all[299].Sequence); len(got) != 400 || got[0].Frame.N != 301 {
		t.Errorf("read from the middle gave %d commits", len(got))
	}
	n := 0
	for range f.Log.Read(t.Context(), l.entity, 0) {
		if n++; n == 3 {
			break
		}
	}
	checkLine(t, other, readAll(t, f, other.entity, 0))
}

func testTail(t *testing.T, f Fixture) {
	l := newLine(f, "tail")
	for i := range 3 {
		l.append(t, fmt.Sprint(i))
	}
	ctx, stop := context.WithCancel(within(t, patience))
	defer stop()
	next := uint64(2)
	for record, err := range f.Log.Tail(ctx, 1) {
		if err != nil || record.Sequence != next || record.Frame.N != next || record.Entity != l.entity {
			t.Fatalf("tail gave commit %d at %d with %v, want %d", record.Frame.N, record.Sequence, err, next)
		}
		if next == 6 {
			stop()
		} else if next >= 3 {
			l.append(t, "while it is followed")
		}
		next++
	}
	if next != 7 {
		t.Errorf("tail ended before commit %d, want 7", next)
	}
}

func testNames(t *testing.T, f Fixture) {
	entity := stream.Entity("skills")
	frame, err := events.Seal("skills", events.Genesis(f.Log.Installation(), "skills"), "suite", []events.Event{started("K1", "x")})
	if err != nil {
		t.Fatal(err)
	}
	sequence, err := f.Log.Append(t.Context(), entity, 0, frame)
	if err != nil {
		t.Fatal(err)
	}
	got := tail(t, f, 0, 1)[0]
	if got.err != nil || got.record.Entity != entity || got.record.Sequence != sequence {
		t.Errorf("tail gave %s at %d with %v", got.record.Entity, got.record.Sequence, got.err)
	}
}

func testCancelled(t *testing.T, f Fixture) {
	l := newLine(f, "cancelled")
	frame := l.seal(t, "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Log.Append(ctx, l.entity, 0, frame); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("cancelled append: %v, want %v", err, stream.ErrUnavailable)
	}
	for range f.Log.Tail(ctx, 0) {
		t.Error("a cancelled tail gave something")
	}
	// Whatever came of it, the same append can be made again.
	l.add(t, frame)
	checkLine(t, l, readAll(t, f, l.entity, 0))
}

func readAll(t *testing.T, f Fixture, entity stream.Entity, after uint64) []stream.Record {
	t.Helper()
	var all []stream.Record
	for record, err := range f.Log.Read(t.Context(), entity, after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

type tailed struct {
	record stream.Record
	err    error
}

func tail(t *testing.T, f Fixture, after uint64, n int) []tailed {
	t.Helper()
	var got []tailed
	for record, err := range f.Log.Tail(within(t, patience), after) {
		if got = append(got, tailed{record, err}); len(got) == n {
			return got
		}
	}
	t.Fatalf("tail gave %d records, want %d", len(got), n)
	return nil
}

// checkLine compares what was read with what the writer wrote: all of it, once, in order, linked.
func checkLine(t *testing.T, l *line, got []stream.Record) {
	t.Helper()
	if len(got) != len(l.frames) {
		t.Fatalf("%s has %d commits, want %d", l.entity, len(got), len(l.frames))
	}
	link := events.Genesis(l.f.Log.Installation(), l.entity.Name())
	var before uint64
	for i, record := range got {
		if err := record.Frame.Follows(link); err != nil {
			t.Error(err)
		}
		if record.Frame.Hash != l.frames[i].Hash || record.Entity != l.entity || record.Sequence <= before {
			t.Errorf("commit %d of %s is another one, at %d after %d", i+1, record.Entity, record.Sequence, before)
		}
		link, before = record.Frame.Link(), record.Sequence
	}
}
