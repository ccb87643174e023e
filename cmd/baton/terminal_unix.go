//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// openTerminal opens the terminal that this process belongs to, if a person can answer there: it is the
// foreground's.
func openTerminal() (*os.File, bool) {
	t, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, false
	}
	group, err := unix.IoctlGetInt(int(t.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		_ = t.Close() // nothing was written
		return nil, false
	}
	return t, true
}
