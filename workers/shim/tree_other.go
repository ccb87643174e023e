//go:build unix && !linux

package shim

import "syscall"

// Elsewhere a process cannot adopt, nor tie a child's life to its own: only the group is ended.

func adopt() {}

func leash() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func strays(int) []int { return nil }

func endSession(int) {}
