package skills

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lenient is one SKILL.md in testdata/lenient.json and what the reader must make of it.
type lenient struct {
	ID, File, Name, Description, Version string
	Codes                                []string
	Usable                               bool
}

func TestParseReadsWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/lenient.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []lenient
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			s, found := Parse("/s/demo-skill/SKILL.md", []byte(c.File))
			if diff := cmp.Diff(sorted(c.Codes), sorted(codes(found))); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%v", diff, found)
			}
			if s.Usable != c.Usable || s.Usable == (s.Reason != "") {
				t.Errorf("usable %v, reason %q; want usable %v", s.Usable, s.Reason, c.Usable)
			}
			for field, pair := range map[string][2]string{"name": {c.Name, s.Name}, "description": {c.Description, s.Description}, "version": {c.Version, s.Version}} {
				if pair[0] != "" && pair[0] != pair[1] {
					t.Errorf("%s = %q, want %q", field, pair[1], pair[0])
				}
			}
		})
	}
}

func TestParseSaysTheLineOfTheFile(t *testing.T) {
	t.Parallel()
	_, found := Parse("/s/a/SKILL.md", []byte("---\nname: a\ndescription: x\nmetadata:\n\ta: 1\n---\nB\n"))
	if len(found) != 1 || found[0].Line != 5 || !strings.Contains(found[0].Message, "line 5") {
		t.Errorf("got %+v, want a finding on line 5", found)
	}
}

func TestParseRefusesWhatIsTooBig(t *testing.T) {
	t.Parallel()
	head := "---\nname: a\ndescription: x\n"
	deep := head + "metadata: " + strings.Repeat("[", 20) + strings.Repeat("]", 20) + "\n---\n"
	for code, file := range map[string]string{
		CodeTooLarge: head + "x: " + strings.Repeat("y", MaxFrontMatter) + "\n---\n",
		CodeDepth:    deep,
		CodeEncoding: head + "x: \xff\n---\n",
	} {
		if s, found := Parse("/s/a/SKILL.md", []byte(file)); s.Usable || codes(found)[0] != code {
			t.Errorf("got usable %v, %v; want %s", s.Usable, found, code)
		}
	}
	if s, _ := Parse("/s/a/SKILL.md", make([]byte, MaxFile+1)); !strings.HasPrefix(s.Reason, CodeTooLarge) {
		t.Errorf("reason %q, want %s", s.Reason, CodeTooLarge)
	}
}

func TestParseTakesTagsAndEntrypointFromTopAndMetadata(t *testing.T) {
	t.Parallel()
	s, _ := Parse("/s/a/SKILL.md", []byte("---\nname: a\ndescription: x\ntags: [one, two]\ntriggers: 三，四\nmetadata:\n  tags: [two, five]\n  entrypoint_type: exec\n  entrypoint_cmd: run $x\n---\n# Title\n## Part\n```\n# not one\n```\n"))
	if diff := cmp.Diff([]string{"one", "two", "三", "四", "five"}, s.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if want := (Entrypoint{Type: "exec", Cmd: "run $x"}); s.Entrypoint != want {
		t.Errorf("entrypoint %+v, want %+v", s.Entrypoint, want)
	}
	if diff := cmp.Diff([]string{"Title", "Part"}, s.Headings); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: Use when: b\n---\n# T\n"))
	f.Add([]byte("---\n- a\n---\n"))
	f.Add([]byte("---\na: \"\\ud83d\\udd0d\"\nb: *c\n---\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		s, found := Parse("/s/a/SKILL.md", file)
		if s.Name == "" || s.Usable == (s.Reason != "") {
			t.Errorf("skill without name, or usable and reason disagree: %+v", s)
		}
		if !s.Usable && len(found) == 0 {
			t.Errorf("unusable without a finding: %+v", s)
		}
		again, _ := Parse("/s/a/SKILL.md", file)
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("read twice, got two answers:\n%s", diff)
		}
	})
}

func codes(found []Finding) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, f.Code)
	}
	return out
}

func TestNamesDoNoHarm(t *testing.T) {
	t.Parallel()
	for folder, name := range map[string]string{
		"ok":             "../../etc/passwd",
		"a\x1b[2Jb":      "x: y",
		"b\u202egnp.exe": "\"c\\u202etxt\"",
		"-rf":            "--help",
		"..":             ".",
		"d":              "C:\\Windows",
		"e":              "\"line\\nbreak\"",
		"f":              strings.Repeat("x", 300),
	} {
		s, found := Parse("/s/"+folder+"/SKILL.md", []byte("---\nname: "+name+"\ndescription: x\n---\nB\n"))
		if !speakable(s.Name) {
			t.Errorf("folder %q, name %q: called %q", folder, name, s.Name)
		}
		if len(found) == 0 {
			t.Errorf("folder %q, name %q: nothing is said about it", folder, name)
		}
	}
}

func TestToolsKeepTheirParentheses(t *testing.T) {
	t.Parallel()
	for written, want := range map[string][]string{
		"Bash(git:*) Read":                    {"Bash(git:*)", "Read"},
		"Read, Write":                         {"Read", "Write"},
		"[Read, Write]":                       {"Read", "Write"},
		"[\"task (agent\", \"inline)\", x]":   {"task (agent, inline)", "x"},
		"task (agent, inline), web search":    {"task (agent, inline)", "web search"},
		"[]":                                  {},
		"\"\"":                                {},
		"":                                    nil,
		"Bash(git add:*), Bash(git commit:*)": {"Bash(git add:*)", "Bash(git commit:*)"},
		"Bash(npm run test:*) Bash(npm run lint)": {"Bash(npm run test:*)", "Bash(npm run lint)"},
	} {
		s, _ := Parse("/s/a/SKILL.md", []byte("---\nname: a\ndescription: x\nallowed-tools: "+written+"\n---\nB\n"))
		if diff := cmp.Diff(want, s.AllowedTools); diff != "" {
			t.Errorf("%s (-want +got):\n%s", written, diff)
		}
	}
}
