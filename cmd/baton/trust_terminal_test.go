//go:build linux

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// watch runs a command at a terminal and types nothing.
func (p *person) watch(args ...string) (string, int) {
	p.t.Helper()
	c := p.command(args...)
	screen, err := pty.Start(c)
	if err != nil {
		p.t.Fatal(err)
	}
	defer screen.Close()
	seen, _ := io.ReadAll(screen) // a terminal that is gone with its program reads as an error
	_ = c.Wait()                  // its status is looked at below
	return string(seen), c.ProcessState.ExitCode()
}

// TestAProjectIsAskedAboutOnce: at a terminal a person says whether a project's skills may be chosen; a
// pipe is not asked, and an answer is remembered, a no as well.
func TestAProjectIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	for answer, trusted := range map[string]bool{"y\n": true, "n\n": false, "\n": false} {
		p := newPerson(t)
		folder := filepath.Join(p.work, ".agents", "skills", "singer")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		text := "---\nname: singer\ndescription: Sing a song about the sea.\n---\nBody.\n"
		if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(p.work, "elsewhere"), 0o755); err != nil {
			t.Fatal(err)
		}
		p.env[0] = "HOME=" + filepath.Join(p.work, "elsewhere") // so that the folder is a project's, not the user's
		if out, _ := p.run("skills", "scan"); !strings.Contains(out, "untrusted folder") {
			t.Fatalf("a pipe was asked: %s", out)
		}
		p.at(answer, "skills", "scan")
		out, _ := p.run("skills", "scan", "--json")
		if got := strings.Contains(out, `"trusted":true`); got != trusted {
			t.Errorf("answered %q: trusted %v\n%s", answer, got, out)
		}
		if out, code := p.watch("skills", "scan"); strings.Contains(out, "[y/n]") || code != 0 {
			t.Errorf("asked again: %s", out)
		}
	}
}
