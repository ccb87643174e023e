package streamtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/stream"
)

const lineSeparator = "\u2028"

var frameTests = map[string]func(*testing.T, Fixture){
	"torn": func(t *testing.T, f Fixture) {
		l := newLine(f, "torn")
		l.append(t, "one")
		whole := l.seal(t, "two").Bytes()
		testUnreadable(t, f, l, whole[:len(whole)-9], events.ErrDamaged)
	},
	"edited": func(t *testing.T, f Fixture) {
		l := newLine(f, "edited")
		l.append(t, "one")
		edited := strings.Replace(string(l.seal(t, "two").Bytes()), `"goal":"two"`, `"goal":"six"`, 1)
		testUnreadable(t, f, l, []byte(edited), events.ErrDamaged)
	},
	"of another entity": func(t *testing.T, f Fixture) {
		l := newLine(f, "mine")
		l.append(t, "one")
		other := newLine(f, "other")
		testUnreadable(t, f, l, other.seal(t, "theirs").Bytes(), events.ErrDamaged)
	},
	"of a newer version": func(t *testing.T, f Fixture) {
		l := newLine(f, "newer")
		l.append(t, "one")
		testUnreadable(t, f, l, []byte(`{"v":999,"session":"newer","n":2,"novel":true}`), events.ErrNewer)
	},
	"unknown event types": func(t *testing.T, f Fixture) {
		raw := json.RawMessage(`{"z":1,"a":[1.50,"x"],"n":12345678901234567890}`)
		l := newLine(f, "unknown")
		l.commit(t, []events.Event{
			{ID: "E1", Type: "moon.landed", V: 7, Time: epoch, Data: events.Unknown{Raw: raw}},
			{ID: "E2", Type: "session.started", V: 99, Time: epoch, Data: events.Unknown{Raw: raw}},
		})
		got := readAll(t, f, l.entity, 0)[0].Frame.Events
		for i, want := range []string{"moon.landed v7", "session.started v99"} {
			if kind := fmt.Sprintf("%s v%d", got[i].Type, got[i].V); kind != want {
				t.Errorf("event %d is %s, want %s", i, kind, want)
			}
			unknown, ok := got[i].Data.(events.Unknown)
			if !ok || string(unknown.Raw) != string(raw) {
				t.Errorf("event %d came back as %v, want the bytes %s", i, got[i].Data, raw)
			}
		}
	},
	"largest commit in bytes": func(t *testing.T, f Fixture) {
		l := newLine(f, "large")
		size := events.MaxFrameBytes - len(l.seal(t, "").Bytes())
		l.append(t, strings.Repeat("x", size))
		if got := len(readAll(t, f, l.entity, 0)[0].Frame.Bytes()); got != events.MaxFrameBytes {
			t.Errorf("commit has %d bytes, want %d", got, events.MaxFrameBytes)
		}
	},
	"largest commit in events": func(t *testing.T, f Fixture) {
		l := newLine(f, "many")
		evs := make([]events.Event, events.MaxFrameEvents)
		for i := range evs {
			evs[i] = started(fmt.Sprintf("E%03d", i), "g")
		}
		l.commit(t, evs)
		if got := len(readAll(t, f, l.entity, 0)[0].Frame.Events); got != len(evs) {
			t.Errorf("commit has %d events, want %d", got, len(evs))
		}
	},
	"bytes that marshalling would rewrite": func(t *testing.T, f Fixture) {
		l := newLine(f, "bytes")
		l.append(t, "<b>&amp;</b> "+lineSeparator)
		spaced := handmade(t, l.last, "bytes", `[ {"id":"E9", "type":"session.started" ,"v":1,"time":"2026-01-02T03:04:05Z","data":{ "goal" : "<&`+lineSeparator+`>"} } ]`)
		l.add(t, spaced)
		for i, record := range readAll(t, f, l.entity, 0) {
			if diff := cmp.Diff(string(l.frames[i].Bytes()), string(record.Frame.Bytes())); diff != "" {
				t.Errorf("commit %d changed on its way: %s", i+1, diff)
			}
		}
	},
}

