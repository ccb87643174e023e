package acquire

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange puts fresh in the place of what stands at at, which ends up as aside. Where the file system
// can, the two change places in one step and there is no moment without either.
func exchange(fresh, at, aside string) error {
	if err := os.Rename(fresh, aside); err != nil {
		return err
	}
	err := unix.Renameat2(unix.AT_FDCWD, aside, unix.AT_FDCWD, at, unix.RENAME_EXCHANGE)
	if err == nil {
		return nil
	}
	if back := os.Rename(aside, fresh); back != nil {
		return errors.Join(err, back)
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return moveAside(fresh, at, aside)
	}
	return err
}
