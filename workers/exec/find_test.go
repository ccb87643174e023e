//go:build unix

package exec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/workerstest"
)

// place writes a script into a folder.
func place(t *testing.T, folder, name, content string, mode os.FileMode) {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func TestPathsStartAtTheTemplate(t *testing.T) {
	t.Parallel()
	in := task(t, "sh", "./bin/a.sh", "./missing", "bin/a.sh", "./bin")
	place(t, in.Folder, "bin/a.sh", `printf '%s\n' "$0" "$@"; pwd`, 0o644)
	workspace, err := filepath.EvalSymlinks(in.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, in)
	want, err := json.Marshal(in.Folder + "/bin/a.sh\n./missing\nbin/a.sh\n./bin\n" + workspace)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got.Value)); diff != "" {
		t.Error(diff, got.Failure)
	}
}

// Not parallel up to its subtests: a program started elsewhere while a file is being written holds
// that file open for a moment, and then it cannot be run.
func TestProgramsThatCannotRun(t *testing.T) {
	folder := t.TempDir()
	place(t, folder, "lost.sh", "#!/no/such/interpreter\n", 0o755)
	place(t, folder, "plain.sh", "#!/bin/sh\n", 0o644)
	place(t, folder, "empty", "\x01\x02\x03", 0o755)
	place(t, folder, "folder/file", "", 0o644)
	for name, test := range map[string]struct {
		argv        []string
		class, code string
	}{
		"no such name":   {[]string{"no-such-program-here"}, workers.Terminal, "exec_not_found"},
		"no such file":   {[]string{"./missing.sh"}, workers.Terminal, "exec_not_found"},
		"no interpreter": {[]string{"./lost.sh"}, workers.Terminal, "exec_not_found"},
		"no mode":        {[]string{"./plain.sh"}, workers.Terminal, "exec_not_executable"},
		"a folder":       {[]string{"./folder"}, workers.Terminal, "exec_not_executable"},
		"no format":      {[]string{"./empty"}, workers.Terminal, "exec_not_executable"},
		"a zero byte":    {[]string{"echo", "a\x00b"}, workers.Terminal, "exec_not_started"},
		"too long":       {[]string{"echo", strings.Repeat("x", 4<<20)}, workers.Terminal, "exec_not_started"},
		"no words":       {nil, workers.Terminal, "exec_settings"},
		"an empty word":  {[]string{""}, workers.Terminal, "exec_settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := task(t, test.argv...)
			in.Folder = folder
			workerstest.WantFailure(t, run(t, in).Failure, test.class, test.code)
		})
	}
}

func TestSettingsThatAreNoArgv(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `"sh"`, `{"argv":["sh"]}`, `[1]`, `[`} {
		in := task(t)
		in.Execute = []byte(raw)
		workerstest.WantFailure(t, run(t, in).Failure, workers.Terminal, "exec_settings")
	}
}

func TestWorkspaceThatIsGone(t *testing.T) {
	t.Parallel()
	in := task(t, "pwd")
	in.Workspace = filepath.Join(in.Workspace, "gone")
	workerstest.WantFailure(t, run(t, in).Failure, workers.Terminal, "exec_workspace")
}
