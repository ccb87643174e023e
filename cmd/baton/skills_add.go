package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/disk"
)

// registered is the answer to `skills add`.
type registered struct {
	Registered []string `json:"registered"` // names of the skills found there
	Removed    bool     `json:"removed,omitempty"`
	disk.Added
}

// skillsAdd puts a folder on the list of places. Whoever names it vouches for it.
func (a *app) skillsAdd() *cobra.Command {
	added, remove := disk.Added{}, false
	return a.verb(verb{
		use: "add PATH [--tier T] [--origin TEXT]", short: "look for skills in one more folder from now on", args: between(0, "PATH"),
		example: `
baton skills add ~/work/team-skills
baton skills add ./my-skill --tier remote --origin "from a colleague"`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&added.Path, "path", "", a.say("the `PATH`, for whoever writes it as a flag"))
			f.StringVar(&added.Tier, "tier", skills.TierUser, a.say("what it counts as: `"+strings.Join(skills.Tiers, "|")+"`"))
			f.StringVar(&added.Origin, "origin", "", a.say("where it came from, for people"))
			f.BoolVar(&remove, "remove", false, a.say("take the folder off the list again"))
		},
		run: func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				added.Path = args[0]
			}
			if added.Path == "" {
				return sessions.Refuse(sessions.Usage, "argument_missing", "see `baton skills add -h`", "baton skills add needs PATH")
			}
			if !slices.Contains(skills.Tiers, added.Tier) {
				return sessions.Refuse(sessions.Usage, "bad_tier", "use one of "+strings.Join(skills.Tiers, ", "), "--tier %q is no tier", added.Tier)
			}
			if remove {
				return a.forgetSkills(added)
			}
			return a.addSkills(ctx, added)
		},
	})
}

func (a *app) addSkills(ctx context.Context, added disk.Added) error {
	folder, err := skillFolder(added.Path)
	if err != nil {
		return err
	}
	added.Path = folder
	list, err := disk.Check(ctx, folder, skills.Parse)
	if err != nil {
		return err
	}
	out := registered{Added: added, Registered: []string{}}
	for _, c := range list {
		if c.Usable {
			out.Registered = append(out.Registered, c.Name)
		}
	}
	if len(out.Registered) == 0 {
		return sessions.Refuse(sessions.Failed, "no_usable_skill", "see `baton skills validate`", "there is no usable skill in %q", folder)
	}
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	if err := home.Add(added); err != nil {
		return err
	}
	return a.answer(out, func(p *page) error {
		p.line("%s: %s", out.Path, join(out.Registered))
		return nil
	})
}

// skillFolder is the folder that a path names, by itself or by its SKILL.md.
func skillFolder(path string) (string, error) {
	folder, err := filepath.Abs(path)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	info, stat := os.Stat(folder)
	if err != nil || stat != nil {
		return "", sessions.Refuse(sessions.NotFound, "folder_not_found", "name a folder that is there", "%q is no folder", path)
	}
	if !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	return folder, nil
}

func (a *app) forgetSkills(added disk.Added) error {
	folder, err := filepath.Abs(added.Path)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real // a folder that is gone stays on the list by its name
	}
	home, err := a.homeDir()
	if err != nil {
		return err
	}
	removed, err := home.Forget(folder)
	if err != nil {
		return err
	}
	if !removed {
		return sessions.Refuse(sessions.NotFound, "not_added", "list them with `baton skills sources`", "%q is not on the list of added folders", folder)
	}
	out := registered{Registered: []string{}, Removed: true, Added: disk.Added{Path: folder, Tier: added.Tier}}
	return a.answer(out, func(p *page) error { p.line("%s is no longer looked into", folder); return nil })
}
