package entrypoint

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgv(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/argv.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Cmd  string
		Vars map[string]string
		Argv []string
		Code string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		argv, err := Argv(c.Cmd, c.Vars)
		if c.Code != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.Code) {
				t.Errorf("%q: error %v, want %s", c.Cmd, err, c.Code)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.Cmd, err)
		}
		if diff := cmp.Diff(c.Argv, argv); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.Cmd, diff)
		}
	}
}

func FuzzArgv(f *testing.F) {
	f.Add(`a "$x" '${x}'`, "1 2")
	f.Add(`\`, "")
	f.Fuzz(func(t *testing.T, cmd, value string) {
		plain, err := Argv(cmd, map[string]string{"x": "v"})
		if err != nil {
			return
		}
		argv, err := Argv(cmd, map[string]string{"x": value})
		if err == nil && len(argv) != len(plain) {
			t.Errorf("%q: the value %q changed the number of words: %q", cmd, value, argv)
		}
	})
}
