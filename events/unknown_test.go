package events_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/batonflow/baton/events"
)

// TestUnknownIsKeptByteForByte: what a newer Baton wrote is shown and passed on untouched.
func TestUnknownIsKeptByteForByte(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stored string
		v      int
	}{
		"a type nobody has heard of": {"nothing.known", 1},
		"a newer version":            {"call.opened", 99},
		"a version below the first":  {"call.opened", 0},
	}
	raw := json.RawMessage(`{"z":1,"a":[1e400,"<b> "],"a":2,"big":12345678901234567890}`)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := events.Event{ID: "e", Type: tt.stored, V: tt.v, Time: time.Unix(0, 1).UTC(), Data: events.Unknown{Raw: raw}}
			frame, err := events.Seal("s", events.Genesis("i", "s"), "w", []events.Event{written, sampleEvent(1, events.CallResumed{Call: "c001"})})
			if err != nil {
				t.Fatal(err)
			}
			got, err := events.Open(frame.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			unknown, ok := got.Events[0].Data.(events.Unknown)
			if !ok || !bytes.Equal(unknown.Raw, raw) {
				t.Fatalf("read %T %s, want Unknown with %s", got.Events[0].Data, unknown.Raw, raw)
			}
			if e := got.Events[0]; e.Type != tt.stored || e.V != tt.v {
				t.Errorf("its name became %s v%d", e.Type, e.V)
			}
			again, err := events.Seal("s", events.Genesis("i", "s"), "w", got.Events)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again.Bytes(), frame.Bytes()) {
				t.Errorf("passed on as\n%s, want\n%s", again.Bytes(), frame.Bytes())
			}
		})
	}
}

// TestUnknownOutlivesItsMessage: the reader may use its buffer again.
func TestUnknownOutlivesItsMessage(t *testing.T) {
	t.Parallel()
	message := []byte(`{"id":"e","type":"nothing.known","v":1,"time":"2026-02-03T04:05:06Z","data":{"step":"publish"}}`)
	var e events.Event
	if err := json.Unmarshal(message, &e); err != nil {
		t.Fatal(err)
	}
	clear(message)
	if raw := e.Data.(events.Unknown).Raw; string(raw) != `{"step":"publish"}` {
		t.Errorf("the fact became %s", raw)
	}
}

func TestNewerFrameIsRefusedAsNewer(t *testing.T) {
	t.Parallel()
	frame := chain(t, 1)[0]
	newer := bytes.Replace(frame.Bytes(), []byte(`{"v":1,`), []byte(`{"v":2,"seal":"x",`), 1)
	if _, err := events.Open(newer); !errors.Is(err, events.ErrNewer) || errors.Is(err, events.ErrDamaged) {
		t.Errorf("Open gives %v, want ErrNewer and not ErrDamaged", err)
	}
}

func TestFactOfTheWrongShapeIsDamage(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`"text"`, `{"rev":"one"}`, `{"rev":1e99}`, `[]`} {
		written := events.Event{ID: "e", Type: "context.set", V: 1, Data: events.Unknown{Raw: json.RawMessage(data)}}
		frame, err := events.Seal("s", events.Genesis("i", "s"), "w", []events.Event{written})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := events.Open(frame.Bytes()); !errors.Is(err, events.ErrDamaged) {
			t.Errorf("context.set with %s: %v, want ErrDamaged", data, err)
		}
	}
}
