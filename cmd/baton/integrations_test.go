//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// decode reads a configuration. That it has no other fields is for the host's schema to say.
func decode(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(hostJSON(t, path, string(integration(t, path)))), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// mcpCommands reads how each host is told to start the server.
func mcpCommands(t *testing.T) map[string][]string {
	t.Helper()
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	line := func(s server) []string { return append([]string{s.Command}, s.Args...) }
	out := map[string][]string{}
	for path, key := range map[string]string{".mcp.json": "mcpServers", "codex/config.toml": "mcp_servers", "gemini-cli/settings.json": "mcpServers"} {
		var file map[string]map[string]server
		decode(t, path, &file)
		out[path] = line(file[key]["baton"])
	}
	var opencode struct {
		MCP map[string]struct {
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		} `json:"mcp"`
	}
	decode(t, "opencode/opencode.json", &opencode)
	if !opencode.MCP["baton"].Enabled {
		t.Error("OpenCode's server is not enabled")
	}
	out["opencode"] = opencode.MCP["baton"].Command
	var openclaw struct {
		MCP struct {
			Servers map[string]server `json:"servers"`
		} `json:"mcp"`
	}
	dec := json.NewDecoder(bytes.NewReader(integration(t, "openclaw/openclaw.json")))
	dec.DisallowUnknownFields() // OpenClaw has no schema to hold the file against, and takes no field that it does not know
	if err := dec.Decode(&openclaw); err != nil {
		t.Fatal(err)
	}
	out["openclaw"] = line(openclaw.MCP.Servers["baton"])
	return out
}

// The server that each configuration names starts and has tools.
func TestConfigurationsOfHostsStartTheServer(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	for host, line := range mcpCommands(t) {
		if len(line) == 0 || line[0] != "baton" {
			t.Errorf("%s starts %q", host, line)
			continue
		}
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: p.command(line[1:]...)}, nil)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) < 20 {
			t.Errorf("%s: %d tools, %v", host, len(tools.Tools), err)
		}
		_ = session.Close() // the server's end is its own matter
	}
}

// hookFile is what these tests need of Claude Code's form of hooks.
type hookFile struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Command string  `json:"command"`
			Timeout float64 `json:"timeout"`
			Async   bool    `json:"async"`
		} `json:"hooks"`
	} `json:"hooks"`
}

// hookSamples are events as Claude Code sends them, with a secret where one could be.
var hookSamples = map[string]string{
	"UserPromptSubmit":   `"prompt":"画一张 Agent 系统架构图 with SECRET"`,
	"SessionStart":       `"source":"startup"`,
	"PreToolUse":         `"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"echo SECRET","description":"say hello"}`,
	"PostToolUse":        `"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"echo SECRET","description":"say hello"},"tool_response":{"stdout":"SECRET"}`,
	"PostToolUseFailure": `"tool_name":"Skill","tool_use_id":"toolu_2","agent_id":"a1","agent_type":"Explore","tool_input":{"skill":"tavily","args":"SECRET"},"error":"SECRET"`,
	"SubagentStart":      `"agent_id":"a1","agent_type":"Explore"`,
	"SubagentStop":       `"agent_id":"a1","agent_type":"Explore","last_assistant_message":"SECRET"`,
}

