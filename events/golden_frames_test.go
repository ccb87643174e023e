package events_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/events"
)

const (
	goldenFrames  = "testdata/frames"
	installation  = "01KGE3V0A8INSTALLATION0000"
	goldenSession = "0195c2f4-7b1a-7c3d-9e2f-1a2b3c4d5e6f"
)

// TestGoldenFrames reads the chain of frames that releases have left, and makes sure that every type
// and version is in it. With -update what is missing follows in a new frame.
func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(goldenFrames, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	last, seen := events.Genesis(installation, goldenSession), map[string]bool{}
	for _, path := range files {
		frame := openGolden(t, path)
		if err := frame.Follows(last); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		last = frame.Link()
		for _, e := range frame.Events {
			seen[e.Type] = true
			checkGolden(t, path, e)
		}
	}
	var missing []events.Event
	for i, entry := range events.Catalogue {
		if !seen[entry.Type] {
			missing = append(missing, sampleEvent(i+1, sampleData(t, entry)))
		}
	}
	if len(missing) == 0 {
		return
	}
	if !*update {
		t.Fatalf("no golden frame holds %s; add one with -update", missing[0].Type)
	}
	frame, err := events.Seal(goldenSession, last, "p7f3", missing)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(goldenFrames, fmt.Sprintf("%04d.json", frame.N))
	if err := os.WriteFile(path, frame.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func openGolden(t *testing.T, path string) events.Frame {
	t.Helper()
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := events.Open(kept)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if !bytes.Equal(frame.Bytes(), kept) {
		t.Errorf("%s: Bytes are not the message", path)
	}
	return frame
}

// checkGolden compares an event with the payload golden of its type: both were made of one sample.
func checkGolden(t *testing.T, path string, e events.Event) {
	t.Helper()
	entry, ok := events.Lookup(e.Type)
	if !ok || e.V != entry.V {
		t.Errorf("%s: %s v%d is not known, the catalogue is at %d", path, e.Type, e.V, entry.V)
		return
	}
	if e.ID == "" || e.Time.IsZero() || e.Actor == "" {
		t.Errorf("%s: the envelope of %s has lost a field: %+v", path, e.Type, e)
	}
	payload, err := os.ReadFile(goldenPath(e.Type, e.V))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(readGolden(t, e.Type, e.V, payload).Data, e.Data, compareEvents); diff != "" {
		t.Errorf("%s reads %s otherwise than its golden payload (-payload +frame):\n%s", path, e.Type, diff)
	}
}
