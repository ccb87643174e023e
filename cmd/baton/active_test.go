package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/batonflow/baton/sessions"
)

// The test changes the current folder, so it is not parallel.
func TestActiveSessionOfAWorkspace(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, below := filepath.Join(root, "repo"), filepath.Join(root, "repo", "a", "b")
	for _, dir := range []string{below, filepath.Join(repo, ".git"), filepath.Join(root, "plain")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a, _, _ := testApp(t, "BATON_HOME="+filepath.Join(root, "home"))
	in := func(dir, want, wantNew, wantActive string) {
		t.Helper()
		t.Chdir(dir)
		got, err := a.workspace()
		if err != nil || got != want {
			t.Errorf("workspace in %s is %s (%v), want %s", dir, got, err, want)
		}
		if got, _ := a.newWorkspace(); got != wantNew {
			t.Errorf("workspace of a new session in %s is %s, want %s", dir, got, wantNew)
		}
		if got, err := a.active(); got != wantActive || err != nil {
			t.Errorf("active session in %s is %q (%v), want %q", dir, got, err, wantActive)
		}
	}
	plain := filepath.Join(root, "plain")
	in(below, repo, repo, "")
	in(plain, plain, plain, "")
	_, err = a.current(t.Context(), nil)
	var r *sessions.Refusal
	if !errors.As(err, &r) || r.Kind != sessions.NotFound || r.Code != "no_session" {
		t.Errorf("no active session: %v", err)
	}

	if err := a.activate(root, "outer"); err != nil {
		t.Fatal(err)
	}
	in(below, root, repo, "outer") // seen from below, but a new session is the repository's own
	in(plain, root, root, "outer")
	if err := a.activate(repo, "inner"); err != nil {
		t.Fatal(err)
	}
	in(below, repo, repo, "inner")
	in(plain, root, root, "outer")
	if left, _ := filepath.Glob(filepath.Join(root, "home", "workspaces", "*", ".session-*")); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}

	// a step's process is in its own session, unless told otherwise
	a.environ = append(a.environ, "BATON_SESSION=step")
	if got, err := a.chosen(t.Context(), nil); got != "step" || err != nil {
		t.Errorf("session in a step is %q (%v)", got, err)
	}
	a.session = "0193b1c8-7e6a-7c3f-9d53-0123456789ab"
	if got, err := a.chosen(t.Context(), nil); got != a.session || err != nil {
		t.Errorf("session that was named is %q (%v)", got, err)
	}
}
