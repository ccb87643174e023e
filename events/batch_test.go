package events_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/batonflow/baton/events"
)

func TestCommitLimits(t *testing.T) {
	t.Parallel()
	small := events.CallResumed{Call: "c001"}
	tests := map[string]struct {
		count int
		data  events.Data
		err   error
	}{
		"none":            {0, small, events.ErrTooLarge},
		"one":             {1, small, nil},
		"as many as may":  {events.MaxFrameEvents, small, nil},
		"one too many":    {events.MaxFrameEvents + 1, small, events.ErrTooLarge},
		"as large as may": {4, events.CallClosed{Note: strings.Repeat("x", 60<<10)}, nil},
		"too large":       {1, events.CallClosed{Note: strings.Repeat("x", events.MaxFrameBytes)}, events.ErrTooLarge},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b events.Batch
			for i := range tt.count {
				if err := b.Add(sampleEvent(i+1, tt.data)); err != nil {
					t.Fatal(err)
				}
			}
			f, err := b.Seal("s", events.Genesis("i", "s"), "w")
			if !errors.Is(err, tt.err) {
				t.Fatalf("Seal gives %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			if len(f.Bytes()) > events.MaxFrameBytes || len(f.Events) != tt.count {
				t.Errorf("sealed %d events in %d bytes", len(f.Events), len(f.Bytes()))
			}
			if _, err := events.Open(f.Bytes()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLimitToTheByte: the last size that fits is sealed, the next is not.
func TestLimitToTheByte(t *testing.T) {
	t.Parallel()
	seal := func(note int) (events.Frame, error) {
		return events.Seal("s", events.Genesis("i", "s"), "w", []events.Event{sampleEvent(1, events.CallClosed{Note: strings.Repeat("x", note)})})
	}
	f, err := seal(1)
	if err != nil {
		t.Fatal(err)
	}
	most := events.MaxFrameBytes - len(f.Bytes()) + 1
	if f, err = seal(most); err != nil || len(f.Bytes()) != events.MaxFrameBytes {
		t.Errorf("a frame of %d bytes: %v, want %d bytes", len(f.Bytes()), err, events.MaxFrameBytes)
	}
	if _, err = seal(most + 1); !errors.Is(err, events.ErrTooLarge) {
		t.Errorf("one byte more gives %v, want ErrTooLarge", err)
	}
}

// TestBatchKnowsItsSize: the writer closes its commit by Size, so it must be what Seal will see.
func TestBatchKnowsItsSize(t *testing.T) {
	t.Parallel()
	var b events.Batch
	want := 0
	for i, entry := range events.Catalogue {
		e := sampleEvent(i+1, sampleData(t, entry))
		raw, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		if want += len(raw); i > 0 {
			want++ // the comma
		}
		if b.Size() != want || b.Len() != i+1 {
			t.Fatalf("after %d events: Size %d, Len %d, want %d bytes", i+1, b.Size(), b.Len(), want)
		}
	}
	f, err := b.Seal("s", events.Genesis("i", "s"), "w")
	if err != nil {
		t.Fatal(err)
	}
	var frame struct{ Events json.RawMessage }
	if err := json.Unmarshal(f.Bytes(), &frame); err != nil {
		t.Fatal(err)
	}
	if len(frame.Events) != want+len("[]") {
		t.Errorf("the frame's events take %d bytes, want %d", len(frame.Events), want+2)
	}
}

// TestSealOneAtATimeOrTogether: the frame does not depend on how its batch was filled.
func TestSealOneAtATimeOrTogether(t *testing.T) {
	t.Parallel()
	var evs []events.Event
	var b events.Batch
	for i, entry := range events.Catalogue {
		evs = append(evs, sampleEvent(i+1, sampleData(t, entry)))
		if err := b.Add(evs[i]); err != nil {
			t.Fatal(err)
		}
	}
	last := events.Genesis("i", "s")
	together, err := events.Seal("s", last, "w", evs)
	if err != nil {
		t.Fatal(err)
	}
	single, err := b.Seal("s", last, "w")
	if err != nil {
		t.Fatal(err)
	}
	if string(together.Bytes()) != string(single.Bytes()) {
		t.Errorf("got %s\nand %s", together.Bytes(), single.Bytes())
	}
}
