package events_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

// chain seals n commits of two events each.
func chain(t *testing.T, n int) []events.Frame {
	t.Helper()
	last := events.Genesis(installation, goldenSession)
	frames := make([]events.Frame, n)
	for i := range frames {
		f, err := events.Seal(goldenSession, last, "p7f3", []events.Event{
			sampleEvent(2*i+1, events.ContextSet{Key: "draft.md", Value: events.Value{JSON: []byte(`"<b>…</b>"`)}, Rev: i + 1, By: "writer"}),
			sampleEvent(2*i+2, events.CallSuspended{Call: "c001", Reason: "hand-over"}),
		})
		if err != nil {
			t.Fatal(err)
		}
		frames[i], last = f, f.Link()
	}
	return frames
}

// verify reads messages as a whole history.
func verify(messages [][]byte) error {
	last := events.Genesis(installation, goldenSession)
	for _, m := range messages {
		f, err := events.Open(m)
		if err != nil {
			return err
		}
		if err := f.Follows(last); err != nil {
			return err
		}
		last = f.Link()
	}
	return nil
}

func messages(frames []events.Frame) [][]byte {
	out := make([][]byte, len(frames))
	for i, f := range frames {
		out[i] = f.Bytes()
	}
	return out
}

func TestChainHolds(t *testing.T) {
	t.Parallel()
	if err := verify(messages(chain(t, 5))); err != nil {
		t.Error(err)
	}
}

// TestAnyChangedByteIsFound flips every bit of every byte of a frame. What is still taken must mean
// the same to a fold: only the writer, a note for people, and the spelling of JSON are free.
func TestAnyChangedByteIsFound(t *testing.T) {
	t.Parallel()
	frame := chain(t, 1)[0]
	message := frame.Bytes()
	writer := bytes.Index(message, []byte(`"writer":"p7f3"`))
	taken := 0
	for i := range message {
		for bit := range 8 {
			changed := bytes.Clone(message)
			changed[i] ^= 1 << bit
			got, err := events.Open(changed)
			if err != nil {
				if !errors.Is(err, events.ErrDamaged) && !errors.Is(err, events.ErrNewer) {
					t.Fatalf("byte %d bit %d: %v, want ErrDamaged or ErrNewer", i, bit, err)
				}
				continue
			}
			taken++
			if got.V != frame.V || got.Session != frame.Session || got.Link() != frame.Link() || got.Prev != frame.Prev ||
				!cmp.Equal(got.Events, frame.Events, compareEvents) {
				t.Errorf("byte %d bit %d changed the frame to %s", i, bit, changed)
			}
			inWriter := i >= writer && i < writer+len(`"writer":"p7f3"`)
			if key := changed[i]^message[i] == 0x20; !inWriter && !key {
				t.Errorf("byte %d bit %d was taken: %s", i, bit, changed)
			}
		}
	}
	if taken == 0 {
		t.Error("no change was taken, not even in the writer: the test looks at the wrong bytes")
	}
}

func TestTornFrameIsFound(t *testing.T) {
	t.Parallel()
	message := chain(t, 1)[0].Bytes()
	for end := range len(message) {
		if _, err := events.Open(message[:end]); !errors.Is(err, events.ErrDamaged) {
			t.Fatalf("the first %d of %d bytes: %v, want ErrDamaged", end, len(message), err)
		}
	}
}

func TestHistoryIsTamperProof(t *testing.T) {
	t.Parallel()
	frames := chain(t, 4)
	other, err := events.Seal(goldenSession, frames[1].Link(), "p7f3", frames[3].Events)
	if err != nil {
		t.Fatal(err)
	}
	all := messages(frames)
	stories := map[string][][]byte{
		"first removed":     {all[1], all[2], all[3]},
		"one removed":       {all[0], all[2], all[3]},
		"two swapped":       {all[0], all[2], all[1], all[3]},
		"one repeated":      {all[0], all[1], all[1], all[2]},
		"one replaced":      {all[0], all[1], other.Bytes(), all[3]},
		"another session's": {bytes.Replace(all[0], []byte(goldenSession), []byte(strings.Replace(goldenSession, "0", "1", 1)), 1)},
		"an event edited":   {bytes.Replace(all[0], []byte(`"rev":1`), []byte(`"rev":2`), 1)},
		"an event's space":  {bytes.Replace(all[0], []byte(`"rev":1`), []byte(`"rev": 1`), 1)},
		"renumbered":        {bytes.Replace(all[0], []byte(`"n":1`), []byte(`"n":2`), 1)},
		"no events":         {bytes.Replace(all[0], all[0][bytes.IndexByte(all[0], '['):bytes.LastIndexByte(all[0], ']')+1], []byte(`[]`), 1)},
		"something behind":  {append(bytes.Clone(all[0]), '{', '}')},
		"another installation's": func() [][]byte {
			f, _ := events.Seal(goldenSession, events.Genesis("other", goldenSession), "w", frames[0].Events)
			return [][]byte{f.Bytes()}
		}(),
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := verify(story); !errors.Is(err, events.ErrChain) && !errors.Is(err, events.ErrDamaged) {
				t.Errorf("verify gives %v, want ErrChain or ErrDamaged", err)
			}
		})
	}
}

// TestGenesisSeparates: where the installation ends and the session begins is part of the hash.
func TestGenesisSeparates(t *testing.T) {
	t.Parallel()
	if events.Genesis("ab", "c") == events.Genesis("a", "bc") {
		t.Error("two different pairs have the same beginning")
	}
	if g := events.Genesis("a", "b"); g.N != 0 || len(g.Hash) != 64 {
		t.Errorf("Genesis gives %+v", g)
	}
}

// TestBytesAreKeptAsTheyStand: a frame written by another encoder has blanks, escapes and fields of
// its own; they are under the hash and stay.
func TestBytesAreKeptAsTheyStand(t *testing.T) {
	t.Parallel()
	f := chain(t, 1)[0]
	got, err := events.Open(f.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), f.Bytes()) || got.ID() != f.Events[0].ID || got.Writer != "p7f3" {
		t.Errorf("opened frame is %s of %s by %s", got.Bytes(), got.ID(), got.Writer)
	}
	if !bytes.Contains(f.Bytes(), []byte(`<b>…</b>`)) {
		t.Errorf("HTML was escaped: %s", f.Bytes())
	}
}
