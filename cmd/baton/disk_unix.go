//go:build unix

package main

import "golang.org/x/sys/unix"

// freeBytes is the room that is left where dir lies.
func freeBytes(dir string) (uint64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}
