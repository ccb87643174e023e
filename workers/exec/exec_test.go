//go:build unix

package exec_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/shim/shimtest"
	"github.com/batonflow/baton/workers/workerstest"
)

func TestMain(m *testing.M) {
	shimtest.Main(m, map[string]func([]string) int{workerArg: fakeWorker})
}

// task makes a task of an argv, in folders of its own.
func task(t *testing.T, argv ...string) workers.Task {
	t.Helper()
	raw, err := json.Marshal(argv)
	if err != nil {
		t.Fatal(err)
	}
	return workers.Task{
		Session: "s", Call: "r1/step", Attempt: 2, EffectKey: "effect", Execute: raw,
		Input:  json.RawMessage(`{"inputs":{"n":1}}`),
		Folder: t.TempDir(), Workspace: t.TempDir(),
		Env: map[string]string{"PATH": os.Getenv("PATH")},
	}
}

func shell(t *testing.T, script string) workers.Task { return task(t, "sh", "-c", script) }

func run(t *testing.T, task workers.Task) workers.Outcome {
	t.Helper()
	return exec.Executor{}.Execute(t.Context(), task, nil)
}

func TestValueOfStdout(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`echo '{"a": [1, 2.50]}'`: `{"a":[1,2.50]}`,
		`printf '  true  '`:       `true`,
		`echo null`:               `null`,
		`:`:                       `null`,
		`echo`:                    `null`,
		`echo two words`:          `"two words"`,
		`printf 'one\ntwo\n\n'`:   `"one\ntwo\n"`,
		`echo '{"a":1} {"b":2}'`:  `"{\"a\":1} {\"b\":2}"`,
		`echo '<a & b>'`:          `"<a & b>"`,
		`cat`:                     `{"inputs":{"n":1}}`,
		`echo log >&2; echo 12345678901234567890`: `12345678901234567890`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			got := run(t, shell(t, script))
			if diff := cmp.Diff(workers.Outcome{Value: json.RawMessage(want)}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script      string
		class, code string
		exit        int
	}{
		"temporary":        {"exit 75", workers.Retryable, "exec_exit", 75},
		"other":            {"exit 1", workers.Retryable, "exec_exit", 1},
		"said to be final": {"exit 3", workers.Terminal, "exec_exit", 3},
		"signal":           {"kill -SEGV $$", workers.Retryable, "exec_signal", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := shell(t, "echo why >&2; echo lost; "+test.script)
			in.TerminalExits = []int{3, 4}
			got := run(t, in)
			workerstest.WantFailure(t, got.Failure, test.class, test.code)
			if f := got.Failure; f != nil && (f.Exit != test.exit || f.Tail != "why\n") || got.Value != nil {
				t.Errorf("got %+v; want exit %d, the tail of stderr, no value", got, test.exit)
			}
		})
	}
}

func TestTailIsTheEnd(t *testing.T) {
	t.Parallel()
	// An odd byte before the two-byte letters makes the cut fall inside one of them.
	got := run(t, shell(t, `{ i=0; while [ $i -lt 9000 ]; do printf é; i=$((i+1)); done; printf x; } >&2; exit 1`))
	workerstest.WantFailure(t, got.Failure, workers.Retryable, "exec_exit")
	want := strings.Repeat("é", 2047) + "x"
	if got.Failure != nil && got.Failure.Tail != want {
		t.Errorf("got a tail of %d bytes that starts with %.8q; want %d bytes of é and an x",
			len(got.Failure.Tail), got.Failure.Tail, len(want))
	}
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Parallel()
	in := task(t, "env")
	in.Env = map[string]string{"NAMED": "by the template", "BATON_CALL": "forged"}
	got := run(t, in)
	var text string
	if err := json.Unmarshal(got.Value, &text); err != nil {
		t.Fatal(err, got.Failure)
	}
	env := make(map[string]string)
	for entry := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	if !filepath.IsAbs(env["BATON_TMP"]) {
		t.Errorf("BATON_TMP=%q is no absolute path", env["BATON_TMP"])
	}
	delete(env, "BATON_TMP")
	want := map[string]string{
		"PATH": "/usr/local/bin:/usr/bin:/bin", "NAMED": "by the template",
		"BATON_SESSION": "s", "BATON_CALL": "r1/step", "BATON_ATTEMPT": "2", "BATON_EFFECT_KEY": "effect",
	}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Error(diff)
	}
}

