package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/batonflow/baton/sessions"
	"github.com/batonflow/baton/skills/disk"
)

// places says where this process looks for skills, whatever the workspace.
func places(home Home, env map[string]string) disk.Places {
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	env["BATON_HOME"] = home.Dir
	return disk.Places{Home: env["HOME"], Path: env["BATON_SKILLS_PATH"], Trusted: filepath.SplitList(env["BATON_TRUST"]), Env: env}
}

// places are the library's own with the path that was asked for in front; what a person trusted or
// added is read each time, since somebody may have done so meanwhile.
func (l *Library) places(path string) (disk.Places, error) {
	p := l.Places
	if path != "" {
		p.Path = path
	}
	p.Trusted = append(slices.Clone(p.Trusted), l.Home.Trusted()...)
	var err error
	p.Added, err = l.Home.Added()
	return p, err
}

// addedFile lists the folders that `skills add` named.
const addedFile = "skills-added.json"

// Added lists the folders of skills that a person named one by one.
func (h Home) Added() ([]disk.Added, error) {
	raw, err := os.ReadFile(h.path(addedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []disk.Added
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		return nil, sessions.Refuse(sessions.Damaged, "added_unreadable", "mend the file, or remove it and add the folders again",
			"the list of added skills %s cannot be read: %v", h.path(addedFile), err)
	}
	return list, nil
}

// Add puts a folder on that list; one that is there already gets its new tier and origin.
func (h Home) Add(a disk.Added) error {
	if err := h.Open(); err != nil {
		return err
	}
	list, err := h.Added()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(list, func(b disk.Added) bool { return b.Path == a.Path }); i >= 0 {
		list[i] = a
	} else {
		list = append(list, a)
	}
	return h.keepAdded(list)
}

// Forget takes a folder off the list, and says whether it was on it.
func (h Home) Forget(path string) (bool, error) {
	list, err := h.Added()
	if err != nil {
		return false, err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(a disk.Added) bool { return a.Path == path })
	if len(left) == len(list) {
		return false, nil
	}
	return true, h.keepAdded(left)
}

func (h Home) keepAdded(list []disk.Added) error {
	raw, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the list of added skills: %w", err)
	}
	return h.write(addedFile, append(raw, '\n'))
}
