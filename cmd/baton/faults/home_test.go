//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/batonflow/baton/cmd/baton/host"
)

const (
	lease = 2 * time.Second
	// noise is what a busy machine may add to a promise about time.
	noise = 2 * time.Second
	// patience bounds waits for what should take a moment.
	patience = 90 * time.Second
)

// home is one installation with a user and a workspace of its own.
type home struct {
	t      *testing.T
	binary string
	dir    string // HOME of the user; every process of this home names it in its environment
	work   string
	env    []string
}

// newHome makes an empty home. When the test ends, whatever of it still runs is killed; steps must
// then be gone by themselves.
func newHome(t *testing.T, env ...string) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, binary: os.Getenv(binaryVar), dir: dir, work: filepath.Join(dir, "work")}
	if err := os.Mkdir(h.work, 0o755); err != nil {
		t.Fatal(err)
	}
	h.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "BATON_HOME=" + h.baton(),
		"BATON_LEASE=" + lease.String(), "BATON_GRACE=1s", "LANG=C.UTF-8",
	}, env...)
	t.Cleanup(h.sweep)
	return h
}

func (h *home) baton(parts ...string) string {
	return filepath.Join(append([]string{h.dir, "baton"}, parts...)...)
}

// configure writes the home's config.yaml.
func (h *home) configure(text string) {
	h.t.Helper()
	if err := os.MkdirAll(h.baton(), 0o700); err != nil {
		h.t.Fatal(err)
	}
	write(h.t, h.baton("config.yaml"), []byte(text))
}

// with gives the same home as a person with other variables, or another release, sees it.
func (h *home) with(env ...string) *home {
	other := *h
	other.env = append(append([]string{}, h.env...), env...)
	return &other
}

func (h *home) released(binary string) *home {
	other := *h
	other.binary = binary
	return &other
}

// sweep kills the servers, workers and commands of the home. Programs of steps are not killed: their
// shims must see to them.
func (h *home) sweep() {
	h.killAll()
	var left []process
	if !within(patience/6, func() bool { left = processesOf(h.dir); return len(left) == 0 }) {
		for _, p := range left {
			h.t.Errorf("process %d is left behind: %s", p.pid, p.command)
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	if h.t.Failed() {
		h.t.Logf("server.log ends:\n%s", tail(h.serverLog()))
	}
}

// tail is the end of a text, enough to see what went wrong.
func tail(text string) string { return text[max(0, len(text)-4000):] }

// serverLog is what the background servers have said; "" when none was started.
func (h *home) serverLog() string {
	log, _ := os.ReadFile(h.baton("server.log"))
	return string(log)
}

// killAll kills the servers, workers and commands of the home.
func (h *home) killAll() {
	for _, p := range processesOf(h.dir) {
		if p.isBaton() {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}

// result is how a command ended.
type result struct {
	args   []string
	code   int
	took   time.Duration
	stdout string
	stderr string
}

// command prepares the binary.
func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.binary, args...)
	cmd.Env, cmd.Dir = h.env, h.work
	return cmd
}

// run runs a command to its end, whatever that is.
func (h *home) run(args ...string) result { return h.feed(nil, args...) }

// feed is run with something on stdin.
func (h *home) feed(stdin io.Reader, args ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.binary, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = h.env, h.work, stdin
	return finish(cmd, args)
}

func finish(cmd *exec.Cmd, args []string) result {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	err := cmd.Run()
	r := result{args: args, took: time.Since(begun), stdout: stdout.String(), stderr: stderr.String(), code: -1}
	var exit *exec.ExitError
	switch {
	case err == nil:
		r.code = 0
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
		if r.code < 0 {
			r.stderr += exit.Error() + "\n"
		}
	default:
		r.stderr += err.Error()
	}
	return r
}

// must runs a command that has to succeed and gives its stdout.
func (h *home) must(args ...string) string {
	h.t.Helper()
	r := h.run(args...)
	if r.code != 0 {
		h.t.Fatalf("baton %s: exit %d after %v\n%s%s", strings.Join(args, " "), r.code, r.took, tail(r.stdout), tail(r.stderr))
	}
	return r.stdout
}

// ask runs a command that has to succeed with --json and reads the answer.
func ask[T any](h *home, args ...string) T {
	h.t.Helper()
	return answer[T](h.t, h.must(append(args, "--json")...))
}

func answer[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in the answer %s", err, text)
	}
	return v
}

// session begins a session and gives its id.
func (h *home) session() string {
	h.t.Helper()
	return ask[struct{ Session string }](h, "session", "new", "--goal", "faults").Session
}

// server is the server that the home names; ok is false when there is none or it is dead.
func (h *home) server() (e host.Endpoint, ok bool) {
	e, err := host.Home{Dir: h.baton()}.Endpoint()
	return e, err == nil && alive(e.PID)
}

// killServer kills the server of the home and returns when it is dead.
func (h *home) killServer() host.Endpoint {
	h.t.Helper()
	e, ok := h.server()
	if !ok {
		h.t.Fatal("there is no server to kill")
	}
	kill(h.t, e.PID)
	return e
}

// within looks until it holds or the time is over.
func within(d time.Duration, holds func() bool) bool {
	deadline := time.Now().Add(d)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			return false
		}
		<-tick.C
	}
	return true
}

// pauseFor lets a drawn moment pass: at which one a fault strikes.
func pauseFor(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
}

// await fails the test unless it comes to hold.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if !within(patience, holds) {
		t.Fatalf("%s: not within %v", what, patience)
	}
}
