package baton_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/entrypoint"
	"github.com/batonflow/baton/workflows/template"
)

var update = flag.Bool("update", false, "rewrite goldens")

func TestExampleSkillsAreFaultless(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/skills/*/SKILL.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example skills: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, found := skills.Parse(path, text)
		if len(found) > 0 || !s.Usable || s.Entrypoint.Type != skills.EntrypointExec {
			t.Errorf("%s: %+v, findings %+v", path, s, found)
		}
	}
}

func TestExampleTemplatesAreValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/workflows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example templates: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, faults := template.Parse(text, template.Known{}); len(faults) > 0 {
			t.Errorf("%s: %v", path, faults)
		}
	}
}

// TestExampleReport runs the scripts of the main example one after the other, as its template does.
func TestExampleReport(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	e := example{root: root, sh: sh, folder: t.TempDir()}
	notes := filepath.Join(root, "examples", "notes")
	facts := map[string]string{}
	for side, topic := range map[string]string{"left": "Alder Cells", "right": "Birch Power"} {
		collected := e.run(t, "collect-"+side, "collect-notes", map[string]string{"topic": topic, "folder": notes})
		facts[side] = e.run(t, "extract-"+side, "extract-facts", map[string]string{"notes": collected})
	}
	compared := e.run(t, "compare", "compare-facts", facts)
	report := e.run(t, "report", "write-report", map[string]string{
		"title": "Alder Cells or Birch Power?", "left": "Alder Cells", "right": "Birch Power", "comparison": compared,
	})
	got, err := os.ReadFile(filepath.Join(e.folder, report))
	if err != nil {
		t.Fatal(err)
	}
	const golden = "examples/testdata/report.md"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the report differs (-want +got):\n%s", diff)
	}
}

// example runs skills by hand in a folder.
type example struct{ root, sh, folder string }

// run starts a skill's entry point with its inputs put in, and gives the path that it prints.
func (e example) run(t *testing.T, step, skill string, inputs map[string]string) string {
	t.Helper()
	folder := filepath.Join(e.root, "examples", "skills", skill)
	text, err := os.ReadFile(filepath.Join(folder, "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := skills.Parse(filepath.Join(folder, "SKILL.md"), text)
	argv, err := entrypoint.Argv(s.Entrypoint.Cmd, inputs)
	if err != nil || argv[0] != "sh" {
		t.Fatalf("entry point of %s: %q, %v", skill, argv, err)
	}
	argv[1] = filepath.Join(folder, strings.TrimPrefix(argv[1], "./"))
	cmd := exec.CommandContext(t.Context(), e.sh, argv[1:]...)
	cmd.Dir = e.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "BATON_SESSION=s", "BATON_CALL=r/" + step}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", step, err, stderr.String())
	}
	var value struct{ Path string }
	if err := json.Unmarshal(stdout.Bytes(), &value); err != nil || value.Path == "" {
		t.Fatalf("%s prints %q: %v", step, stdout.String(), err)
	}
	return value.Path
}
