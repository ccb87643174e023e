package agent

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/skills"
)

func TestOnlyAllowedToolsAreOffered(t *testing.T) {
	t.Parallel()
	claude := known()[0]
	for input, want := range map[string][]string{
		`{"inputs":{"allowed_tools":{"restricted":true,"tools":["Read","Bash(git:*)"]}}}`: {"--tools", "Read,Bash"},
		`{"inputs":{"allowed_tools":{"restricted":true,"tools":[]}}}`:                     {"--tools", ""},
		`{"inputs":{"allowed_tools":{"restricted":false,"tools":["Read"]}}}`:              nil,
		`{"inputs":{}}`: nil,
		`nonsense`:      nil,
	} {
		tools, restricted := offer(json.RawMessage(input), nil)
		if diff := cmp.Diff(want, claude.limit(tools, restricted)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", input, diff)
		}
	}
	loaded := &skills.Policy{Restricted: true, Tools: []string{"Write"}}
	for input, want := range map[string]string{
		`{"inputs":{}}`: "Write",
		`{"inputs":{"allowed_tools":{"restricted":true,"tools":["Read"]}}}`: "Read",
	} {
		if tools, restricted := offer(json.RawMessage(input), loaded); !restricted || len(tools) != 1 || tools[0] != want {
			t.Errorf("%s: offered %q, want %s", input, tools, want)
		}
	}
	if words := (Profile{}).limit([]string{"Read"}, true); len(words) != 0 {
		t.Errorf("an agent that takes no such words is given %q", words)
	}
}
