//go:build unix

package exec_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/shim/shimtest"
	"github.com/batonflow/baton/workers/workerstest"
)

// workerArg makes the test binary a worker that runs one task, given as JSON.
const workerArg = "__worker"

func fakeWorker(args []string) int {
	var in workers.Task
	if err := json.Unmarshal([]byte(args[0]), &in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out := exec.Executor{Runner: exec.Runner{Scratch: args[1]}}.Execute(context.Background(), in, os.Stdout)
	fmt.Println("outcome", out.Failure)
	return 0
}

// startWorker runs a script in a worker process and returns once it has printed, on stderr, the
// process ids of all it started.
func startWorker(t *testing.T, script, scratch string) (worker *osexec.Cmd, live *bufio.Reader, pids []int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(task(t, "sh", "-c", script, "sh", self))
	if err != nil {
		t.Fatal(err)
	}
	worker = osexec.Command(self, workerArg, string(raw), scratch)
	worker.Stderr = os.Stderr
	stdout, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = worker.Process.Kill() })
	live = bufio.NewReader(stdout)
	line, err := live.ReadString('\n')
	if err != nil {
		t.Fatalf("the step said nothing: %v", err)
	}
	for _, word := range strings.Fields(line) {
		pid, err := strconv.Atoi(word)
		if err != nil || !shimtest.Alive(pid) {
			t.Fatalf("%q names a process that does not run: %v", line, err)
		}
		pids = append(pids, pid)
	}
	return worker, live, pids
}

// Fault 1: nothing of a step outlives its worker by more than a second.
func TestKilledWorkerLeavesNothing(t *testing.T) {
	t.Parallel()
	const children = `trap '' TERM HUP INT
sleep 1000 & one=$!
sh -c 'sleep 1000 & echo $!; wait' > "$BATON_TMP/nested" &
two=$!
until [ -s "$BATON_TMP/nested" ]; do :; done
`
	const daemon = `( "$1" ` + shimtest.Daemon + ` > "$BATON_TMP/daemon" & )
until [ -s "$BATON_TMP/daemon" ]; do :; done
`
	scripts := map[string]string{
		"children": children + `echo $$ $PPID $one $two $(cat "$BATON_TMP/nested") >&2; wait`,
	}
	if runtime.GOOS == "linux" { // elsewhere nobody finds a daemon
		scripts["daemon"] = children + daemon +
			`echo $$ $PPID $one $two $(cat "$BATON_TMP/nested" "$BATON_TMP/daemon") >&2; wait`
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scratch := t.TempDir()
			worker, _, pids := startWorker(t, script, scratch)
			if err := worker.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			shimtest.Gone(t, time.Second, pids...) // the shim, $PPID, is one of them
			if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
				t.Errorf("scratch left behind: %v, %v", left, err)
			}
			_ = worker.Wait()
		})
	}
}

// A worker that stands still takes nothing along, and hears of the end when it goes on.
func TestStoppedWorkerKeepsItsStep(t *testing.T) {
	t.Parallel()
	fifo := t.TempDir() + "/fifo"
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	worker, live, pids := startWorker(t, `echo $$ $PPID >&2; read go < `+fifo+`; exit 7`, t.TempDir())
	if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	shimtest.Gone(t, 10*time.Second, pids...)
	if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	line, err := live.ReadString('\n')
	if err != nil || !strings.Contains(line, "exec_exit") {
		t.Errorf("got %q, %v; want the exit code 7 that was waiting", line, err)
	}
	_ = worker.Wait()
}

// The program's life is tied to the shim's by the kernel: it goes although the worker can do nothing.
func TestKilledShimTakesTheProgramAlong(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a death signal; elsewhere the worker ends the group")
	}
	worker, _, pids := startWorker(t, `echo $$ $PPID >&2; while :; do sleep 1000; done`, t.TempDir())
	if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	shimtest.Gone(t, time.Second, pids...)
	if err := worker.Process.Signal(syscall.SIGCONT); err != nil { // it ends what the program left
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Error(err)
	}
}

func TestKilledShimIsALostAttempt(t *testing.T) {
	t.Parallel()
	workerstest.WantFailure(t, run(t, shell(t, `kill -9 $PPID; exec sleep 1000`)).Failure, workers.Lost, "exec_lost")
}

func BenchmarkExecute(b *testing.B) {
	in := workers.Task{Execute: json.RawMessage(`["true"]`), Env: map[string]string{"PATH": os.Getenv("PATH")}}
	for b.Loop() {
		if out := (exec.Executor{}).Execute(b.Context(), in, nil); out.Failure != nil {
			b.Fatal(out.Failure)
		}
	}
}
