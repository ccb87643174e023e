//go:build unix

package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitUsage is the exit code for being called by hand.
const exitUsage = 64

// Main is the shim's own life. args are the program's bounds and the scratch folder (each may be
// empty), the program's file and its argv. It returns an exit code for who called it by hand; otherwise it ends the process itself,
// because the worker waits for that: what the runtime does at an ordinary exit (a second, with the
// race detector) would be added to every step.
func Main(args []string) int {
	if len(args) > 0 && args[0] == boundedArg {
		return bounded(args[1:])
	}
	if len(args) < 4 || !isPipe(lifeFD) || !isPipe(reportFD) {
		fmt.Fprintf(os.Stderr, "baton: %s is started by a worker with two pipes, not by hand\n", Arg)
		return exitUsage
	}
	bounds, scratch, path, argv := args[0], args[1], args[2], args[3:]
	unix.CloseOnExec(lifeFD)
	unix.CloseOnExec(reportFD)
	life, reports := os.NewFile(lifeFD, "life"), os.NewFile(reportFD, "reports")

	runtime.LockOSThread() // the death signal of the program is tied to the thread that starts it
	outlive()
	adopt()

	t, err := plant(bounds, path, argv)
	if err == nil {
		tell(reports, report{PID: t.pid})
		letGo()
		go t.obey(life)
		tell(reports, t.watch())
		t.clear()
	} else {
		tell(reports, report{Errno: errno(err)})
	}
	sweep(scratch)
	syscall.Exit(0)
	return 0
}

// outlive makes the shim survive the signals that end ordinary programs. They are caught and not
// ignored, because what is ignored would stay ignored in the program.
func outlive() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}

// letGo gives up the program's stdin and stdout, so that their other ends see the program close them.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return // worse drainage, nothing else
	}
	defer null.Close()
	_ = unix.Dup2(int(null.Fd()), 0)
	_ = unix.Dup2(int(null.Fd()), 1)
}

// tell reports to the worker. A worker that is gone cannot be told, and need not be.
func tell(w io.Writer, r report) { _ = json.NewEncoder(w).Encode(r) }

func errno(err error) syscall.Errno {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e
	}
	return syscall.EINVAL
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}
