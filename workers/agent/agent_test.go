//go:build unix

package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/agent"
	"github.com/batonflow/baton/workers/shim/shimtest"
)

// The test binary plays the agents too: under their names, by symbolic links.
func TestMain(m *testing.M) {
	played := []string{"claude", "codex", "gemini", "opencode", "mine"}
	if slices.Contains(played, filepath.Base(os.Args[0])) {
		os.Exit(fakeAgent())
	}
	shimtest.Main(m, nil)
}

// record is what an agent was given.
type record struct {
	Argv            []string
	Stdin           string
	Envelope, Skill string
}

func fakeAgent() int {
	stdin, err := io.ReadAll(os.Stdin)
	envelope, err2 := os.ReadFile(os.Getenv("BATON_ENVELOPE"))
	raw, err3 := json.Marshal(record{os.Args, string(stdin), string(envelope), os.Getenv("BATON_SKILL")})
	err4 := os.WriteFile(os.Getenv("FAKE_RECORD"), raw, 0o600)
	for _, err := range []error{err, err2, err3, err4} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 99
		}
	}
	fmt.Print(os.Getenv("FAKE_STDOUT"))
	if os.Getenv("FAKE_FAILS") != "" {
		return 1
	}
	return 0
}

// goal has everything that a careless quoting would break.
const goal = "--help \"two\"  'quotes' $HOME $args `x` \\n 分析矛盾\n\tlast line \n"

