//go:build unix

package shim_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers/shim"
	"github.com/batonflow/baton/workers/shim/shimtest"
)

func TestMain(m *testing.M) { shimtest.Main(m, nil) }

// soon is how long what must happen at once may take on a busy machine.
const soon = 10 * time.Second

// shell makes a command of a script, with the test binary's path as $1.
func shell(t *testing.T, script string) shim.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return shim.Command{Path: "/bin/sh", Argv: []string{"sh", "-c", script, "sh", self}, Env: os.Environ()}
}

func TestEndIsReportedExactly(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]shim.End{
		"exit 0":        {},
		"exit 7":        {Code: 7},
		"exit 137":      {Code: 137}, // what a shell makes of SIGKILL, and is not
		"kill -9 $$":    {Signal: syscall.SIGKILL},
		"kill -TERM $$": {Signal: syscall.SIGTERM},
		// The shim outlives what ends others.
		"kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; kill -QUIT $PPID; exit 3": {Code: 3},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			got, err := shell(t, script).Run(t.Context())
			if err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
}

func TestStreamsPassThrough(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	c := shell(t, "cat; echo log >&2")
	c.Stdin, c.Stdout, c.Stderr = bytes.Repeat([]byte("0123456789abcdef"), 1<<16), &stdout, &stderr
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stdout.Bytes(), c.Stdin) {
		t.Errorf("%d bytes of stdout differ from %d of stdin", stdout.Len(), len(c.Stdin))
	}
	if diff := cmp.Diff("log\n", stderr.String()); diff != "" {
		t.Error(diff)
	}
}

func TestStdinThatNobodyReadsHangsNothing(t *testing.T) {
	t.Parallel()
	c := shell(t, "exit 0")
	c.Stdin = make([]byte, 4<<20)
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsInherited(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	c := shim.Command{Path: "/usr/bin/env", Argv: []string{"env"}, Env: []string{"A=1"}, Stdout: &stdout}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("A=1\n", stdout.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBackgroundEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	c := shell(t, "sleep 1000 & echo $!; sleep 1000 & echo $!")
	c.Stdout = &stdout // both hold it open
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	shimtest.Gone(t, soon, numbers(t, stdout.String())...)
}

func TestDaemonEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	onlyLinux(t)
	// A daemon of a daemon: its parents are long gone when the program ends.
	var stdout bytes.Buffer
	c := shell(t, `( "$1" `+shimtest.Daemon+` > "$2" & ) ; until [ -s "$2" ]; do :; done; cat "$2"`)
	c.Argv = append(c.Argv, filepath.Join(t.TempDir(), "pid"))
	c.Stdout = &stdout
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	shimtest.Gone(t, 0, numbers(t, stdout.String())...) // Run promises it, no waiting
}

func TestStopAsksThenKills(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		grace  time.Duration
		want   shim.End
	}{
		"obedient": {"sleep 1000 & echo $! $$; wait", time.Minute, shim.End{Signal: syscall.SIGTERM, Stopped: true}},
		"tidy":     {"trap 'exit 3' TERM; sleep 1000 & echo $! $$; wait", time.Minute, shim.End{Code: 3, Stopped: true}},
		"deaf":     {"trap '' TERM; sleep 1000 & echo $! $$; wait", 100 * time.Millisecond, shim.End{Signal: syscall.SIGKILL, Stopped: true}},
		"stopped":  {"echo $$; kill -STOP $$", time.Minute, shim.End{Signal: syscall.SIGTERM, Stopped: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			c := shell(t, test.script)
			c.Grace = test.grace
			said := &line{full: cancel}
			c.Stdout = said
			got, err := c.Run(ctx)
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v; want %+v", got, err, test.want)
			}
			shimtest.Gone(t, soon, numbers(t, said.text.String())...)
		})
	}
}

func TestKilledShimTakesTheProgramAlong(t *testing.T) {
	t.Parallel()
	onlyLinux(t)
	// The second leaves the group and stays in the session.
	c := shell(t, "set -m; sleep 1000 & echo $!; set +m; sleep 1000 & echo $! $$; kill -9 $PPID; wait")
	var stdout bytes.Buffer
	c.Stdout = &stdout
	_, err := c.Run(t.Context())
	if !errors.Is(err, shim.ErrGone) {
		t.Errorf("got %v, want %v", err, shim.ErrGone)
	}
	shimtest.Gone(t, soon, numbers(t, stdout.String())...)
}

func TestWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	for name, c := range map[string]shim.Command{
		"program": {Path: missing, Argv: []string{missing}},
		"folder":  {Path: "/bin/sh", Argv: []string{"sh"}, Dir: missing},
		"shim":    {Path: "/bin/sh", Argv: []string{"sh"}, Self: []string{missing}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.Run(t.Context())
			if !errors.Is(err, shim.ErrNotStarted) || !errors.Is(err, syscall.ENOENT) {
				t.Errorf("got %v, want %v with ENOENT", err, shim.ErrNotStarted)
			}
		})
	}
}

func TestScratchIsRemoved(t *testing.T) {
	t.Parallel()
	c := shell(t, `mkdir "$2/in" && touch "$2/in/file" && chmod 500 "$2/in"`)
	c.Scratch = filepath.Join(t.TempDir(), "scratch")
	c.Argv = append(c.Argv, c.Scratch)
	if err := os.Mkdir(c.Scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	if end, err := c.Run(t.Context()); err != nil || end != (shim.End{}) {
		t.Fatal(end, err)
	}
	if _, err := os.Stat(c.Scratch); !os.IsNotExist(err) {
		t.Errorf("the scratch folder is still there: %v", err)
	}
}

func TestByHandItRefuses(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, shim.Arg, "", "/bin/sh", "sh", "-c", "echo ran").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 64 || bytes.Contains(out, []byte("ran")) {
		t.Errorf("got %v, %q; want exit 64 and a refusal", err, out)
	}
}

func onlyLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can adopt processes; elsewhere only the group is promised")
	}
}

func numbers(t *testing.T, text string) []int {
	t.Helper()
	var all []int
	for _, word := range strings.Fields(text) {
		n, err := strconv.Atoi(word)
		if err != nil || n <= 1 {
			t.Fatalf("%q holds no process ids", text)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		t.Fatal("no process ids were printed")
	}
	return all
}

// line calls full when a whole line has been written to it.
type line struct {
	text bytes.Buffer
	full func()
}

var _ io.Writer = (*line)(nil)

func (l *line) Write(p []byte) (int, error) {
	n, err := l.text.Write(p)
	if bytes.ContainsRune(p, '\n') {
		l.full()
	}
	return n, err
}
