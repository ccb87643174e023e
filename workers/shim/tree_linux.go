package shim

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes the shim the parent of every orphan below it.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// leash puts the program in its own group and kills it when the shim dies.
func leash() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// process is a line of the process table. One that has ended and waits to be reaped is in it too.
type process struct{ pid, parent, group, session int }

// strays lists this process's descendants that are not in the group.
func strays(group int) []int {
	children := make(map[int][]process)
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []int
	for next := []int{os.Getpid()}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			next = append(next, p.pid)
			if p.group != group {
				found = append(found, p.pid)
			}
		}
	}
	return found
}

// processes reads the process table; without /proc it is empty.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read is of use even when the end is missing
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, ok := parseStat(pid, stat); ok {
			all = append(all, p)
		}
	}
	return all
}

// parseStat reads "pid (name) state parent group session …"; the name may hold anything, brackets
// included.
func parseStat(pid int, stat []byte) (process, bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 {
		return process{}, false
	}
	var ids [3]int
	for i := range ids {
		id, err := strconv.Atoi(string(fields[i+1]))
		if err != nil {
			return process{}, false
		}
		ids[i] = id
	}
	return process{pid, ids[0], ids[1], ids[2]}, true
}

// endSession kills what a killed shim left of its session: the program's group, whose number the
// worker may not have heard, and others of it. A few rounds catch those who were just being started.
func endSession(session int) {
	const rounds = 20
	for range rounds {
		found := false
		for _, p := range processes() {
			if p.session == session {
				found = true
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}
