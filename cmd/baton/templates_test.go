package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/batonflow/baton/sessions"
)

// The test changes the current folder, so it is not parallel.
func TestTemplatesAreLookedUpInOrder(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here := filepath.Join(root, "here")
	folders := []string{filepath.Join(root, "own"), filepath.Join(here, "workflows"), filepath.Join(root, "baton", "workflows"), filepath.Join(root, ".workbuddy", "workflows")}
	for _, dir := range folders {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x.json", "x.yaml"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(dir), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(here)
	a, _, _ := testApp(t, "HOME="+root, "BATON_HOME="+filepath.Join(root, "baton"), "BATON_WORKFLOW_DIR="+folders[0], "SKILL_ROUTER_WORKFLOW_DIR=/nowhere")
	for _, dir := range folders {
		_, got, err := a.template("x")
		if want := filepath.Join(dir, "x.yaml"); err != nil || got.Path != want || got.Name != "x" || got.Text != dir {
			t.Errorf("template x is %+v (%v), want %s", got, err, want)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	var r *sessions.Refusal
	for _, name := range []string{"x", "./x", "x.yaml", root + "/nothing.yaml"} {
		if _, _, err := a.template(name); !errors.As(err, &r) || r.Kind != sessions.NotFound || r.Code != "template_not_found" {
			t.Errorf("template %s: %v", name, err)
		}
	}
	if _, _, err := a.template(root + "/"); !errors.As(err, &r) || r.Kind != sessions.Usage {
		t.Errorf("a folder: %v", err)
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	a, _, _ := testApp(t)
	a.now = func() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.FixedZone("", 3600)) }
	for text, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "24h": "2026-03-01T11:00:00Z", "2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T12:00:00+02:00": "2026-01-31T10:00:00Z",
	} {
		if got, err := a.since(text); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("since %q is %s (%v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"-1h", "yesterday", "12"} {
		if _, err := a.since(text); err == nil {
			t.Errorf("since %q is taken", text)
		}
	}
}

func TestReplayAt(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"0", "-1", "yesterday", "2026-01-31"} {
		if _, err := replayAt(bad); err == nil {
			t.Errorf("%q is taken for a place", bad)
		}
	}
	if got, err := replayAt("17"); err != nil || got.Sequence != 17 {
		t.Errorf("17: %+v %v", got, err)
	}
	if got, err := replayAt("2026-01-31T12:00:00Z"); err != nil || got.Time.Hour() != 12 {
		t.Errorf("a time: %+v %v", got, err)
	}
}
