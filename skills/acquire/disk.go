package acquire

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/batonflow/baton/stream/file"
)

// writeWhole puts a file in place in one step, in a folder that need not be there.
func writeWhole(at string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return file.Keep(at, data, mode)
}

// copyTree copies the files of one folder into another that is new, and flushes all of it. Only
// regular files and folders are copied; the rest was refused before.
func copyTree(from, to *os.Root) error {
	var dirs []string
	err := fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			dirs = append(dirs, name)
			if name == "." {
				return nil
			}
			return to.Mkdir(name, 0o755)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", name)
		}
		return copyFile(from, to, name)
	})
	if err != nil {
		return err
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		if err := syncRooted(to, dirs[i]); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to *os.Root, name string) error {
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return writeRooted(to, name, in, fileMode(info.Mode()))
}

// fileMode keeps of a mode whether it may be run.
func fileMode(m fs.FileMode) fs.FileMode {
	if m&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// writeRooted writes a new file below a root and flushes it.
func writeRooted(root *os.Root, name string, from io.Reader, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

func syncRooted(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// mkdirs makes the folders above a file below a root.
func mkdirs(root *os.Root, name string) error {
	if dir := path.Dir(name); dir != "." {
		return root.MkdirAll(dir, 0o755)
	}
	return nil
}
