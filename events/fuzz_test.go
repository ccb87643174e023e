package events_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/events"
)

// FuzzOpen reads messages that nobody of ours wrote. A frame is refused with one of two errors or
// taken; a frame that is taken can be stored again with its chain.
func FuzzOpen(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(goldenFrames, "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		message, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message)
		f.Add(message[:len(message)/2])
	}
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"v":2}`, `{"v":-1}`, `{"events":[null]}`, `{"n":-1}`, `{"v":1,"events":[],"hash":""}`,
		`{"v":1,"session":"\ud800","n":1,"prev":"","events":[{"id":"e","type":"call.opened","v":1,"data":null}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		frame, err := events.Open(message)
		if err != nil {
			if !errors.Is(err, events.ErrDamaged) && !errors.Is(err, events.ErrNewer) {
				t.Fatalf("%v is neither ErrDamaged nor ErrNewer", err)
			}
			return
		}
		if !bytes.Equal(frame.Bytes(), message) {
			t.Errorf("Bytes are %q, not the message", frame.Bytes())
		}
		if err := frame.Follows(events.Link{N: frame.N - 1, Hash: frame.Prev}); err != nil {
			t.Error(err)
		}
	})
}

// FuzzFact reads facts of every type from outside bytes, sealed under a right hash.
func FuzzFact(f *testing.F) {
	for i := range events.Catalogue {
		payload, err := os.ReadFile(goldenPath(events.Catalogue[i].Type, events.Catalogue[i].V))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), payload)
		f.Add(uint8(i), []byte(`null`))
	}
	f.Fuzz(func(t *testing.T, which uint8, payload []byte) {
		entry := events.Catalogue[int(which)%len(events.Catalogue)]
		written := events.Event{ID: "e", Type: entry.Type, V: entry.V, Data: events.Unknown{Raw: payload}}
		sealed, err := events.Seal("s", events.Genesis("i", "s"), "w", []events.Event{written})
		if err != nil {
			return // not JSON, or too large
		}
		frame, err := events.Open(sealed.Bytes())
		if err != nil {
			if !errors.Is(err, events.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if _, err := events.Seal("s", events.Genesis("i", "s"), "w", frame.Events); err != nil && !errors.Is(err, events.ErrTooLarge) {
			t.Errorf("%s %s was read and cannot be written: %v", entry.Type, payload, err)
		}
	})
}
