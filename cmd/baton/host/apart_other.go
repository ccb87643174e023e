//go:build !unix

package host

import (
	"os"
	"syscall"
	"time"
)

func apart() *syscall.SysProcAttr { return nil }

// tryLock makes the file exclusively and removes it afterwards, unless somebody else has. A process that is
// killed leaves it behind; after a minute it is taken to be such a one.
func tryLock(path string) (unlock func(), held bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return func() { f.Close(); os.Remove(path) }, true, nil
	}
	info, gone := os.Stat(path)
	if gone != nil {
		return nil, false, err
	}
	if time.Since(info.ModTime()) > time.Minute {
		os.Remove(path)
	}
	return nil, false, nil
}
