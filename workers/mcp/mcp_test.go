//go:build unix

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/exec"
	"github.com/batonflow/baton/workers/mcp"
	"github.com/batonflow/baton/workers/shim/shimtest"
	"github.com/batonflow/baton/workers/workerstest"
)

// soon is how long what must happen at once may take on a busy machine.
const soon = 10 * time.Second

var errArguments = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "say is missing"}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// task makes a task of settings, in folders of its own.
func task(t *testing.T, settings map[string]any) workers.Task {
	t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	return workers.Task{
		Session: "0190f3a1-7b2c-7def-8123-456789abcdef", Call: "r1/step", Attempt: 2,
		EffectKey: "00112233445566778899aabbccddeeff", Execute: raw,
		Folder: t.TempDir(), Workspace: t.TempDir(),
		Env: map[string]string{"PATH": os.Getenv("PATH"), "NAMED": "by the template"},
	}
}

// tool makes a task that calls a tool of the test binary's server.
func tool(t *testing.T, name string, arguments any) workers.Task {
	t.Helper()
	settings := map[string]any{"command": []string{self(t), serverArg}, "tool": name}
	if arguments != nil {
		settings["arguments"] = arguments
	}
	return task(t, settings)
}

func run(t *testing.T, in workers.Task) workers.Outcome {
	t.Helper()
	scratch := t.TempDir()
	out := mcp.Executor{Runner: exec.Runner{Scratch: scratch}}.Execute(t.Context(), in, nil)
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return out
}

