// Package file puts files in place as a whole, and makes what was written last.
//
// Whoever reads a file that is replaced sees the old one or the new one, never a part; a process that is
// killed on the way leaves the old one and, at worst, a file `.new-…` beside it.
package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts a file in place. It does not wait for the disk: after a power loss the old one may stand
// there again, or an empty one.
func Replace(path string, data []byte, mode fs.FileMode) error {
	return replace(path, data, mode, func(*os.File) error { return nil })
}

// Keep puts a file in place and returns once it, under its name, is on the disk.
func Keep(path string, data []byte, mode fs.FileMode) error {
	if err := replace(path, data, mode, (*os.File).Sync); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

func replace(path string, data []byte, mode fs.FileMode, flush func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), flush(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
