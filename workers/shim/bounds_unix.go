//go:build unix

package shim

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// boundedArg makes the shim's binary, started once more, the program's own process: it sets the bounds
// on itself, so that they hold from the program's first instruction on, and becomes the program.
const boundedArg = "__bounded"

// word is how bounds stand among the shim's arguments.
func (b Bounds) word() string {
	if b.none() {
		return ""
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return "" // not with these fields
	}
	return string(raw)
}

// bounded ends by becoming the program. args are the bounds, the program's file and its argv.
func bounded(args []string) int {
	const reports = 3 // the pipe, as plant has laid it
	var b Bounds
	if len(args) < 3 || !isPipe(reports) || json.Unmarshal([]byte(args[0]), &b) != nil {
		fmt.Fprintf(os.Stderr, "baton: %s %s is started by a shim, not by hand\n", Arg, boundedArg)
		return exitUsage
	}
	unix.CloseOnExec(reports)
	err := b.set()
	if err == nil {
		err = syscall.Exec(args[1], args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "baton:", err)
	tell(os.NewFile(reports, "reports"), report{Errno: errno(err)})
	syscall.Exit(1)
	return 1
}

// set binds this process and all that it will start. Memory comes last: the binding itself needs some.
func (b Bounds) set() error {
	if b.Confined {
		if err := confine(b.Write); err != nil {
			return fmt.Errorf("confine its writing: %w", err)
		}
	}
	if seconds := uint64((b.CPU + time.Second - 1) / time.Second); seconds > 0 {
		if err := bind(unix.RLIMIT_CPU, seconds, seconds+1); err != nil {
			return fmt.Errorf("bound its computing time: %w", err)
		}
	}
	if b.Memory > 0 {
		if err := bind(unix.RLIMIT_DATA, uint64(b.Memory), uint64(b.Memory)); err != nil {
			return fmt.Errorf("bound its memory: %w", err)
		}
	}
	return nil
}

// bind lowers a limit; one that is lower already stays.
func bind(resource int, soft, hard uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	now.Cur, now.Max = min(now.Cur, soft), min(now.Max, hard)
	return unix.Setrlimit(resource, &now)
}

// Overran says that the program was ended because it computed for longer than it was bound to.
func (e End) Overran() bool { return e.Signal == unix.SIGXCPU }
