//go:build !unix

package host

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/batonflow/baton/stream"
)

func apart() *syscall.SysProcAttr { return nil }

// lockFile makes the file exclusively and removes it afterwards. A process that is killed leaves it
// behind; after a minute it is taken to be such a one.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err == nil {
			return func() { f.Close(); os.Remove(path) }, nil
		}
		if info, gone := os.Stat(path); gone == nil && time.Since(info.ModTime()) > time.Minute {
			os.Remove(path)
			continue
		}
		if !stream.Pause(ctx, 20*time.Millisecond) {
			return nil, err
		}
	}
}
