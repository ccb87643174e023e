package disk

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/batonflow/baton/skills"
)

// Checked is what the reader says of one SKILL.md.
type Checked struct {
	Path        string           `json:"path"`
	Usable      bool             `json:"usable"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Findings    []skills.Finding `json:"findings"`
}

// Valid says that nothing in the file breaks a rule.
func (c Checked) Valid() bool {
	return !slices.ContainsFunc(c.Findings, func(f skills.Finding) bool { return f.Level == skills.LevelError })
}

// Reader gives a skill and what is wrong with it: [skills.Parse] or [skills.Standard].
type Reader func(path string, file []byte) (skills.Skill, []skills.Finding)

// Check reads the SKILL.md at a path, that of a skill's folder, or those of all skills below a
// folder, in the order of their paths. The error is for a path that is not there.
func Check(ctx context.Context, path string, read Reader) ([]Checked, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("check skills: %w", err)
	}
	if !info.IsDir() {
		return []Checked{checkFile(filepath.Dir(path), path, read)}, nil
	}
	if file, ok := skillFile(path); ok {
		return []Checked{checkFile(path, file, read)}, nil
	}
	_, report, err := Scan(ctx, Places{Path: path, Hosts: []Host{}}, nil)
	if err != nil {
		return nil, err
	}
	var out []Checked
	seen := map[string]bool{}
	for _, file := range report.Files {
		seen[file] = true
		out = append(out, checkFile(filepath.Dir(file), file, read))
	}
	for _, u := range report.Unusable {
		if !seen[u.File] {
			out = append(out, Checked{Path: u.File, Findings: []skills.Finding{skills.Unreadable(u.Reason)}})
		}
	}
	slices.SortFunc(out, func(a, b Checked) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// skillFile finds the SKILL.md of a folder; the exact name goes before other spellings.
func skillFile(dir string) (string, bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	found := ""
	for _, e := range entries {
		if strings.EqualFold(e.Name(), "SKILL.md") && (found == "" || e.Name() == "SKILL.md") {
			found = e.Name()
		}
	}
	return filepath.Join(dir, found), found != ""
}

func checkFile(folder, file string, read Reader) Checked {
	out := Checked{Path: file, Findings: []skills.Finding{}}
	dir, err := os.OpenRoot(folder)
	if err != nil {
		out.Findings = append(out.Findings, skills.Unreadable(err.Error()))
		return out
	}
	defer dir.Close()
	data, err := readRegular(dir, folder, file)
	if err != nil {
		out.Findings = append(out.Findings, skills.Unreadable(err.Error()))
		return out
	}
	s, found := read(file, data)
	out.Usable, out.Name, out.Description = s.Usable, s.Name, s.Description
	out.Findings = append(out.Findings, found...)
	return out
}
