package exec

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/shim"
)

// errTooLarge ends a program that prints more than it may.
var errTooLarge = errors.New("result is too large")

// verdict judges how a program ended.
type verdict struct {
	task workers.Task
	name string
	end  shim.End
	err  error
	tail string

	bounds shim.Bounds
}

// failure is nil when the program ended well by itself. A program that was asked to end has failed
// for the reason it was asked, whatever it did then.
func (v verdict) failure(cause error) *events.Failure {
	var f *events.Failure
	switch {
	case v.end.Stopped:
		f = v.stopped(cause)
	case v.err != nil:
		f = v.unstarted()
	case v.end.Overran() && v.bounds.CPU > 0:
		f = failed(workers.Timeout, "exec_cpu", fmt.Sprintf("%s computed for more than %v: make it quicker or raise sandbox.cpu", v.name, v.bounds.CPU))
	case v.end.Signal != 0:
		f = failed(workers.Retryable, "exec_signal", fmt.Sprintf("%s was ended by signal %d (%v)", v.name, v.end.Signal, v.end.Signal))
	case v.end.Code != 0:
		f = failed(v.class(), "exec_exit", fmt.Sprintf("%s exited with status %d", v.name, v.end.Code))
		f.Exit = v.end.Code
	default:
		return nil
	}
	f.Tail = v.tail
	f.Message += v.bound()
	return f
}

// class of an exit code: exit 75 asks for another try, as every other does unless the step says that
// it is final.
func (v verdict) class() string {
	if slices.Contains(v.task.TerminalExits, v.end.Code) {
		return workers.Terminal
	}
	return workers.Retryable
}

func (v verdict) stopped(cause error) *events.Failure {
	switch class := workers.ClassOf(cause); class {
	case workers.Timeout:
		return failed(class, "exec_timeout", v.name+" did not end in time"+v.allowed()+": make it faster or raise the step's timeout")
	case workers.Stale:
		return failed(class, "exec_stale", v.name+" was ended because a later attempt holds the call")
	case workers.Lost:
		return failed(class, "exec_stopping", v.name+" was ended because its worker is stopping")
	default:
		return failed(class, "exec_cancelled", v.name+" was ended because its call was cancelled")
	}
}

func (v verdict) allowed() string {
	if v.task.Timeout == 0 {
		return ""
	}
	return " (" + v.task.Timeout.String() + ")"
}

// unstarted judges a program of which only the start, or not even that, is known.
func (v verdict) unstarted() *events.Failure {
	why := v.name + " was not started: " + v.err.Error()
	switch {
	case errors.Is(v.err, shim.ErrGone):
		return failed(workers.Lost, "exec_lost", v.name+" was ended together with the process that watched over it; memory may have run out")
	case errors.Is(v.err, syscall.ENOENT):
		return failed(workers.Terminal, "exec_not_found", why+": if it is a script, look at the program that its first line names")
	case errors.Is(v.err, syscall.ENOEXEC), errors.Is(v.err, syscall.EACCES):
		return failed(workers.Terminal, "exec_not_executable", why+": if it is a script, give it a first line like #!/bin/sh")
	case errors.Is(v.err, syscall.E2BIG), errors.Is(v.err, syscall.EINVAL), errors.Is(v.err, errors.ErrUnsupported):
		return failed(workers.Terminal, "exec_not_started", why)
	default: // no memory, too many processes, a file just being written: it may pass
		return failed(workers.Retryable, "exec_not_started", why)
	}
}

func (v verdict) tooLarge(size int64) *events.Failure {
	f := failed(workers.Terminal, "result_too_large", fmt.Sprintf(
		"result of %s is over the limit of %d bytes (%d were read before it was ended): write it to a file and print its path, or raise the limit",
		v.name, limit(v.task), size))
	f.Tail = v.tail
	return f
}
