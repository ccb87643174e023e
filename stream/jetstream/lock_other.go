//go:build !linux && !darwin

package jetstream

import (
	"errors"
	"os"
)

// errPlatform is plain rather than weak: without a lock two servers could lose data on one directory.
var errPlatform = errors.New("embedded server needs Linux or macOS; give a server's URL instead")

func lockFile(*os.File) error { return errPlatform }

func diskOf(string) (free, whole int64, err error) { return 0, 0, errPlatform }
