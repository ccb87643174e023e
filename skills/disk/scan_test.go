package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/batonflow/baton/skills"
)

// machine is a made-up computer: a home, a repository and a clock that is an hour ahead of every
// file, so that stamps are believed.
type machine struct {
	t      *testing.T
	places Places
	cache  Cache
}

func setup(t *testing.T) *machine {
	t.Helper()
	dir := resolved(t.TempDir())
	m := &machine{t: t, places: Places{
		Home:      filepath.Join(dir, "home"),
		Workspace: filepath.Join(dir, "repo", "sub"),
		Machine:   filepath.Join(dir, "machine"),
		Now:       func() time.Time { return time.Now().Add(time.Hour) },
	}}
	m.mkdir(filepath.Join(dir, "repo", ".git"))
	m.mkdir(m.places.Workspace)
	return m
}

func (m *machine) mkdir(dir string) {
	m.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) write(file, text string) {
	m.t.Helper()
	m.mkdir(filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) skill(folder, description string) string {
	m.t.Helper()
	file := filepath.Join(folder, "SKILL.md")
	m.write(file, "---\nname: "+filepath.Base(folder)+"\ndescription: "+description+"\n---\nBody.\n")
	return file
}

func (m *machine) home(path string) string { return filepath.Join(m.places.Home, path) }

func (m *machine) scan() (skills.Index, Report) {
	m.t.Helper()
	x, report, err := Scan(m.t.Context(), m.places, &m.cache)
	if err != nil {
		m.t.Fatal(err)
	}
	return x, report
}

func names(x skills.Index) []string {
	out := []string{}
	for _, s := range x.Skills {
		out = append(out, s.FullName())
	}
	return out
}

func TestScanFindsEveryLevel(t *testing.T) {
	t.Parallel()
	m := setup(t)
	m.places.Env = map[string]string{"CLAUDE_CONFIG_DIR": m.home("cfg")}
	m.skill(m.home(".agents/skills/a"), "user level")
	m.skill(m.home("cfg/skills/b"), "moved by a variable")
	m.skill(m.home("cfg/plugins/cache/v/p/1.0/skills/c"), "of a plugin")
	m.skill(m.home(".hermes/skills/writing/d"), "nested by category")
	m.skill(filepath.Join(m.places.Machine, "etc/codex/skills/e"), "of the administrator")
	m.skill(filepath.Join(m.places.Workspace, ".claude/skills/f"), "of the workspace")
	m.skill(filepath.Join(m.places.Workspace, "../.agents/skills/g"), "of the repository")
	m.skill(filepath.Join(m.places.Workspace, "../../.agents/skills/h"), "above the repository: not ours")
	m.skill(m.home("extra/i"), "by the path")
	m.places.Path = m.home("extra") + string(filepath.ListSeparator) + m.home("nowhere")
	x, report := m.scan()
	want := []string{"agents:user/a", "claude:user/b", "claude:plugin/c", "hermes:user/d", "codex:admin/e", "claude:project/f", "agents:project/g", "path:user/i"}
	if diff := cmp.Diff(want, names(x)); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	for _, s := range x.Skills {
		if s.Trusted != (s.Tier != skills.TierProject) {
			t.Errorf("%s: trusted %v", s.FullName(), s.Trusted)
		}
	}
	if len(report.Roots) != 8 || len(report.Unusable) != 0 {
		t.Errorf("report %+v", report)
	}
	m.places.Trusted = []string{filepath.Dir(m.places.Workspace)}
	if x, _ = m.scan(); !x.Skills[5].Trusted || !x.Skills[6].Trusted {
		t.Error("project skills stay untrusted in a trusted folder")
	}
}

func TestScanIsNotLedAstray(t *testing.T) {
	t.Parallel()
	m := setup(t)
	root := m.home(".agents/skills")
	m.skill(filepath.Join(root, "good"), "a skill")
	m.skill(filepath.Join(root, "good/examples/inner"), "belongs to good")
	m.skill(filepath.Join(root, ".git/x"), "not a skill")
	m.skill(filepath.Join(root, "node_modules/x"), "not a skill")
	m.skill(filepath.Join(root, "a/b/c/d/e/f/g"), "too deep")
	m.write(filepath.Join(root, "lower/skill.md"), "---\nname: lower\ndescription: other spelling\n---\nB\n")
	m.write(filepath.Join(root, "broken/SKILL.md"), "no front matter")
	m.skill(m.home("outside/out"), "outside")
	links := map[string]string{
		filepath.Join(root, "out"):             m.home("outside/out"),
		filepath.Join(root, "loop"):            root,
		filepath.Join(root, "odd", "SKILL.md"): m.home("outside/out/SKILL.md"),
		filepath.Join(root, "dangling"):        m.home("nowhere"),
	}
	for at, to := range links {
		m.mkdir(filepath.Dir(at))
		if err := os.Symlink(to, at); err != nil {
			t.Skip("no links on this system")
		}
	}
	x, report := m.scan()
	if diff := cmp.Diff([]string{"agents:user/broken", "agents:user/good", "agents:user/lower"}, names(x)); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	reasons := map[string]string{}
	for _, u := range report.Unusable {
		rel, _ := filepath.Rel(root, u.File)
		reasons[rel] = u.Reason
	}
	for file, part := range map[string]string{"broken/SKILL.md": "E_FRONTMATTER_MISSING", "out": "out of the root", "odd/SKILL.md": "out of the root"} {
		if !strings.Contains(reasons[filepath.FromSlash(file)], part) {
			t.Errorf("%s: reason %q, want %q in it", file, reasons[file], part)
		}
	}
	if len(reasons) != 3 || report.Roots[0].Count != 2 {
		t.Errorf("unusable %v, roots %+v", reasons, report.Roots)
	}
}

func TestScanReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	m := setup(t)
	root := m.home(".agents/skills")
	file := m.skill(filepath.Join(root, "a"), "one")
	m.skill(filepath.Join(root, "b"), "two")
	before, report := m.scan()
	if report.Read != 2 || report.Cached != 0 {
		t.Fatalf("first scan: %+v", report)
	}
	if _, report = m.scan(); report.Read != 0 || report.Cached != 2 {
		t.Errorf("unchanged: read %d, cached %d", report.Read, report.Cached)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	m.skill(filepath.Join(root, "a"), "eno") // the same size
	if err := os.Chtimes(file, time.Time{}, info.ModTime().Add(time.Nanosecond)); err != nil {
		t.Fatal(err)
	}
	after, report := m.scan()
	if report.Read != 1 || after.Skills[0].Description != "eno" {
		t.Errorf("one changed: read %d, description %q", report.Read, after.Skills[0].Description)
	}
	if _, err := Load(before.Skills[0]); !errors.Is(err, ErrChanged) {
		t.Errorf("Load of the old one: %v, want ErrChanged", err)
	}
	if text, err := Load(after.Skills[0]); err != nil || !strings.HasSuffix(text, "Body.\n") {
		t.Errorf("Load = %q, %v", text, err)
	}
	m.skill(filepath.Join(root, "c"), "three")
	if err := os.RemoveAll(filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	if x, _ := m.scan(); len(x.Skills) != 2 || x.Skills[1].Name != "c" {
		t.Errorf("after one came and one went: %v", names(x))
	}
}

func TestScanDoesNotBelieveAFreshStamp(t *testing.T) {
	t.Parallel()
	m := setup(t)
	m.places.Now = time.Now
	file := m.skill(m.home(".agents/skills/a"), "one")
	m.scan()
	info, _ := os.Stat(file)
	m.skill(m.home(".agents/skills/a"), "two")
	if err := os.Chtimes(file, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if x, _ := m.scan(); x.Skills[0].Description != "two" {
		t.Error("an edit within the tick of the clock was not seen")
	}
}

func TestHostsTableIsSound(t *testing.T) {
	t.Parallel()
	hosts, err := Hosts()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, h := range hosts {
		if h.Host == "" || seen[h.Host] || len(h.User)+len(h.Project) == 0 {
			t.Errorf("host %+v is nameless, doubled or empty", h)
		}
		seen[h.Host] = true
		for _, p := range h.Project {
			if filepath.IsAbs(p) || strings.HasPrefix(p, "~") {
				t.Errorf("%s: project folder %s is not relative", h.Host, p)
			}
		}
	}
	if _, err := ReadHosts([]byte("- host: x\n  usre: [a]\n")); err == nil {
		t.Error("an unknown field is not refused")
	}
}