// testUnreadable writes a message that must end a read, and that a tail must name and pass.
func testUnreadable(t *testing.T, f Fixture, l *line, message []byte, want error) {
	bad := f.Inject(l.entity, message)
	after := newLine(f, "after")
	after.append(t, "more")

	n := 0
	var last error
	for record, err := range f.Log.Read(t.Context(), l.entity, 0) {
		n, last = n+1, err
		if err != nil && (record.Sequence != bad || record.Entity != l.entity) {
			t.Errorf("damage is said to be at %d of %s, want %d of %s", record.Sequence, record.Entity, bad, l.entity)
		}
	}
	if n != 2 || !errors.Is(last, want) {
		t.Errorf("read gave %d records and then %v, want 2 and %v", n, last, want)
	}

	got := tail(t, f, 0, 3)
	if got[1].record.Sequence != bad || got[1].record.Entity != l.entity || !errors.Is(got[1].err, want) {
		t.Errorf("tail gave %d of %s with %v, want %d of %s with %v",
			got[1].record.Sequence, got[1].record.Entity, got[1].err, bad, l.entity, want)
	}
	if got[2].err != nil || got[2].record.Entity != after.entity {
		t.Errorf("tail did not go on after damage: %v, %v", got[2].record.Entity, got[2].err)
	}
}

// handmade is a frame as a foreign writer would write it, with the white space that it likes.
func handmade(t *testing.T, last events.Link, session, body string) events.Frame {
	t.Helper()
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%d:%s\n%d\n%d:%s\n%d:", 1, len(session), session, last.N+1, len(last.Hash), last.Hash, len(body))
	h.Write([]byte(body))
	message := fmt.Sprintf(`{"v":1,"session":%q,"n":%d,"prev":%q,"writer":"hand","events":%s,"hash":%q}`,
		session, last.N+1, last.Hash, body, hex.EncodeToString(h.Sum(nil)))
	frame, err := events.Open([]byte(message))
	if err != nil {
		t.Fatalf("the suite's own frame does not open: %v", err)
	}
	return frame
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// started makes an event of one byte more for every byte of the goal.
func started(id, goal string) events.Event {
	e := events.New(events.SessionStarted{Goal: goal, Mode: "auto"})
	e.ID, e.Time, e.Actor = id, epoch, "test"
	return e
}

// line is an entity's chain as a writer knows it.
type line struct {
	f      Fixture
	entity stream.Entity
	last   events.Link
	after  uint64
	frames []events.Frame
}

func newLine(f Fixture, session string) *line {
	return &line{f: f, entity: stream.SessionEntity(session), last: events.Genesis(f.Log.Installation(), session)}
}

func (l *line) seal(t *testing.T, goal string) events.Frame {
	t.Helper()
	return l.sealed(t, []events.Event{started(fmt.Sprintf("%s-%d", l.entity, l.last.N+1), goal)})
}

func (l *line) sealed(t *testing.T, evs []events.Event) events.Frame {
	t.Helper()
	frame, err := events.Seal(l.entity.Name(), l.last, "suite", evs)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

func (l *line) append(t *testing.T, goal string) uint64 {
	t.Helper()
	return l.add(t, l.seal(t, goal))
}

func (l *line) commit(t *testing.T, evs []events.Event) uint64 {
	t.Helper()
	return l.add(t, l.sealed(t, evs))
}

func (l *line) add(t *testing.T, frame events.Frame) uint64 {
	t.Helper()
	sequence, err := l.f.Log.Append(t.Context(), l.entity, l.after, frame)
	if err != nil {
		t.Fatal(err)
	}
	l.moved(frame, sequence)
	return sequence
}

func (l *line) moved(frame events.Frame, sequence uint64) {
	l.last, l.after, l.frames = frame.Link(), sequence, append(l.frames, frame)
}
