package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// storeLimit is how large the store may become: what is asked for, but at most most of what it has and what is
// free together, which does not change as the store grows.
func storeLimit(dir string, asked int64) (int64, error) {
	free, _, err := diskOf(dir)
	if err != nil {
		return 0, err
	}
	used, err := usedBy(dir)
	if err != nil {
		return 0, err
	}
	room := max(used, int64(float64(used+free)*shareOfDisk))
	if asked > 0 {
		return min(asked, room), nil
	}
	return room, nil
}

func usedBy(dir string) (int64, error) {
	var used int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		used += info.Size()
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("look at the store's size: %w", err)
	}
	return used, nil
}
