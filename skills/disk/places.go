// Package disk finds the skills of a machine and reads them.
//
// Every agent keeps skills in folders of its own; the table of hosts (hosts.yaml) says where.
// [Scan] walks them all and gives one [skills.Index] and a [Report] of what it saw, with the reason
// for each file that cannot be used. It follows no link out of a root, opens nothing but regular
// files, and with the [Cache] of an earlier scan it reads only what changed.
//
// The environment is a parameter: home, workspace, variables and trust come in with [Places].
package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/batonflow/baton/skills"
)

// Places says where to look. The zero value finds nothing.
type Places struct {
	Home      string            // the user's home folder
	Workspace string            // the current folder; project folders are looked for from here upwards
	Path      string            // BATON_SKILLS_PATH: more roots, separated as PATH is; they count as trusted
	Added     []Added           // roots that a person named one by one
	Trusted   []string          // folders whose project skills may be chosen, with all below them
	Env       map[string]string // variables that hosts.yaml names, such as CLAUDE_CONFIG_DIR
	Machine   string            // put before absolute paths of hosts.yaml; empty for the real machine
	Hosts     []Host            // instead of the embedded table
	Now       func() time.Time  // nil means time.Now
}

// Added is a folder of skills that no host has a place for, and the tier that it counts as.
type Added struct {
	Path   string `json:"path"`
	Tier   string `json:"tier"`
	Origin string `json:"origin,omitempty"` // where it came from, for people
}

// Root is one folder that was searched.
type Root struct {
	Tier    string `json:"tier"`
	Host    string `json:"host"`
	Root    string `json:"root"`
	Trusted bool   `json:"trusted"`
	Count   int    `json:"count"`             // usable skills found in it
	Project string `json:"project,omitempty"` // whose trust it needs
}

// roots lists the existing folders to search, each once: what the user has for himself first, so
// that a workspace at home does not turn his skills into a project's.
func (p Places) roots() ([]Root, error) {
	hosts := p.Hosts
	if hosts == nil {
		var err error
		if hosts, err = Hosts(); err != nil {
			return nil, err
		}
	}
	g := gathering{seen: map[string]bool{}}
	for _, h := range hosts {
		g.addAll(p, h.User, Root{Tier: skills.TierUser, Host: h.Host, Trusted: true})
		g.addAll(p, h.Plugin, Root{Tier: skills.TierPlugin, Host: h.Host, Trusted: true})
		g.addAll(p, h.Admin, Root{Tier: skills.TierAdmin, Host: h.Host, Trusted: true})
		g.addAll(p, h.Builtin, Root{Tier: skills.TierBuiltin, Host: h.Host, Trusted: true})
		g.addAll(p, h.Connector, Root{Tier: skills.TierConnector, Host: h.Host, Trusted: true})
	}
	for _, dir := range filepath.SplitList(p.Path) {
		if abs, err := filepath.Abs(dir); dir != "" && err == nil {
			g.add(abs, Root{Tier: skills.TierUser, Host: "path", Trusted: true})
		}
	}
	for _, a := range p.Added {
		g.add(a.Path, Root{Tier: a.Tier, Host: "added", Trusted: true})
	}
	for _, level := range p.levels() {
		trusted := p.trusts(level)
		for _, h := range hosts {
			for _, folder := range h.Project {
				g.add(filepath.Join(level, folder), Root{Tier: skills.TierProject, Host: h.Host, Trusted: trusted, Project: level})
			}
		}
	}
	return g.roots, nil
}

type gathering struct {
	roots []Root
	seen  map[string]bool
}

func (g *gathering) addAll(p Places, patterns []string, as Root) {
	for _, pattern := range patterns {
		path, ok := p.expand(pattern)
		if !ok {
			continue
		}
		if !strings.Contains(pattern, "*") {
			g.add(path, as)
			continue
		}
		matches, err := filepath.Glob(path)
		if err != nil {
			continue // a home folder with a bracket in its name is no pattern
		}
		slices.Sort(matches)
		for _, m := range matches {
			g.add(m, as)
		}
	}
}

// add keeps a root by the folder that it really is; what does not exist is no root.
func (g *gathering) add(path string, as Root) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || g.seen[real] {
		return
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return
	}
	g.seen[real] = true
	as.Root = real
	g.roots = append(g.roots, as)
}

// levels are the workspace and the folders above it up to the root of its repository. Outside a
// repository it is the workspace alone: what lies above belongs to somebody else.
func (p Places) levels() []string {
	if p.Workspace == "" {
		return nil
	}
	var out []string
	for dir := filepath.Clean(p.Workspace); ; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return out
		}
		if dir == filepath.Dir(dir) {
			return out[:1]
		}
	}
}

func (p Places) trusts(dir string) bool {
	dir = resolved(dir)
	for _, t := range p.Trusted {
		if within(resolved(t), dir) {
			return true
		}
	}
	return false
}

func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// within says whether path is root or lies below it.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
