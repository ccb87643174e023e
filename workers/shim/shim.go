// Package shim keeps a program on a lead: when whoever started it dies, so does all it started.
//
// It has two ends. [Command.Run], in the worker, starts this very binary a second time as the shim;
// [Main], in the shim, starts the program in a process group of its own and watches over it. Between
// them run two pipes: on the first the worker says "end it" (see the orders), and its closing, which
// no kind of death can prevent, means the same at once; on the second the shim says how the program
// ended, so that an exit code is told from a signal. The shim stands outside the worker's session:
// a signal to the worker's group does not reach it.
//
// Promises. When Run returns, or a moment after the worker died, the program's process group is
// gone, however the program ended: nothing it leaves in the background outlives it. On Linux that
// includes daemons that left the group (the shim is their subreaper and finds them in /proc), and a
// shim that is itself killed takes the program along. On other systems only the process group is
// ended. Where worker and shim are killed in the same moment, only the program itself is sure to go.
package shim

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// Arg is the hidden first argument that makes the binary a shim: it must then call [Main] with what
// follows, before anything else.
const Arg = "__shim"

// DefaultGrace is how long a program has between being asked to end and being killed.
const DefaultGrace = 5 * time.Second

var (
	// ErrNotStarted says that the program could not be started; it wraps the system's reason.
	ErrNotStarted = errors.New("program was not started")
	// ErrGone says that the shim itself was killed, so that nobody saw how the program ended.
	ErrGone = errors.New("shim is gone")
)

// Command is a program to run behind a shim.
type Command struct {
	Path           string   // the program's file
	Argv           []string // its arguments, its own name first
	Dir            string   // working folder
	Env            []string // the whole environment, "name=value"
	Stdin          []byte
	Stdout, Stderr io.Writer     // nil: thrown away
	Scratch        string        // a folder that is removed when the program has ended; may be empty
	Grace          time.Duration // from SIGTERM to SIGKILL; 0: DefaultGrace
	Self           []string      // how to start the shim; empty: this binary with Arg
	Bounds         Bounds
}

// Bounds are what the program, with all that it starts, may not go beyond. The zero value bounds nothing.
type Bounds struct {
	// Confined says that nothing can be written but below Write, and to what is written to anyway
	// (/dev/null and its like). It takes a kernel with Landlock; see [Landlock].
	Confined bool     `json:"confined,omitempty"`
	Write    []string `json:"write,omitempty"` // files and folders; those that are not there are passed over
	// Memory is how many bytes of its own each process may have, Linux counts its data; CPU is how
	// long each may compute, in whole seconds, before it gets SIGXCPU and a second later SIGKILL.
	Memory int64         `json:"memory,omitempty"`
	CPU    time.Duration `json:"cpu,omitempty"`
}

func (b Bounds) none() bool { return !b.Confined && b.Memory == 0 && b.CPU == 0 }

// End is how a program ended.
type End struct {
	Code    int            // exit code, when Signal is 0
	Signal  syscall.Signal // the signal that ended it
	Stopped bool           // it was asked to end before it ended by itself
}

// Orders on the first pipe, a byte each.
const (
	orderEnd  = 't' // SIGTERM to the tree
	orderKill = 'k' // SIGKILL to the tree; the pipe's closing means the same
)

// File descriptors of the two pipes in the shim.
const (
	lifeFD   = 3
	reportFD = 4
)

// report is what the shim says on the second pipe: first the program's process id, then its end.
type report struct {
	PID    int           `json:"pid,omitempty"`
	Code   int           `json:"code,omitempty"`
	Signal int           `json:"signal,omitempty"`
	Errno  syscall.Errno `json:"errno,omitempty"` // why it was not started
}