func TestToolIsToldWhichAttemptItIs(t *testing.T) {
	t.Parallel()
	in := tool(t, "report", map[string]any{"q": json.Number("12345678901234567890")})
	got := run(t, in)
	if got.Failure != nil {
		t.Fatal(got.Failure)
	}
	var was seen
	if err := json.Unmarshal(got.Value, &was); err != nil {
		t.Fatal(err)
	}
	shimtest.Gone(t, 0, was.PID)
	if was.Folder != in.Workspace || string(was.Arguments) != `{"q":12345678901234567890}` {
		t.Errorf("it ran in %s with %s", was.Folder, was.Arguments)
	}
	for name, want := range map[string]any{
		"baton/effect_key": in.EffectKey, "baton/attempt": 2.0,
		"traceparent": "00-0190f3a17b2c7def8123456789abcdef-0011223344556677-01",
	} {
		if was.Meta[name] != want {
			t.Errorf("_meta has %v as %s; want %v", was.Meta[name], name, want)
		}
	}
	for name, want := range map[string]string{"NAMED": "by the template", "BATON_ATTEMPT": "2", "BATON_EFFECT_KEY": in.EffectKey, "HOME": ""} {
		if was.Env[name] != want {
			t.Errorf("the environment has %q as %s; want %q", was.Env[name], name, want)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool, say, want string
	}{
		"text":               {"text", "two words", `"two words"`},
		"json in a text":     {"text", `{"a": 1.50}`, `{"a":1.50}`},
		"structured":         {"twin", "", `{"id":12345678901234567890,"price":1.50}`},
		"more than one":      {"many", "", `[{"type":"text","text":"one"},{"type":"text","text":"two"}]`},
		"nothing":            {"nothing", "", `null`},
		"nothing but a text": {"text", "", `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tool(t, test.tool, map[string]string{"Say": test.say}))
			if diff := cmp.Diff(workers.Outcome{Value: json.RawMessage(test.want)}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestToolsThatFail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ tool, class, code, says string }{
		"its own error": {"fail", workers.Retryable, "mcp_tool_error", "no luck"},
		"not there":     {"gone", workers.Terminal, "mcp_unknown_tool", "block, exit"},
		"arguments":     {"picky", workers.Terminal, "mcp_arguments", "say is missing"},
		"exits":         {"exit", workers.Retryable, "mcp_server_ended", "status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tool(t, test.tool, nil))
			workerstest.WantFailure(t, got.Failure, test.class, test.code)
			if f := got.Failure; f != nil && !strings.Contains(f.Message, test.says) {
				t.Errorf("%q does not say %q", f.Message, test.says)
			}
			if f := got.Failure; f != nil && test.tool == "exit" && (f.Tail != "cannot go on \n" || f.Exit != 3) {
				t.Errorf("got %+v; want the end of stderr and the status", *f)
			}
		})
	}
}

func TestServersThatAreNone(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		command     []string
		class, code string
	}{
		"not on PATH":    {[]string{"no-such-program-anywhere"}, workers.Terminal, "mcp_not_found"},
		"not there":      {[]string{"./gone"}, workers.Terminal, "mcp_not_found"},
		"not executable": {[]string{plain}, workers.Terminal, "mcp_not_executable"},
		"ends at once":   {[]string{"true"}, workers.Retryable, "mcp_server_ended"},
		"exits at once":  {[]string{"sh", "-c", "exit 127"}, workers.Retryable, "mcp_server_ended"},
		"is killed":      {[]string{"sh", "-c", "kill -9 $$"}, workers.Retryable, "mcp_server_ended"},
		"says otherwise": {[]string{"sh", "-c", "echo hello; exec cat >/dev/null"}, workers.Terminal, "mcp_not_mcp"},
		"echoes":         {[]string{"cat"}, workers.Terminal, "mcp_not_mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, task(t, map[string]any{"command": test.command, "tool": "t"}))
			workerstest.WantFailure(t, got.Failure, test.class, test.code)
		})
	}
}

func TestOlderRevision(t *testing.T) {
	t.Parallel()
	command := []string{self(t), oldArg}
	got := run(t, task(t, map[string]any{"command": command, "tool": "echo"}))
	var meta map[string]any
	if err := json.Unmarshal(got.Value, &meta); err != nil || meta[mcp.MetaAttempt] != 2.0 {
		t.Errorf("got %s, %+v; want the _meta", got.Value, got.Failure)
	}
	// It says that a tool is unknown as if the tool had said it.
	got = run(t, task(t, map[string]any{"command": command, "tool": "other"}))
	workerstest.WantFailure(t, got.Failure, workers.Terminal, "mcp_unknown_tool")
}

func TestRelativePathsStartAtTheFolder(t *testing.T) {
	t.Parallel()
	in := task(t, map[string]any{"command": []string{"./bin/server.sh", "./data.txt", "./gone.txt"}, "tool": "report"})
	script := fmt.Sprintf("#!/bin/sh\nexec %s %s \"$@\"\n", self(t), serverArg)
	if err := os.MkdirAll(filepath.Join(in.Folder, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"bin/server.sh": script, "data.txt": ""} {
		if err := os.WriteFile(filepath.Join(in.Folder, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got := run(t, in)
	var was seen
	if err := json.Unmarshal(got.Value, &was); err != nil {
		t.Fatal(err, got.Failure)
	}
	if diff := cmp.Diff([]string{filepath.Join(in.Folder, "data.txt"), "./gone.txt"}, was.Words); diff != "" {
		t.Error(diff)
	}
}

func TestLargeResults(t *testing.T) {
	t.Parallel()
	in := tool(t, "large", nil)
	if got := run(t, in); got.Failure != nil || len(got.Value) != 8<<20+2 {
		t.Errorf("got %d bytes, %+v", len(got.Value), got.Failure)
	}
	for _, most := range []int64{8 << 20, 1 << 10} { // what is read to the end, and what is not
		in.MaxOutput = most
		workerstest.WantFailure(t, run(t, in).Failure, workers.Terminal, "result_too_large")
	}
}

func TestNothingOfTheServerStays(t *testing.T) {
	t.Parallel()
	got := run(t, tool(t, "family", nil))
	var pids []int
	if err := json.Unmarshal(got.Value, &pids); err != nil || len(pids) != 3 {
		t.Fatalf("got %s, %+v", got.Value, got.Failure)
	}
	shimtest.Gone(t, 0, pids...)
}

func TestDeafServerIsKilled(t *testing.T) {
	t.Parallel()
	in := task(t, map[string]any{"command": []string{self(t), deafArg}, "tool": "report"})
	got := mcp.Executor{Runner: exec.Runner{Grace: 100 * time.Millisecond}}.Execute(t.Context(), in, nil)
	var was seen
	if err := json.Unmarshal(got.Value, &was); err != nil {
		t.Fatal(err, got.Failure)
	}
	shimtest.Gone(t, 0, was.PID)
}

// first reads the number in the first line of what is said.
func first(t *testing.T, from io.Reader) int {
	t.Helper()
	line, err := bufio.NewReader(from).ReadString('\n')
	if err != nil {
		t.Fatal("the tool said nothing:", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !shimtest.Alive(pid) {
		t.Fatalf("%q names no running process: %v", line, err)
	}
	return pid
}

func TestEndedFromOutside(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cause       error
		class, code string
	}{
		"cancelled": {workers.ErrCancelled, workers.Cancelled, "mcp_cancelled"},
		"stale":     {workers.ErrStale, workers.Stale, "mcp_stale"},
		"stopping":  {workers.ErrStopping, workers.Lost, "mcp_stopping"},
		"deadline":  {workers.ErrDeadline, workers.Timeout, "mcp_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, end := context.WithCancelCause(t.Context())
			said, live := io.Pipe()
			in, done := tool(t, "block", nil), make(chan workers.Outcome, 1)
			go func() { done <- mcp.Executor{}.Execute(ctx, in, live) }()
			pid := first(t, said)
			go func() { _, _ = io.Copy(io.Discard, said) }() // until live is closed
			end(test.cause)
			got := <-done
			_ = live.Close()
			shimtest.Gone(t, 0, pid)
			workerstest.WantFailure(t, got.Failure, test.class, test.code)
		})
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	in := tool(t, "block", nil)
	in.Timeout = 300 * time.Millisecond
	workerstest.WantFailure(t, run(t, in).Failure, workers.Timeout, "mcp_timeout")
	silent := task(t, map[string]any{"command": []string{"sleep", "1000"}, "tool": "t"}) // never a session
	silent.Timeout = 100 * time.Millisecond
	workerstest.WantFailure(t, run(t, silent).Failure, workers.Timeout, "mcp_timeout")
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]any{
		"neither":        {"tool": "t"},
		"both":           {"server": "s", "command": []string{"true"}, "tool": "t"},
		"no program":     {"command": []string{""}, "tool": "t"},
		"no tool":        {"server": "s"},
		"not a mapping":  {"server": "s", "tool": "t", "arguments": []int{1}},
		"unknown fields": {"server": "s", "tool": "t", "args": map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workerstest.WantFailure(t, run(t, task(t, settings)).Failure, workers.Terminal, "mcp_settings")
		})
	}
}
