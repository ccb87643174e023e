package acquire

import (
	"errors"
	"os"
)

// moveAside makes room and moves in, for file systems that cannot do both at once. What fails in
// between is put back.
func moveAside(fresh, at, aside string) error {
	if err := os.Rename(at, aside); err != nil {
		return err
	}
	if err := os.Rename(fresh, at); err != nil {
		return errors.Join(err, os.Rename(aside, at))
	}
	return nil
}
