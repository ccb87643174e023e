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

// process is a line of the process table.
type process struct{ pid, parent, group int }

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

// parseStat reads "pid (name) state parent group …"; the name may hold anything, brackets included.
func parseStat(pid int, stat []byte) (process, bool) {
	_, rest, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	fields := bytes.Fields(rest)
	if !ok || len(fields) < 3 {
		return process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	return process{pid, parent, group}, err == nil && err2 == nil
}