// setup installs the named agents on a PATH of their own and makes a task.
func setup(t *testing.T, settings string, installed ...string) workers.Task {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range installed {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return workers.Task{
		Execute: json.RawMessage(settings), Intent: goal, Input: json.RawMessage(`{"inputs":{}}`),
		Workspace: t.TempDir(), SkillFile: "/skills/a/SKILL.md",
		Env: map[string]string{"PATH": bin, "FAKE_RECORD": filepath.Join(t.TempDir(), "record"), "FAKE_STDOUT": "done"},
	}
}

func given(t *testing.T, in workers.Task) record {
	t.Helper()
	var got record
	raw, err := os.ReadFile(in.Env["FAKE_RECORD"])
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if err != nil {
		t.Fatalf("the agent did not run: %v", err)
	}
	return got
}

func TestGoalIsPassedVerbatimAndAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings string
		argv     []string
		stdin    string
	}{
		"claude":   {`"claude"`, []string{"claude", "-p", "--output-format", "json"}, goal},
		"codex":    {`"codex"`, []string{"codex", "exec", "--skip-git-repo-check", "-"}, goal},
		"gemini":   {`"gemini"`, []string{"gemini", "--output-format", "json"}, goal},
		"opencode": {`{"profile":"opencode"}`, []string{"opencode", "run", "--", goal}, ""},
		"args": {`{"profile":"codex","args":["--sandbox","workspace-write"]}`,
			[]string{"codex", "exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "-"}, goal},
		"own, by argv":  {`{"argv":["mine","--goal=$goal"]}`, []string{"mine", "--goal=" + goal}, `{"inputs":{}}`},
		"own, by stdin": {`{"argv":["mine"]}`, []string{"mine"}, goal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := setup(t, test.settings, "claude", "codex", "gemini", "opencode", "mine")
			out := agent.Executor{}.Execute(t.Context(), in, nil)
			want := record{test.argv, test.stdin, `{"inputs":{}}`, "/skills/a/SKILL.md"}
			if diff := cmp.Diff(want, given(t, in)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(workers.Outcome{Value: json.RawMessage(`"done"`)}, out); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhichAgent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings, prefer string
		installed        []string
		want             string // the agent that runs, or the code of the refusal
	}{
		"first installed":  {`{}`, "", []string{"opencode", "gemini"}, "gemini"},
		"none named":       {``, "", []string{"opencode"}, "opencode"},
		"configured":       {`null`, "opencode", []string{"claude", "opencode"}, "opencode"},
		"step wins":        {`"claude"`, "opencode", []string{"claude", "opencode"}, "claude"},
		"none installed":   {`{}`, "", []string{"mine"}, "agent_not_installed"},
		"named, not there": {`"claude"`, "", []string{"codex"}, "agent_not_installed"},
		"unknown":          {`"clod"`, "", []string{"claude"}, "agent_unknown"},
		"both":             {`{"profile":"claude","argv":["x"]}`, "", nil, "agent_settings"},
		"empty argv":       {`{"argv":[]}`, "", nil, "agent_settings"},
		"unknown field":    {`{"model":"x"}`, "", nil, "agent_settings"},
		"a list":           {`["claude"]`, "", nil, "agent_settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := setup(t, test.settings, test.installed...)
			out := agent.Executor{Prefer: test.prefer}.Execute(t.Context(), in, nil)
			if out.Failure == nil {
				if got := given(t, in).Argv[0]; got != test.want {
					t.Errorf("%s ran; want %s", got, test.want)
				}
				return
			}
			if out.Failure.Code != test.want || out.Failure.Class != workers.Terminal {
				t.Errorf("got %+v; want %s", *out.Failure, test.want)
			}
		})
	}
}

func TestRefusalNamesWhatWasLookedFor(t *testing.T) {
	t.Parallel()
	out := agent.Executor{}.Execute(t.Context(), setup(t, `{}`), nil)
	for _, word := range []string{"claude", "codex", "gemini", "opencode", "PATH", "argv"} {
		if out.Failure == nil || !strings.Contains(out.Failure.Message, word) {
			t.Errorf("%+v does not speak of %s", out.Failure, word)
		}
	}
	in := setup(t, `"claude"`, "claude")
	in.Intent = ""
	if out := (agent.Executor{}).Execute(t.Context(), in, nil); out.Failure == nil || out.Failure.Code != "agent_no_goal" {
		t.Errorf("without a goal: %+v", out)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range agent.Detect(setup(t, "", "opencode", "claude").Env) {
		got = append(got, p.Name)
	}
	if diff := cmp.Diff([]string{"claude", "opencode"}, got); diff != "" {
		t.Error(diff)
	}
	if found := agent.Detect(nil); found != nil {
		t.Errorf("without a PATH there is %v", found)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const told = `{"type":"result","is_error":%v,"result":%s,"total_cost_usd":0.0125,"usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":100}}`
	const usage = `{"usd":0.0125,"tokens":115}`
	for name, test := range map[string]struct {
		agent, stdout string
		fails         bool
		want          workers.Outcome
	}{
		"text":                  {"claude", fmt.Sprintf(told, false, `"a text\n"`), false, answer(`"a text"`, usage)},
		"json":                  {"claude", fmt.Sprintf(told, false, `"{\"papers\": []}"`), false, answer(`{"papers":[]}`, usage)},
		"gemini":                {"gemini", `{"response":"42","stats":{"models":{"a":{"tokens":{"total":7}},"b":{"tokens":{"total":8}}}}}`, false, answer(`42`, `{"tokens":15}`)},
		"not what was promised": {"claude", `{"text":"x"}`, false, answer(`{"text":"x"}`, "")},
		"no json at all":        {"claude", `sorry`, false, answer(`"sorry"`, "")},
		"a list":                {"claude", `[1]`, false, answer(`[1]`, "")},
		"gave up":               {"claude", fmt.Sprintf(told, true, `"out of turns"`), false, refusal("agent_failed", "out of turns")},
		"gemini gave up":        {"gemini", `{"error":{"message":"no quota"}}`, false, refusal("agent_failed", "no quota")},
		"exit with a reason":    {"claude", fmt.Sprintf(told, true, `"please log in"`), true, refusal("exec_exit", "please log in")},
		"exit without":          {"codex", `half`, true, refusal("exec_exit", "status 1")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := setup(t, `"`+test.agent+`"`, test.agent)
			in.Env["FAKE_STDOUT"] = test.stdout
			if test.fails {
				in.Env["FAKE_FAILS"] = "yes"
			}
			got := agent.Executor{}.Execute(t.Context(), in, nil)
			if f := test.want.Failure; f != nil {
				if got.Failure == nil || got.Failure.Code != f.Code || !strings.Contains(got.Failure.Message, f.Message) || got.Failure.Class != f.Class {
					t.Errorf("got %+v; want %+v", got.Failure, f)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func answer(value, usage string) workers.Outcome {
	out := workers.Outcome{Value: json.RawMessage(value)}
	if usage != "" {
		out.Usage = json.RawMessage(usage)
	}
	return out
}

func refusal(code, message string) workers.Outcome {
	return workers.Failed(workers.Retryable, code, message)
}