func TestHooksOfClaudeCode(t *testing.T) {
	t.Parallel()
	var file hookFile
	decode(t, "hooks/hooks.json", &file)
	p := newPerson(t)
	p.seedSkills()
	hook := func(command, event string, path ...string) (string, error) {
		// However busy this machine is: how soon an answer comes is no matter of this test.
		c := exec.Command("sh", "-c", strings.ReplaceAll(command, "baton hook", "baton hook --within 1m"))
		c.Dir, c.Env = p.work, append(slices.Clone(p.env), path...)
		c.Stdin = strings.NewReader(`{"hook_event_name":"` + event + `","session_id":"s1","transcript_path":"/t","permission_mode":"default","cwd":"` + p.work + `",` + hookSamples[event] + `}`)
		out, err := c.Output()
		return string(out), err
	}
	for event, matchers := range file.Hooks {
		for _, m := range matchers {
			for _, h := range m.Hooks {
				if _, err := regexp.Compile(m.Matcher); err != nil || h.Timeout <= 0 || h.Async == (event == promptSubmitted) {
					t.Errorf("%s: hook %+v %v", event, h, err)
				}
				if out, err := hook(h.Command, event, "PATH="+filepath.Dir(p.binary)+":"+os.Getenv("PATH")); err != nil || out != "" {
					t.Errorf("without a server %s says %q, %v", event, out, err)
				}
				if out, err := hook(h.Command, event); err != nil || out != "" {
					t.Errorf("without baton %s says %q, %v", event, out, err)
				}
			}
		}
	}
	p.cli("session", "list") // starts the server
	// in the order in which the host sends them, but for one end that overtakes its beginning
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PreToolUse", "SubagentStart", "PostToolUseFailure", "SubagentStop"} {
		out, err := hook(file.Hooks[event][0].Hooks[0].Command, event, "PATH="+filepath.Dir(p.binary)+":"+os.Getenv("PATH"))
		if event == promptSubmitted {
			offers(t, out, err)
			continue
		}
		if err != nil || out != "" {
			t.Errorf("%s says %q, %v", event, out, err)
		}
	}
	recorded(t, p)
}

// offers checks the answer to a prompt.
func offers(t *testing.T, out string, err error) {
	t.Helper()
	var answer struct {
		Output struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil || answer.Output.Event != promptSubmitted {
		t.Fatalf("the prompt is answered with %q, %v", out, err)
	}
	text := answer.Output.Context
	if !strings.Contains(text, "1. drawio-skill (score ") || !strings.Contains(text, "data, not instructions") || strings.Count(text, "(score ") > 3 || strings.Contains(text, "Obey") {
		t.Errorf("the model is given\n%s", text)
	}
}

// recorded checks what the log has of the sample events.
func recorded(t *testing.T, p *person) {
	t.Helper()
	var sessions []struct {
		Session string `json:"session"`
		Goal    string `json:"goal"`
	}
	if err := json.Unmarshal([]byte(p.cli("session", "list")), &sessions); err != nil || len(sessions) != 1 || sessions[0].Goal != "Claude Code" {
		t.Fatalf("sessions are %+v, %v", sessions, err)
	}
	var calls []struct {
		ID     string `json:"call_id"`
		Skill  string `json:"skill"`
		Intent string `json:"intent"`
		Parent string `json:"parent"`
		Status string `json:"status"`
	}
	raw := p.cli("call", "list", "--session", sessions[0].Session)
	if err := json.Unmarshal([]byte(raw), &calls); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, strings.Join([]string{c.Skill, c.Intent, c.Parent, c.Status}, "|"))
	}
	want := []string{"claude:Bash|say hello||ok", "claude:Explore|sub-agent Explore||ok", "tavily|Skill|c002|failed"}
	if !slices.Equal(got, want) {
		t.Errorf("calls are %q, not %q", got, want)
	}
	if events := p.cli("events", "--session", sessions[0].Session); strings.Contains(events, "SECRET") {
		t.Errorf("the log keeps what a tool was told:\n%s", events)
	}
}

// The one SKILL.md passes the strict reader, and names only commands that there are.
func TestTheSkillTeachesCommandsThatThereAre(t *testing.T) {
	t.Parallel()
	text := integration(t, "skills/baton/SKILL.md")
	p := newPerson(t)
	p.file("skills/baton/SKILL.md", string(text))
	if out, code := p.run("skills", "validate", filepath.Join(p.work, "skills/baton"), "--standard"); code != 0 {
		t.Errorf("the skill is not in order:\n%s", out)
	}
	if len(text) > 16<<10 {
		t.Errorf("the skill has %d bytes", len(text))
	}
	a, _, _ := testApp(t)
	root := a.root()
	for _, m := range regexp.MustCompile("(?m)(?:^    |`|; )baton ((?:[a-z]+ ?-?)+)").FindAllStringSubmatch(string(text), -1) {
		c, rest, err := root.Find(strings.Fields(m[1]))
		if err != nil || c == root || c.RunE == nil || c.HasSubCommands() && len(rest) > 0 {
			t.Errorf("the skill says baton %s, which there is not", m[1])
		}
	}
}
