package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// hostFiles are the configurations of hosts that publish a schema, and edits that make each wrong.
var hostFiles = []struct {
	path, schema string
	wrong        [][2]string
}{
	{".mcp.json", "claude-code.schema.json#/$defs/mcp", [][2]string{
		{`"mcpServers"`, `"mcpServer"`}, {`"command"`, `"comand"`}, {`"command": "baton"`, `"command": ["baton"]`}, {`["mcp"]`, `"mcp"`},
	}},
	{".claude-plugin/plugin.json", "claude-code.schema.json#/$defs/plugin", [][2]string{
		{`"name"`, `"nam"`}, {`"baton"`, `""`}, {`"0.1.0"`, `0.1`},
	}},
	{"hooks/hooks.json", "claude-code.schema.json#/$defs/hooks", [][2]string{
		{`"description"`, `"descripton"`}, {`"PreToolUse"`, `"PreTooluse"`}, {`"matcher"`, `"match"`}, {`"command",`, `"shell",`},
		{`"command":`, `"cmd":`}, {`"timeout": 5`, `"timeout": "5"`}, {`"timeout": 5`, `"timeout": 0`}, {`"async"`, `"asynch"`}, {`"async": true`, `"async": "yes"`},
	}},
	{"codex/config.toml", "codex.schema.json", [][2]string{
		{"mcp_servers", "mcpServers"}, {"command", "comand"}, {`"baton"`, `["baton"]`}, {"args", "arguments"}, {`["mcp"]`, `"mcp"`},
	}},
	{"gemini-cli/settings.json", "gemini-cli.schema.json", [][2]string{
		{`"mcpServers"`, `"mcp_servers"`}, {`"command"`, `"comand"`}, {`"command": "baton"`, `"command": ["baton"]`}, {`"args"`, `"arguments"`}, {`["mcp"]`, `"mcp"`},
	}},
	{"opencode/opencode.json", "opencode.schema.json", [][2]string{
		{`"mcp":`, `"mcpServers":`}, {`"local"`, `"stdio"`}, {`"type": "local", `, ``}, {`"command"`, `"comand"`}, {`["baton", "mcp"]`, `"baton mcp"`}, {`true`, `"yes"`},
	}},
}

func TestConfigurationsKeepTheSchemasOfTheirHosts(t *testing.T) {
	t.Parallel()
	for _, f := range hostFiles {
		t.Run(f.path, func(t *testing.T) {
			t.Parallel()
			s, err := jsonschema.NewCompiler().Compile("../../integrations/testdata/" + f.schema)
			if err != nil {
				t.Fatal(err)
			}
			validate := func(text string) error {
				document, err := jsonschema.UnmarshalJSON(strings.NewReader(hostJSON(t, f.path, text)))
				if err != nil {
					t.Fatal(err)
				}
				return s.Validate(document)
			}
			text := string(integration(t, f.path))
			if err := validate(text); err != nil {
				t.Error(err)
			}
			for _, w := range f.wrong {
				wrong := strings.Replace(text, w[0], w[1], 1)
				if wrong == text {
					t.Errorf("there is no %s to make wrong", w[0])
				} else if validate(wrong) == nil {
					t.Errorf("%s instead of %s is taken", w[1], w[0])
				}
			}
		})
	}
}

func integration(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../integrations", path))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var (
	tomlTable = regexp.MustCompile(`^\[([\w.-]+)\]$`)
	tomlValue = regexp.MustCompile(`^([\w-]+) = (.+)$`)
)

// hostJSON gives a configuration as JSON. Of TOML it knows comments, tables, and values that are written as in JSON.
func hostJSON(t *testing.T, path, text string) string {
	t.Helper()
	if filepath.Ext(path) != ".toml" {
		return text
	}
	root := map[string]any{}
	table := root
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if m := tomlTable.FindStringSubmatch(line); m != nil {
			table = root
			for _, key := range strings.Split(m[1], ".") {
				inner, ok := table[key].(map[string]any)
				if !ok {
					inner = map[string]any{}
					table[key] = inner
				}
				table = inner
			}
			continue
		}
		var value any
		m := tomlValue.FindStringSubmatch(line)
		if m == nil || json.Unmarshal([]byte(m[2]), &value) != nil {
			t.Fatalf("%s: %q is TOML that this reader does not know", path, line)
		}
		table[m[1]] = value
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
