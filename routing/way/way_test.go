package way

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAWayIsFilledIn(t *testing.T) {
	t.Parallel()
	values := map[string]string{"query": "a&b {target}", "target": "x"}
	for name, c := range map[string]struct {
		way  Way
		want string
	}{
		"exec": {Way{Exec: []any{"./s", "--for={query}", "{nobody}", "{"}}, `{"exec":["./s","--for=a&b {target}","{nobody}","{"]}`},
		"http": {
			Way{HTTP: map[string]any{"url": "https://s.example/?q={query}", "body": map[string]any{"q": "{query}", "n": 3, "l": []any{"{target}"}}}},
			`{"http":{"body":{"l":["x"],"n":3,"q":"a&b {target}"},"url":"https://s.example/?q=a%26b%20%7Btarget%7D"}}`,
		},
		"mcp": {Way{MCP: map[string]any{"tool": "find", "arguments": map[string]any{"q": "{query}"}}}, `{"mcp":{"arguments":{"q":"a&b {target}"},"tool":"find"}}`},
	} {
		if got, err := c.way.Execute(values); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, want %s (%v)", name, got, c.want, err)
		}
	}
	if got := (Way{Exec: []any{"./s", "../x", "y"}}).From("/home/ada").Exec; got[0] != "/home/ada/s" || got[1] != "/home/x" || got[2] != "y" {
		t.Errorf("paths %v", got)
	}
	server := Way{MCP: map[string]any{"command": []any{"./s"}, "tool": "t"}}
	if got := server.From("/home/ada").MCP["command"].([]any)[0]; got != "/home/ada/s" || server.MCP["command"].([]any)[0] != "./s" {
		t.Errorf("a server's path %v, before %v", got, server.MCP["command"])
	}
	if d := (Way{}).Within("2s"); d != 2*time.Second || (Way{Timeout: "1s"}).Within("2s") != time.Second || (Way{}).Within("") != Longest {
		t.Errorf("waits %s", d)
	}
}

func TestWhatIsNoWay(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]Way{
		"nothing":  {},
		"two":      {Exec: []any{"x"}, MCP: map[string]any{"tool": "y"}},
		"a number": {Exec: []any{"x", 1}},
		"no name":  {Exec: []any{""}},
		"for ever": {Exec: []any{"x"}, Timeout: "31s"},
		"no time":  {Exec: []any{"x"}, Timeout: "soon"},
		"no JSON":  {HTTP: map[string]any{"url": func() {}}},
	} {
		if w.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// TestNoValueLeavesItsPlace: whatever is asked, an address keeps its host and its one parameter.
func TestNoValueLeavesItsPlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		got := put("https://s.example/?q={query}&n=1", true, map[string]string{"query": value})
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "https://s.example/?q="), "&n=1")
		if strings.ContainsAny(inner, "&#/?= \"{}") || !strings.HasPrefix(got, "https://s.example/?q=") || !strings.HasSuffix(got, "&n=1") {
			t.Fatalf("%q gives %q", value, got)
		}
	})
}
