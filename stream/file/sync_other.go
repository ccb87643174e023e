//go:build !linux

package file

import (
	"errors"
	"os"
	"runtime"
)

// SyncData returns once the file's data, and what is needed to find it, are on the disk.
func SyncData(f *os.File) error { return f.Sync() }

// SyncDir returns once the names in the folder are on the disk. Windows needs no such thing.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
