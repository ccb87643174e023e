//go:build unix

package shim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// drain bounds how long output is read after the tree is gone, for the sake of those who left
	// the group with the pipe in hand where the shim cannot find them.
	drain = time.Second
	// linger bounds how long a shim may need to clear the tree: what has not gone by then waits for
	// the kernel (a hung disk) or belongs to another user, and cannot be killed.
	linger = 5 * time.Second
)

// lead is a running shim, seen from the worker.
type lead struct {
	cmd     *exec.Cmd
	life    *os.File
	reports chan report // closed when the shim has closed its end
	pid     int         // of the program; 0 as long as it is unknown
	end     *report     // how the program ended; nil as long as that is unknown
}

// Run runs the program to its end, or until ctx is done: then the tree gets SIGTERM and, after the
// grace period, SIGKILL. It returns when the tree is gone and its output is read. It fails with
// ErrNotStarted or ErrGone; a program that ends badly is not an error.
func (c Command) Run(ctx context.Context) (End, error) {
	defer sweep(c.Scratch)
	l, err := c.start()
	if err != nil {
		return End{}, fmt.Errorf("start shim for %s: %w: %w", c.Path, ErrNotStarted, err)
	}
	grace := c.Grace
	if grace <= 0 {
		grace = DefaultGrace
	}
	stopped := l.follow(ctx.Done(), grace)
	end, err := l.conclude()
	if err != nil {
		return End{Stopped: stopped}, fmt.Errorf("run %s: %w", c.Path, err)
	}
	end.Stopped = stopped
	return end, nil
}

// start starts the shim with its two pipes.
func (c Command) start() (*lead, error) {
	shimLife, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	reports, shimReports, err := os.Pipe()
	if err != nil {
		shimLife.Close()
		life.Close()
		return nil, err
	}
	defer shimLife.Close()
	defer shimReports.Close()

	cmd := c.shim()
	cmd.ExtraFiles = []*os.File{shimLife, shimReports} // lifeFD, reportFD
	if err := cmd.Start(); err != nil {
		life.Close()
		reports.Close()
		return nil, err
	}
	l := &lead{cmd: cmd, life: life, reports: make(chan report)}
	go l.listen(reports) // ends with the shim, which closes the pipe
	return l, nil
}

func (c Command) shim() *exec.Cmd {
	self := c.Self
	if len(self) == 0 {
		self = []string{ownBinary(), Arg}
	}
	cmd := exec.Command(self[0], self[1:]...)
	cmd.Args = append(append(cmd.Args, c.Bounds.word(), c.Scratch, c.Path), c.Argv...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, c.Env...) // empty, not nil: nothing is inherited
	cmd.Stdin = bytes.NewReader(c.Stdin)
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.WaitDelay = drain
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// ownBinary names this binary, on Linux even when its file has been replaced by a newer one.
func ownBinary() string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func (l *lead) listen(from io.ReadCloser) {
	defer from.Close()
	defer close(l.reports)
	dec := json.NewDecoder(from)
	for {
		var r report
		if dec.Decode(&r) != nil {
			return
		}
		l.reports <- r
	}
}

// follow stays with the shim until it is gone, and says whether the program had to be stopped.
func (l *lead) follow(stop <-chan struct{}, grace time.Duration) (stopped bool) {
	var kill, giveUp <-chan time.Time
	for {
		select {
		case r, alive := <-l.reports:
			switch {
			case !alive:
				return stopped
			case r.PID != 0:
				l.pid = r.PID
			default:
				if l.end == nil { // why it was not started says more than how what stood in for it ended
					l.end = &r
				}
				stop, kill = nil, nil
				giveUp = time.After(linger)
			}
		case <-stop:
			stopped, stop = true, nil
			l.order(orderEnd)
			kill = time.After(grace)
		case <-kill:
			l.order(orderKill)
			giveUp = time.After(linger)
		case <-giveUp:
			_ = l.cmd.Process.Kill()
		}
	}
}

// order writes to the shim; one that is gone is noticed by its closed reports.
func (l *lead) order(b byte) { _, _ = l.life.Write([]byte{b}) }

// conclude collects the shim and what is left of the output.
func (l *lead) conclude() (End, error) {
	if l.end == nil { // the shim was killed: its work is ours
		if l.pid != 0 {
			_ = syscall.Kill(-l.pid, syscall.SIGKILL)
		}
		endSession(l.cmd.Process.Pid)
	}
	_ = l.life.Close()
	_ = l.cmd.Wait() // the shim's own exit code means nothing, and output beyond drain is not waited for
	switch {
	case l.end == nil:
		return End{}, ErrGone
	case l.end.Errno != 0:
		return End{}, fmt.Errorf("%w: %w", ErrNotStarted, l.end.Errno)
	}
	return End{Code: l.end.Code, Signal: syscall.Signal(l.end.Signal)}, nil
}

// sweep removes a scratch folder, with the folders in it that were made read-only.
func sweep(dir string) {
	if dir == "" || os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
