//go:build linux

package faults_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/batonflow/baton/workers/shim"
	"github.com/batonflow/baton/workers/shim/shimtest"
)

// process is a line of the process table.
type process struct {
	pid     int
	command string
}

// isBaton says whether it is a server, a worker or a command: not a shim, not a step's program.
func (p process) isBaton() bool {
	words := strings.Fields(p.command)
	return len(words) > 1 && strings.HasSuffix(words[0], "/baton") && words[1] != shim.Arg
}

// processesOf lists the running processes whose environment or command line names the folder.
func processesOf(dir string) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile("/proc/" + entry.Name() + "/environ")
		command, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if bytes.Contains(environ, []byte(dir)) || bytes.Contains(command, []byte(dir)) {
			out = append(out, process{pid, string(bytes.TrimSpace(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))})
		}
	}
	return out
}

// servers lists the home's servers.
func (h *home) servers() (out []process) {
	for _, p := range processesOf(h.dir) {
		if words := strings.Fields(p.command); p.isBaton() && words[1] == "serve" {
			out = append(out, p)
		}
	}
	return out
}

func alive(pid int) bool { return pid > 0 && shimtest.Alive(pid) }

// kill kills a process and returns when it is dead.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill process %d: %v", pid, err)
	}
	await(t, "the end of a killed process", func() bool { return !alive(pid) && !threads(pid) })
}

// threads says whether a process that is dead by its first thread still has others: they hold its files,
// and the locks on them, until the last one is gone.
func threads(pid int) bool {
	tasks, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	return err == nil && len(tasks) > 1
}

// child is a command that keeps running beside the test.
type child struct {
	*exec.Cmd
	said *said
	done chan struct{} // closed when it has ended and ProcessState is set
}

// said collects what a child says on stderr.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start starts a command and does not wait for it.
func (h *home) start(args ...string) *child { return h.follow(nil, args...) }

// follow is start with a place for what the command prints.
func (h *home) follow(stdout io.Writer, args ...string) *child {
	h.t.Helper()
	return h.launch(h.command(args...), stdout)
}

// launch starts a program, which need not be baton.
func (h *home) launch(cmd *exec.Cmd, stdout io.Writer) *child {
	h.t.Helper()
	c := &child{Cmd: cmd, said: new(said), done: make(chan struct{})}
	c.Stdout, c.Stderr = stdout, c.said
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		_ = c.Wait() // how it ended is in ProcessState
	}()
	h.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGCONT)
		_ = c.Process.Kill() // it may have ended
		<-c.done
		if h.t.Failed() {
			h.t.Logf("%s said:\n%s", strings.Join(cmd.Args, " "), tail(c.said.String()))
		}
	})
	return c
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// serve starts a server in the foreground and returns when it takes commands.
func (h *home) serve(args ...string) *child {
	h.t.Helper()
	c := h.start(append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	await(h.t, "a server that is ready", func() bool {
		if c.ended() {
			h.t.Fatalf("the server ended: %s", c.said)
		}
		return strings.Contains(c.said.String(), "serving ")
	})
	return c
}

// worker starts a worker process and gives the id that begins the names of its slots.
func (h *home) worker(args ...string) (*child, string) {
	h.t.Helper()
	c := h.start(append([]string{"worker", "--concurrency", "1"}, args...)...)
	var id string
	await(h.t, "a worker that is ready", func() bool {
		over := c.ended() // looked at first: it may end as soon as it serves
		_, after, ok := strings.Cut(c.said.String(), "worker ")
		id, _, _ = strings.Cut(after, " ")
		ready := ok && strings.Contains(after, "serves")
		if over && !ready {
			h.t.Fatalf("the worker ended: %s", c.said)
		}
		return ready
	})
	return c, id
}

func (c *child) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatalf("signal %v: %v", s, err)
	}
}
