package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/batonflow/baton/events"
	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/shim"
)

// wrapper joins a server's standard streams to two named pipes, since a [exec.Runner] knows of no
// streams that live longer than a document. No value is ever a part of it: they are its arguments.
const wrapper = `in=$1; out=$2; shift 2; exec "$@" <"$in" >"$out"`

// errDone ends a server that does not end by itself when its input does.
var errDone = errors.New("the server is not needed any more")

// program is a server to start.
type program struct {
	argv   []string
	folder string            // its relative paths start here
	env    map[string]string // beside the task's own
}

// process is a server that was started for the attempt.
type process struct {
	name  string
	pipes *pipes
	meter *meter
	grace time.Duration
	stop  context.CancelCauseFunc

	joined  sync.Once     // it has opened both pipes
	silent  atomic.Bool   // its output has come to the end
	gone    chan struct{} // closed when all of its tree is
	failure *events.Failure
}

var _ peer = (*process)(nil)

// start starts a server behind the shim. Once it is gone, who reads from it comes to the end.
func (e Executor) start(ctx context.Context, t workers.Task, p program, live io.Writer, m *meter) (peer, *events.Failure) {
	argv, failure := p.resolve(t)
	if failure != nil {
		return nil, failure
	}
	pipes, err := open(e.Scratch)
	if err != nil {
		return nil, failed(workers.Retryable, "exec_scratch", err.Error()+": free some room or set TMPDIR")
	}
	ctx, stop := context.WithCancelCause(ctx)
	s := &process{name: p.argv[0], pipes: pipes, meter: m, grace: e.Grace, stop: stop, gone: make(chan struct{})}
	if s.grace <= 0 {
		s.grace = shim.DefaultGrace
	}
	t.Folder, t.Timeout, t.TerminalExits = p.folder, 0, nil
	words := append([]string{"/bin/sh", "-c", wrapper, "sh", pipes.in, pipes.out}, argv...)
	go func() { // close waits for it
		defer close(s.gone)
		_, s.failure = e.Run(ctx, t, exec.Program{Argv: words, Env: p.env, Write: []string{filepath.Dir(pipes.in)}}, live)
		pipes.release()
	}()
	return s, nil
}

// resolve finds the program; its arguments are the Runner's to resolve.
func (p program) resolve(t workers.Task) ([]string, *events.Failure) {
	argv := append([]string{}, p.argv...)
	switch name := argv[0]; {
	case !strings.Contains(name, "/"):
		path := p.path(t)
		file, ok := exec.Look(name, path)
		if !ok {
			return nil, failed(workers.Terminal, "mcp_not_found", name+" is not on PATH ("+path+"): install it, or name it by a path like ./"+name)
		}
		argv[0] = file
	case !filepath.IsAbs(name):
		argv[0] = filepath.Join(p.folder, name)
	}
	switch st, err := os.Stat(argv[0]); {
	case err != nil:
		return nil, failed(workers.Terminal, "mcp_not_found", argv[0]+" is not there: paths start at the folder of the template or of the file of servers")
	case !st.Mode().IsRegular() || st.Mode()&0o111 == 0:
		return nil, failed(workers.Terminal, "mcp_not_executable", argv[0]+" is not executable: chmod +x it")
	}
	return argv, nil
}

// path is the PATH that the server will have.
func (p program) path(t workers.Task) string {
	for _, env := range []map[string]string{p.env, t.Env} {
		if path, ok := env["PATH"]; ok {
			return path
		}
	}
	return "/usr/local/bin:/usr/bin:/bin"
}

// transport leaves the output open at the session's end, so that a server that still writes is not
// ended by it.
func (s *process) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: io.NopCloser(s), Writer: s.pipes.to, MaxLineLength: -1}
}

// Read reads from the server and notices the end.
func (s *process) Read(p []byte) (int, error) {
	n, err := s.meter.read(s.pipes.from).Read(p)
	if n > 0 {
		s.joined.Do(s.pipes.unlink)
	}
	if errors.Is(err, io.EOF) {
		s.silent.Store(true)
	}
	return n, err
}

// close ends the server as MCP says: its input ends, then it is asked, then it is killed.
func (s *process) close() {
	_ = s.pipes.to.Close() // the session may have
	var rest sync.WaitGroup
	rest.Go(func() { _, _ = io.Copy(io.Discard, s.pipes.from) }) // who is stuck in writing cannot end
	patience := time.NewTimer(s.grace)
	defer patience.Stop()
	select {
	case <-s.gone:
	case <-patience.C:
		s.stop(errDone)
		<-s.gone
	}
	rest.Wait()
	s.stop(nil)
	_ = s.pipes.from.Close()
}

// ended says how a server came to its end; nil as long as its output has not.
func (s *process) ended() *events.Failure {
	if !s.silent.Load() {
		return nil
	}
	<-s.gone // it comes to the end when the pipes are released
	if s.failure == nil {
		return failed(workers.Retryable, "mcp_server_ended", s.name+" ended before it had answered: a server reads requests until its input ends")
	}
	f := *s.failure
	switch f.Code {
	case "exec_exit":
		f.Code, f.Message = "mcp_server_ended", fmt.Sprintf("%s exited with status %d before it had answered", s.name, f.Exit)
	case "exec_signal":
		f.Code, f.Message = "mcp_server_ended", s.name+" was killed before it had answered"
	}
	return &f
}
