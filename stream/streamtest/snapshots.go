package streamtest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/batonflow/baton/stream"
)

var snapshotTests = map[string]func(*testing.T, Fixture){
	"any size, the last one counts": func(t *testing.T, f Fixture) {
		for _, size := range []int{0, 1, 512 << 10, 512<<10 - 1, 3_000_000, 700_000, 2} {
			body := noise(size)
			if err := f.Snapshots.Save(t.Context(), "v1.s1", body); err != nil {
				t.Fatal(err)
			}
			if got, err := f.Snapshots.Load(t.Context(), "v1.s1"); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
			}
		}
	},
	"one that is not there": func(t *testing.T, f Fixture) {
		if _, err := f.Snapshots.Load(t.Context(), "v1.s1"); !errors.Is(err, stream.ErrNotFound) {
			t.Errorf("before any was saved: %v", err)
		}
		if err := f.Snapshots.Save(t.Context(), "v1.s1", []byte("a")); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Snapshots.Load(t.Context(), "v2.s1"); !errors.Is(err, stream.ErrNotFound) {
			t.Errorf("of another version: %v", err)
		}
	},
	"all are forgotten, and saved again": func(t *testing.T, f Fixture) {
		for range 2 {
			if err := f.Snapshots.Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Snapshots.Load(t.Context(), "v1.s1"); !errors.Is(err, stream.ErrNotFound) {
				t.Errorf("after all were forgotten: %v", err)
			}
			if err := f.Snapshots.Save(t.Context(), "v1.s1", []byte("a")); err != nil {
				t.Fatal(err)
			}
		}
	},
}
