package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/workers"
	"github.com/batonflow/baton/workers/local"
)

// workspace is a folder with files, by their paths.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ask gives the paths of the hits, in order, or the code of the failure.
func ask(t *testing.T, e workers.Executor, dir string, settings map[string]any) []string {
	t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	out := e.Execute(t.Context(), workers.Task{Execute: raw, Workspace: dir}, nil)
	if out.Failure != nil {
		return []string{out.Failure.Code}
	}
	var hits []local.Hit
	if err := json.Unmarshal(out.Value, &hits); err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, h := range hits {
		if h.Title == "" || h.Date == "" {
			t.Errorf("a hit says too little: %+v", h)
		}
		paths = append(paths, h.Path)
	}
	return paths
}

func TestFilesHitByNameAndByText(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{
		"memory/solid-state_Batteries.txt": "x", "memory/other.md": "about Solid-State Batteries", "memory/deep/c.csv": "solid-state batteries",
		"memory/b.json": `"solid-state batteries"`, "memory/.hidden.md": "solid-state batteries", "memory/picture.png": "solid-state batteries",
		"outbox/z.md": "solid-state batteries", "elsewhere.md": "solid-state batteries", "memory/unrelated.md": "trains",
		"memory/binary.md": "solid-state batteries\xff", ".git/config.md": "solid-state batteries",
	})
	if err := os.Symlink("/etc", filepath.Join(dir, "memory/link")); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"memory/*solid-state batteries*": {"memory/solid-state_Batteries.txt", "memory/other.md", "memory/b.json", "memory/deep/c.csv"},
		"outbox/*solid-state batteries*": {"outbox/z.md"},
		"*solid-state batteries*":        {"memory/solid-state_Batteries.txt", "elsewhere.md", "memory/other.md", "outbox/z.md", "memory/b.json", "memory/deep/c.csv"},
		"nowhere/*solid*":                {},
		"*":                              {},
		"trains":                         {"memory/unrelated.md"},
	} {
		if diff := cmp.Diff(want, ask(t, local.Files{}, dir, map[string]any{"query": query})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	other := workspace(t, map[string]string{"trains.md": "x"})
	if diff := cmp.Diff([]string{filepath.Join(other, "trains.md")}, ask(t, local.Files{}, dir, map[string]any{"query": "*trains*", "folders": []string{other}})); diff != "" {
		t.Errorf("a configured folder (-want +got):\n%s", diff)
	}
}

func TestTheCacheIsReadBySections(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{
		"memory/web_cache.md":    "intro\n# 固态电池 makers\nthree of them\n# cost of bells\ncheap, for bells\n",
		"memory/notes.md":        "# cost of bells\nno cache",
		"memory/deep/a_cache.md": "bells and nothing else",
	})
	for query, want := range map[string][]string{
		"bells cost":            {"memory/web_cache.md"},
		"固态电池 site:example.org": {"memory/web_cache.md"},
		"bells ringing":         {"memory/deep/a_cache.md", "memory/web_cache.md"},
		"trains":                {"cache_miss"},
	} {
		settings := map[string]any{"query": query}
		if strings.HasSuffix(query, "ringing") {
			settings["subject"] = "Bells"
		}
		if diff := cmp.Diff(want, ask(t, local.Cache{}, dir, settings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("bells-%02d.md", i)] = strings.Repeat("界", 5000)
	}
	dir := workspace(t, files)
	if n := len(ask(t, local.Files{}, dir, map[string]any{"query": "*bells*"})); n != 20 {
		t.Errorf("%d hits", n)
	}
}

func TestWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, settings := range map[string]map[string]any{
		"local_settings": {"question": "x"},
		"cache_miss":     {"query": "x", "folders": []string{"nowhere"}},
	} {
		if diff := cmp.Diff([]string{want}, ask(t, local.Cache{}, dir, settings)); diff != "" {
			t.Error(diff)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(workers.ErrDeadline)
	out := local.Files{}.Execute(ctx, workers.Task{Execute: json.RawMessage(`{"query":"x"}`), Workspace: dir}, nil)
	if out.Failure == nil || out.Failure.Class != workers.Timeout || out.Failure.Code != "local_stopped" {
		t.Errorf("%+v", out.Failure)
	}
}
