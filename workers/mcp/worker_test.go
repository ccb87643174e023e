//go:build unix

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/mcp"
	"github.com/batonflow/baton/workers/shim/shimtest"
)

// fakeWorker runs one task, given as JSON.
func fakeWorker(args []string) int {
	var in workers.Task
	if err := json.Unmarshal([]byte(args[0]), &in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out := mcp.Executor{}.Execute(context.Background(), in, os.Stdout)
	fmt.Println("outcome", out.Failure)
	return 0
}

func TestServerDiesWithItsWorker(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(tool(t, "block", nil))
	if err != nil {
		t.Fatal(err)
	}
	worker := osexec.Command(self(t), workerArg, string(raw))
	worker.Stderr = os.Stderr
	scratch := t.TempDir()
	worker.Env = append(os.Environ(), "TMPDIR="+scratch)
	said, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = worker.Process.Kill() })
	pid := first(t, bufio.NewReader(said))
	if left, err := filepath.Glob(filepath.Join(scratch, "baton-mcp-*")); err != nil || len(left) > 0 {
		t.Errorf("pipes that are open need no files: %v, %v", left, err)
	}
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait() // it was killed
	shimtest.Gone(t, soon, pid)
}
