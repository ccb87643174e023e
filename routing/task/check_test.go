package task

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckChild(t *testing.T) {
	t.Parallel()
	good := Check{SkillLoaded: true, ScriptCalled: true, Succeeded: true, InTime: true, Warnings: []string{}}
	none := Check{Succeeded: true, InTime: true, Warnings: []string{WarnNoSkill, WarnNoScript}}
	for name, c := range map[string]struct {
		output string
		want   Check
	}{
		"as it should be": {`{"tool_trace":[{"tool":"skill_view","args":{"name":"literature"}},{"tool":"terminal","args":{"command":"literature search VOR"}}]}`, good},
		"other names":     {`{"tool_trace":[{"name":"Skill"},{"tool_name":"Bash","input":"literature x"}]}`, good},
		"names alone":     {`{"tool_trace":["skill_view","terminal"]}`, Check{SkillLoaded: true, Succeeded: true, InTime: true, Warnings: []string{WarnNoScript}}},
		"its own script":  {`{"tool_trace":[{"tool":"terminal","command":"python3 mine.py"}]}`, none},
		"nothing said":    {`{"raw_papers":[]}`, none},
		"no object":       {`[1]`, none},
		"a broken trace":  {`{"tool_trace":"skill_view"}`, none},
	} {
		got := CheckChild(Evidence{Output: json.RawMessage(c.output), Scripts: []string{"", "literature"}, Succeeded: true, Seconds: 5, Limit: 60})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	late := CheckChild(Evidence{Seconds: 61, Limit: 60})
	if late.InTime || late.Succeeded {
		t.Errorf("late and failed: %+v", late)
	}
	if c := ByProgram(true, 61, 0); !c.SkillLoaded || !c.ScriptCalled || !c.InTime || len(c.Warnings) != 0 {
		t.Errorf("by program: %+v", c)
	}
}

func FuzzCheckChild(f *testing.F) {
	f.Add(`{"tool_trace":[{"tool":"terminal","args":{}},"x",1,null]}`)
	f.Fuzz(func(t *testing.T, output string) {
		c := CheckChild(Evidence{Output: json.RawMessage(output), Scripts: []string{"s"}})
		if (len(c.Warnings) == 0) != (c.SkillLoaded && c.ScriptCalled) {
			t.Errorf("%q: %+v", output, c)
		}
	})
}
