package acquire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/batonflow/baton/skills"
	"github.com/batonflow/baton/skills/audit"
)

// skillFile is the file that makes a folder a skill.
const skillFile = "SKILL.md"

// Folder reads a skill's folder for an audit. Links are named and not followed, the folders of a
// version control system are left out. It fails with [ErrTooLarge] beyond the limits of a package.
func Folder(ctx context.Context, dir string) ([]audit.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	defer root.Close()
	var files []audit.File
	var size int64
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.IsDir():
			if base := path.Base(name); base == ".git" || base == ".hg" || base == ".svn" {
				return fs.SkipDir
			}
			return nil
		case name == ManifestFile:
			return nil
		}
		if len(files) == MaxEntries {
			return fmt.Errorf("%w: more than %d files", ErrTooLarge, MaxEntries)
		}
		f, err := readForAudit(root, name, d)
		if err != nil {
			return err
		}
		if size += int64(len(f.Data)); size > MaxSize {
			return fmt.Errorf("%w: more than %d MiB", ErrTooLarge, MaxSize>>20)
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

func readForAudit(root *os.Root, name string, d fs.DirEntry) (audit.File, error) {
	if !d.Type().IsRegular() {
		return audit.File{Path: name, Link: true}, nil
	}
	f, err := root.Open(name)
	if err != nil {
		return audit.File{}, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return audit.File{}, fmt.Errorf("read %s: %w", name, err)
	}
	return audit.File{Path: name, Data: data}, nil
}

// Audit audits files as one skill. known are names that a look-alike may be after.
func Audit(files []audit.File, known []string) (audit.Report, error) {
	about := audit.About{Known: known}
	for _, f := range files {
		if f.Path != skillFile || f.Link {
			continue
		}
		s, _ := skills.Parse(f.Path, f.Data)
		about.Name, about.Description, about.AllowedTools = s.Name, s.Description, s.AllowedTools
	}
	return audit.Run(files, about)
}

// ErrTooLarge says that something is larger than a package of a skill may be.
var ErrTooLarge = errors.New("too large")
