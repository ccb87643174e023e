//go:build linux

package exec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/shim"
	"github.com/batonflow/baton/workers/workerstest"
	"github.com/batonflow/baton/workflows/template"
)

func needLandlock(t *testing.T) {
	t.Helper()
	if shim.Landlock() == 0 {
		t.Skip("this kernel has no Landlock")
	}
}

func TestConfinedWritesWhereItMay(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	extra, home := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	in := shell(t, `set -e
cat /etc/passwd >/dev/null
echo 1 >here; mkdir -p sub/dir; mv here sub/dir/there; rm -r sub
echo 2 >"$BATON_TMP/two"; echo 3 >"$TMPDIR/three"
echo 4 >"`+extra+`/four"; echo 5 >"$HOME/cache/five"
(echo 6 >/dev/null); echo fine >/dev/stderr`)
	in.Env["HOME"] = home
	in.Sandbox = &template.Sandbox{Confined: true, Write: []string{extra, "~/cache", "not-there"}}
	if got := run(t, in); got.Failure != nil {
		t.Errorf("got %+v", got.Failure)
	}
	for _, file := range []string{filepath.Join(extra, "four"), filepath.Join(home, "cache/five")} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

func TestConfinedWritesNowhereElse(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("whole"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"create":       `echo x >"` + outside + `/new"`,
		"overwrite":    `echo x >"` + victim + `"`,
		"append":       `echo x >>"` + victim + `"`,
		"remove":       `rm -f "` + victim + `"`,
		"make a dir":   `mkdir "` + outside + `/dir"`,
		"link":         `ln "` + victim + `" mine && echo x >mine`,
		"move":         `mv "` + victim + `" .`,
		"grandchild":   `sh -c 'sh -c "echo x >\"` + victim + `\""'`,
		"by a symlink": `ln -s "` + victim + `" mine2 && echo x >mine2`,
	} {
		t.Run(name, func(t *testing.T) {
			in := shell(t, script)
			in.Sandbox = &template.Sandbox{Confined: true}
			got := run(t, in)
			workerstest.WantFailure(t, got.Failure, workers.Retryable, "exec_exit")
			if f := got.Failure; f != nil && (!strings.Contains(f.Tail, "ermission denied") && !strings.Contains(f.Tail, "cross-device") || !strings.Contains(f.Message, in.Workspace) && strings.Contains(f.Tail, "ermission")) {
				t.Errorf("the failure does not show what was refused: %+v", *f)
			}
			if text, err := os.ReadFile(victim); err != nil || string(text) != "whole" {
				t.Errorf("the file holds %q, %v", text, err)
			}
		})
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside are %v, %v", left, err)
	}
}

// TestRunnerConfinesWhoSaysNothing: the worker's own setting, which a step may lift.
func TestRunnerConfinesWhoSaysNothing(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	outside := filepath.Join(t.TempDir(), "file")
	e := exec.Executor{Runner: exec.Runner{Confine: true}}
	in := shell(t, `echo x >"`+outside+`"`)
	workerstest.WantFailure(t, e.Execute(t.Context(), in, nil).Failure, workers.Retryable, "exec_exit")
	in.Sandbox = &template.Sandbox{}
	if got := e.Execute(t.Context(), in, nil); got.Failure != nil {
		t.Errorf("a step that is not to be confined: %+v", got.Failure)
	}
}

func TestComputingTimeIsBounded(t *testing.T) {
	t.Parallel()
	in := shell(t, `while :; do :; done`)
	in.Sandbox = &template.Sandbox{CPU: time.Second}
	in.Timeout = time.Minute
	got := run(t, in)
	workerstest.WantFailure(t, got.Failure, workers.Timeout, "exec_cpu")
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	// Reads all of a large file into one variable, as whatever takes memory does.
	in := shell(t, `x=$(head -c 100000000 /dev/zero | tr '\0' x); echo ${#x}`)
	in.Sandbox = &template.Sandbox{Memory: 32 << 20}
	got := run(t, in)
	if got.Failure == nil || !strings.Contains(got.Failure.Message, "sandbox.memory") {
		t.Errorf("got %.200s, %+v; want a failure that names the bound", got.Value, got.Failure)
	}
	in.Sandbox.Memory = 4 << 30
	if got := run(t, in); string(got.Value) != "100000000" {
		t.Errorf("within the bound: %+v", got.Failure)
	}
}

func TestWhatCannotBeStartedIsToldWithBoundsToo(t *testing.T) {
	t.Parallel()
	in := shell(t, "")
	script := filepath.Join(in.Folder, "bad.sh")
	if err := os.WriteFile(script, []byte("#!/no/such/program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	in.Execute = []byte(`["./bad.sh"]`)
	in.Sandbox = &template.Sandbox{CPU: time.Minute}
	workerstest.WantFailure(t, run(t, in).Failure, workers.Terminal, "exec_not_found")
}
