package file

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncData returns once the file's data, and what is needed to find it, are on the disk.
func SyncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// SyncDir returns once the names in the folder are on the disk.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
