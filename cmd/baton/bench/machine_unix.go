//go:build unix

package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuUsed is the time that this process has spent on processors.
func cpuUsed() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
