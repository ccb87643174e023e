//go:build unix

// Package shimtest helps tests that run real programs behind a shim: it lets a test binary play the
// shim and the other parts of the scene, and it watches processes go away.
package shimtest

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/batonflow/baton/workers/shim"
)

// Daemon is the first argument that makes a test binary a daemon: it leaves its session and group,
// prints its process id, and stays until it is killed, whatever else it is told.
const Daemon = "__daemon"

// Main runs the tests, or plays a part: the shim, a daemon, or one of the caller's own, by the first
// argument. It is for TestMain.
func Main(m *testing.M, parts map[string]func(args []string) int) {
	if len(os.Args) > 1 {
		name, args := os.Args[1], os.Args[2:]
		if play, ok := parts[name]; ok {
			os.Exit(play(args))
		}
		switch name {
		case shim.Arg:
			os.Exit(shim.Main(args))
		case Daemon:
			os.Exit(daemon())
		}
	}
	os.Exit(m.Run())
}

func daemon() int {
	if _, err := syscall.Setsid(); err != nil {
		fmt.Fprintln(os.Stderr, "leave the session:", err)
		return 1
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	fmt.Println(os.Getpid())
	for range told { // it does not listen
	}
	return 0
}

// Gone fails the test unless all processes have ended within the time, and kills those that have not.
func Gone(t *testing.T, within time.Duration, pids ...int) {
	t.Helper()
	deadline := time.After(within)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for _, pid := range pids {
		for Alive(pid) {
			select {
			case <-tick.C:
			case <-deadline:
				t.Errorf("process %d is still there after %v", pid, within)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// Alive says whether a process runs. One that has ended and waits to be reaped does not.
func Alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err) || !hasProc()
	}
	state := bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(state) > 0 && state[0] != 'Z' && state[0] != 'X'
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}
