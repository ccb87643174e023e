package disk

import (
	"errors"
	"fmt"
	"os"

	"github.com/batonflow/baton/skills"
)

// ErrChanged is a SKILL.md that is not what the index knows; scan again.
var ErrChanged = errors.New("E_SKILL_CHANGED: the file changed since it was scanned; scan again")

// Load reads the whole SKILL.md of a skill when it is activated. With [ErrChanged] the text is
// given all the same, for whoever wants to go on with it.
func Load(s skills.Skill) (string, error) {
	dir, err := os.OpenRoot(s.Path)
	if err != nil {
		return "", fmt.Errorf("load skill %s: %w", s.Name, err)
	}
	defer dir.Close()
	data, err := readRegular(dir, s.Path, s.File)
	if err != nil {
		return "", fmt.Errorf("load skill %s from %s: %w", s.Name, s.File, err)
	}
	if now, _ := skills.Parse(s.File, data); now.Hash != s.Hash {
		return string(data), fmt.Errorf("load skill %s: %w", s.Name, ErrChanged)
	}
	return string(data), nil
}
