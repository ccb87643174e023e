package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/shim"
)

// defaultPath is where programs are looked for when the task names no PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// Runner runs programs for tasks, each behind a shim. The zero value works.
type Runner struct {
	Scratch string        // where scratch folders are made; empty: the system's temporary folder
	Grace   time.Duration // from SIGTERM to SIGKILL; 0: five seconds
	Shim    []string      // how to start the shim; empty: this binary, hidden command
	Confine bool          // steps that say nothing of a sandbox are confined, too
}

// Program is what to run for a task.
type Program struct {
	Argv  []string
	Stdin []byte
	Env   map[string]string // beside the task's own
	Files map[string][]byte // by the variable that names the file: written to the scratch folder
	Write []string          // where it must be able to write, whatever confines it
}

// Run runs the program once and gives what it printed, also when it failed. It returns when all of
// its process tree is gone. The failure tells a bad end of the program from the reason for which
// ctx ended it.
func (r Runner) Run(ctx context.Context, t workers.Task, p Program, live io.Writer) ([]byte, *events.Failure) {
	cmd, failure := r.prepare(t, p)
	if failure != nil {
		return nil, failure
	}
	defer os.RemoveAll(cmd.Scratch) // for what failed before the shim could

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if t.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.Timeout, workers.ErrDeadline)
		defer cancel()
	}
	stdout := &limited{most: limit(t), over: func() { stop(errTooLarge) }}
	stderr := &logged{live: live}
	cmd.Stdout, cmd.Stderr = stdout, stderr

	v := verdict{task: t, name: p.Argv[0], bounds: cmd.Bounds}
	if v.end.Stopped = ctx.Err() != nil; !v.end.Stopped {
		v.end, v.err = cmd.Run(ctx)
	}
	v.tail = stderr.tail()
	cause := context.Cause(ctx)
	if stdout.exceeded() && (cause == nil || errors.Is(cause, errTooLarge)) {
		return nil, v.tooLarge(stdout.size)
	}
	return stdout.buf.Bytes(), v.failure(cause)
}

func limit(t workers.Task) int64 {
	if t.MaxOutput > 0 {
		return t.MaxOutput
	}
	return workers.DefaultMaxOutput
}

// prepare finds the program and makes its surroundings.
func (r Runner) prepare(t workers.Task, p Program) (shim.Command, *events.Failure) {
	env := environment(t, p)
	path, failure := find(p.Argv[0], t.Folder, env["PATH"])
	if failure != nil {
		return shim.Command{}, failure
	}
	scratch, err := r.scratch(env, p.Files)
	if err != nil {
		return shim.Command{}, failed(workers.Retryable, "exec_scratch", err.Error()+": free some room or set TMPDIR")
	}
	dir := t.Workspace
	if dir == "" {
		dir = scratch
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		os.RemoveAll(scratch)
		return shim.Command{}, failed(workers.Terminal, "exec_workspace",
			"the workspace "+dir+" is not there: make the folder again, or start a new run elsewhere")
	}
	bounds := r.bounds(t, append([]string{dir, scratch}, p.Write...), env["HOME"])
	if bounds.Confined {
		env["TMPDIR"] = scratch
	}
	return shim.Command{
		Bounds: bounds,
		Path:   path, Argv: arguments(p.Argv, path, t.Folder), Dir: dir, Env: list(env), Stdin: p.Stdin,
		Scratch: scratch, Grace: r.Grace, Self: r.Shim,
	}, nil
}

// scratch makes the private folder and the files in it, and adds their names to env.
func (r Runner) scratch(env map[string]string, files map[string][]byte) (string, error) {
	dir, err := os.MkdirTemp(r.Scratch, "baton-")
	if err != nil {
		return "", fmt.Errorf("make a scratch folder: %w", err)
	}
	dir, err = filepath.Abs(dir)
	for name, content := range files {
		env[name] = filepath.Join(dir, name)
		err = errors.Join(err, os.WriteFile(env[name], content, 0o600))
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("fill the scratch folder: %w", err)
	}
	env["BATON_TMP"] = dir
	return dir, nil
}

// environment is all that the program is given: the task's, the program's, and what names the attempt.
func environment(t workers.Task, p Program) map[string]string {
	env := map[string]string{"PATH": defaultPath}
	for _, from := range []map[string]string{t.Env, p.Env} {
		for name, value := range from {
			env[name] = value
		}
	}
	env["BATON_SESSION"] = t.Session
	env["BATON_CALL"] = t.Call
	env["BATON_ATTEMPT"] = strconv.Itoa(t.Attempt)
	env["BATON_EFFECT_KEY"] = t.EffectKey
	return env
}
