//go:build !unix

package main

// freeBytes is not known on this platform.
func freeBytes(string) (uint64, bool) { return 0, false }