func TestScratchIsPrivateAndRemoved(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"exit 0", "exit 1", "kill -9 $$", "kill -9 $PPID"} {
		in := shell(t, `touch "$BATON_TMP/file"; ls -ld "$BATON_TMP" >&2; ls "$BATON_TMP" >&2; `+script)
		root := t.TempDir()
		live := new(strings.Builder)
		exec.Executor{Runner: exec.Runner{Scratch: root}}.Execute(t.Context(), in, live)
		if !strings.HasPrefix(live.String(), "drwx------") || !strings.HasSuffix(live.String(), "\nfile\n") {
			t.Errorf("%s: the scratch folder was not private or not writable: %q", script, live)
		}
		if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", script, left, err)
		}
	}
}

func TestResultTooLarge(t *testing.T) {
	t.Parallel()
	in := task(t, "yes")
	in.MaxOutput = 1 << 20
	got := run(t, in)
	workerstest.WantFailure(t, got.Failure, workers.Terminal, "result_too_large")
	if got.Failure != nil && !strings.Contains(got.Failure.Message, "1048576") {
		t.Errorf("the message does not name the limit: %s", got.Failure.Message)
	}
	// One byte over counts, also when the program has ended by itself; one less does not.
	in = shell(t, `printf '"%s"' 12345678`)
	in.MaxOutput = 9
	workerstest.WantFailure(t, run(t, in).Failure, workers.Terminal, "result_too_large")
	in.MaxOutput = 10
	if got := run(t, in); string(got.Value) != `"12345678"` {
		t.Errorf("got %+v; want all ten bytes", got)
	}
}

func TestLargeResultPasses(t *testing.T) {
	t.Parallel()
	got := run(t, shell(t, `head -c 5000000 /dev/zero | tr '\0' x`))
	if len(got.Value) != 5000002 || got.Failure != nil {
		t.Errorf("got %d bytes, %+v; want 5,000,000 in quotes", len(got.Value), got.Failure)
	}
}

func TestEndedFromOutside(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cause       error
		class, code string
	}{
		{workers.ErrCancelled, workers.Cancelled, "exec_cancelled"},
		{workers.ErrStale, workers.Stale, "exec_stale"},
		{workers.ErrDeadline, workers.Timeout, "exec_timeout"},
		{workers.ErrStopping, workers.Lost, "exec_stopping"},
		{nil, workers.Cancelled, "exec_cancelled"},
	} {
		t.Run(test.code, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			// It takes the hint and exits with 0: that does not make it a success.
			in := shell(t, `trap 'echo "[1]"; exit 0' TERM; sleep 1000 & echo ready >&2; wait`)
			got := exec.Executor{}.Execute(ctx, in, onWrite(func() { cancel(test.cause) }))
			workerstest.WantFailure(t, got.Failure, test.class, test.code)
		})
	}
}

func TestDeafProgramIsKilledAfterGrace(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	in := shell(t, `trap '' TERM; echo ready >&2; while :; do sleep 1000; done`)
	e := exec.Executor{Runner: exec.Runner{Grace: 50 * time.Millisecond}}
	began := time.Now()
	got := e.Execute(ctx, in, onWrite(func() { cancel(workers.ErrCancelled) }))
	workerstest.WantFailure(t, got.Failure, workers.Cancelled, "exec_cancelled")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	in := shell(t, `echo partial; exec sleep 1000`)
	in.Timeout = 100 * time.Millisecond
	got := run(t, in)
	workerstest.WantFailure(t, got.Failure, workers.Timeout, "exec_timeout")
	if got.Value != nil {
		t.Errorf("a failed attempt has the value %s", got.Value)
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(workers.ErrStale)
	in := shell(t, "touch ran")
	workerstest.WantFailure(t, exec.Executor{}.Execute(ctx, in, nil).Failure, workers.Stale, "exec_stale")
	if _, err := os.Stat(filepath.Join(in.Workspace, "ran")); err == nil {
		t.Error("the program was started all the same")
	}
}

func TestBackgroundThatHoldsStdoutHangsNothing(t *testing.T) {
	t.Parallel()
	got := run(t, shell(t, "sleep 1000 & echo done"))
	if string(got.Value) != `"done"` {
		t.Errorf("got %+v; want done", got)
	}
}

// onWrite calls back when the attempt says something.
type onWrite func()

var _ io.Writer = onWrite(nil)

func (f onWrite) Write(p []byte) (int, error) {
	f()
	return len(p), io.ErrClosedPipe // a live reader that fails disturbs nobody
}

func TestBytesThatAreNoTextAreNoValue(t *testing.T) {
	t.Parallel()
	got := run(t, shell(t, `printf '\377ok'`))
	if got.Failure == nil || got.Failure.Code != "exec_not_text" || got.Failure.Class != workers.Terminal {
		t.Errorf("got %+v", got)
	}
}
