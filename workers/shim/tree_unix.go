//go:build unix

package shim

import (
	"io"
	"os"
	"syscall"
)

// tree is the program with all that it started. Its pid is that of its process group too.
type tree struct{ pid int }

// plant starts the program in a process group of its own, with the shim's folder, environment and
// standard streams. The calling thread must live as long as the shim.
func plant(bounds, path string, argv []string) (tree, error) {
	files := []uintptr{0, 1, 2}
	if bounds != "" { // this binary binds itself and then becomes the program
		argv = append([]string{os.Args[0], Arg, boundedArg, bounds, path}, argv...)
		path, files = ownBinary(), append(files, reportFD)
	}
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: files,
		Sys:   leash(),
	})
	return tree{pid}, err
}

// obey does what the worker orders, and kills the tree when the worker is gone.
func (t tree) obey(life io.Reader) {
	order := make([]byte, 1)
	for {
		if _, err := life.Read(order); err != nil {
			t.signal(syscall.SIGKILL)
			return
		}
		switch order[0] {
		case orderEnd:
			t.signal(syscall.SIGTERM)
			t.signal(syscall.SIGCONT) // a stopped process hears nothing but this
		case orderKill:
			t.signal(syscall.SIGKILL)
		}
	}
}

// watch waits until the program itself has ended, and says how.
func (t tree) watch() report {
	for {
		pid, status, err := reap(0)
		switch {
		case err != nil:
			return report{Signal: int(syscall.SIGKILL)} // no such child: somebody else reaped it
		case pid != t.pid: // an orphan of the program's, adopted
		case status.Signaled():
			return report{Signal: int(status.Signal())}
		default:
			return report{Code: status.ExitStatus()}
		}
	}
}

// clear kills what the program left behind and returns when nothing of it is there. What is killed
// comes to the shim to be reaped, and whoever it had just started with it: so every round that finds
// somebody ends, and one that finds nobody is the last.
func (t tree) clear() {
	_ = syscall.Kill(-t.pid, syscall.SIGKILL)
	for {
		switch pid, _, err := reap(syscall.WNOHANG); {
		case err != nil:
			return
		case pid != 0:
			continue
		}
		t.signal(syscall.SIGKILL)
		if _, _, err := reap(0); err != nil {
			return
		}
	}
}

// signal sends to the program's group and to those of its descendants that have left it.
func (t tree) signal(sig syscall.Signal) {
	_ = syscall.Kill(-t.pid, sig)
	for _, pid := range strays(t.pid) {
		_ = syscall.Kill(pid, sig)
	}
}

// reap waits for any child. With WNOHANG it gives pid 0 when all are alive; it fails when there are none.
func reap(options int) (int, syscall.WaitStatus, error) {
	var status syscall.WaitStatus
	for {
		pid, err := syscall.Wait4(-1, &status, options, nil)
		if err != syscall.EINTR {
			return pid, status, err
		}
	}
}
