package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/batonflow/baton/cmd/baton/host"
	"github.com/batonflow/baton/workers/shim"
)

// TestMain lets the test binary be the command: the scripts find it as `baton` on their PATH, and so
// do the servers and shims that it starts. Only `go test` gives a first argument with "-test.".
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "baton" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestScripts runs testdata/*.txtar: what a user can see of every command. Each script has a home and
// a server of its own, which is stopped at the end.
func TestScripts(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(bin, "baton")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       false,
		Condition:           condition,
		Setup:               func(env *testscript.Env) error { return world(env, bin) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"json": scriptJSON, "keep": scriptKeep, "status": scriptStatus, "kill9": scriptKill, "pad": scriptPad, "pack": scriptPack,
			"waits": scriptWaits, "waits-in": scriptWaits,
		},
	})
}

// condition answers what scripts ask of the machine: `[landlock]`.
func condition(name string) (bool, error) {
	if name != "landlock" {
		return false, fmt.Errorf("unknown condition %s", name)
	}
	return shim.Landlock() > 0, nil
}

// world gives a script its own home, and lets go of whatever it started.
func world(env *testscript.Env, bin string) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(filepath.Join(home, "tmp"), 0o755); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("BATON_HOME", filepath.Join(home, "baton"))
	env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	env.Setenv("TMPDIR", filepath.Join(home, "tmp"))
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("BATON_GRACE", "1s")
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		return err
	}
	env.Setenv("EXAMPLES", examples)
	env.Defer(func() {
		e, err := host.Home{Dir: filepath.Join(home, "baton")}.Endpoint()
		if err != nil {
			return // none runs
		}
		var out, errs strings.Builder
		run([]string{"stop", "--force", "--home", filepath.Join(home, "baton")}, []string{"HOME=" + home}, strings.NewReader(""), &out, &errs)
		if !gone(e.PID, 10*time.Second) {
			env.T().Log(fmt.Sprintf("server %d did not stop: %s%s", e.PID, out.String(), errs.String()))
			if p, err := os.FindProcess(e.PID); err == nil {
				_ = p.Kill()
			}
			env.T().FailNow()
		}
	})
	return nil
}

// gone waits until a process is no more.
func gone(pid int, within time.Duration) bool {
	deadline := time.Now().Add(within)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if errors.Is(err, os.ErrNotExist) || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// scriptJSON checks the last stdout: `json PATH VALUE`. A path is words and indexes with dots between, / for a dot in a key;
// count is a list's length. A VALUE that begins with ~ is a pattern.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	got := lookup(ts, args[0])
	match := got == args[1]
	if pattern, ok := strings.CutPrefix(args[1], "~"); ok {
		match = regexp.MustCompile(pattern).MatchString(got)
	}
	if match == neg {
		ts.Fatalf("%s is %s, not %s", args[0], got, args[1])
	}
}

// scriptKeep puts a value of the last stdout into a variable: `keep NAME PATH`.
func scriptKeep(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: keep NAME PATH")
	}
	ts.Setenv(args[0], lookup(ts, args[1]))
}

func lookup(ts *testscript.TestScript, path string) string {
	var v any
	text := ts.ReadFile("stdout")
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	ts.Check(dec.Decode(&v))
	if dec.More() {
		ts.Fatalf("stdout holds more than one JSON document: %s", text)
	}
	for word := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			value, ok := at[strings.ReplaceAll(word, "/", ".")]
			if !ok {
				return "(nothing)"
			}
			v = value
		case []any:
			if word == "count" {
				return strconv.Itoa(len(at))
			}
			i, err := strconv.Atoi(word)
			if err != nil || i >= len(at) {
				return "(nothing)"
			}
			v = at[i]
		default:
			if word == "" {
				continue
			}
			return "(nothing)"
		}
	}
	if text, ok := v.(string); ok {
		return text
	}
	raw, err := json.Marshal(v)
	ts.Check(err)
	return string(raw)
}

// scriptStatus runs baton and checks its exit status: `status CODE ARG…`. With an error there is one
// line on stderr that begins as it must, and no stack.
func scriptStatus(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("baton", args[1:]...)
	got := 0
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	stderr := ts.ReadFile("stderr")
	if strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "panic") {
		ts.Fatalf("a stack: %s", stderr)
	}
}

// scriptKill kills the server of the script's home at once: `kill9`.
func scriptKill(ts *testscript.TestScript, _ bool, _ []string) {
	e, err := host.Home{Dir: ts.Getenv("BATON_HOME")}.Endpoint()
	ts.Check(err)
	p, err := os.FindProcess(e.PID)
	ts.Check(err)
	ts.Check(p.Kill())
	if !gone(e.PID, 5*time.Second) {
		ts.Fatalf("process %d is still there", e.PID)
	}
}

// scriptWaits asks `baton why` until it says what it must: `waits RUN PATTERN`, or `waits-in SESSION RUN PATTERN`.
func scriptWaits(ts *testscript.TestScript, _ bool, args []string) {
	ask := []string{"why", args[len(args)-2]}
	if len(args) == 3 {
		ask = append(ask, "--session", args[0])
	}
	want := regexp.MustCompile(args[len(args)-1])
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		ts.Check(ts.Exec("baton", ask...))
		if want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("baton why never said %q, but %s", want, ts.ReadFile("stdout"))
}

// scriptPad writes a file of many bytes: `pad FILE BYTES`.
func scriptPad(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("0123456789abcde\n", n/16)), 0o644))
}
