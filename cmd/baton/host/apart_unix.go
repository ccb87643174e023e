//go:build unix

package host

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/batonflow/baton/stream"
)

// apart puts a server into a session of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// lockFile waits for an advisory lock, which ends with the process however that ends.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || !stream.Pause(ctx, 5*time.Millisecond) {
			f.Close()
			return nil, err
		}
	}
}
