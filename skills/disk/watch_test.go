package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWatchTellsWhoseFolderChanged(t *testing.T) {
	t.Parallel()
	a, b := resolved(t.TempDir()), resolved(t.TempDir())
	w, err := NewWatch()
	if err != nil {
		t.Skip(err)
	}
	if !w.Set("first", []string{a}) || !w.Set("second", []string{b}) {
		t.Fatal("not everything is watched")
	}
	heard := make(chan string, 100)
	done := make(chan error)
	go func() { done <- w.Run(t.Context(), func(name string) { heard <- name }) }()
	write := func(dir, name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Error(err)
		}
	}
	want := func(name string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != name {
				t.Errorf("heard of %s, want %s", got, name)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("nothing was heard of %s", name)
		}
		for len(heard) > 0 {
			<-heard
		}
	}
	write(b, "one")
	want("second")
	w.Set("second", nil)
	w.Set("second", []string{a})
	w.Set("first", nil)
	write(a, "two")
	want("second")
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWatchSaysWhenItIsIncomplete(t *testing.T) {
	t.Parallel()
	w, err := NewWatch()
	if err != nil {
		t.Skip(err)
	}
	defer w.Close()
	if w.Set("x", []string{filepath.Join(t.TempDir(), "nowhere")}) {
		t.Error("a folder that is not there is said to be watched")
	}
}
