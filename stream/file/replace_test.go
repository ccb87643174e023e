package file_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/stream/file"
)

// TestPutInPlace: what was there is replaced with content and mode, a fault changes nothing, and nothing
// is left beside it.
func TestPutInPlace(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(string, []byte, fs.FileMode) error{"replace": file.Replace, "keep": file.Keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "a")
			if err := os.WriteFile(path, []byte("a longer text"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := put(path, []byte("new"), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
				t.Errorf("%q, %v", got, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("mode of %v, %v", info, err)
			}
			occupied := filepath.Join(dir, "folder")
			if err := os.MkdirAll(filepath.Join(occupied, "inside"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := put(occupied, []byte("new"), 0o600); err == nil {
				t.Error("a folder was replaced")
			}
			if err := put(filepath.Join(dir, "missing", "a"), nil, 0o600); err == nil {
				t.Error("a folder that is not there was written to")
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
