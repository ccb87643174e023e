package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	mostEntries = 50_000  // that are looked at in one search
	mostBytes   = 4 << 20 // of a file that is read; a larger one is told by its name only
)

// kinds of documents, the one that reads best first.
var kinds = []string{".md", ".json", ".txt", ".csv"}

// document is a file that may hit.
type document struct {
	path  string // whole
	shown string // from the workspace, if it lies there
	info  fs.FileInfo
}

func (d document) date() string {
	return d.info.ModTime().UTC().Truncate(time.Second).Format(time.RFC3339)
}

// text is what the document says; empty when it is too large or no text.
func (d document) text() string {
	if d.info.Size() > mostBytes {
		return ""
	}
	raw, err := os.ReadFile(d.path)
	if err != nil || !utf8.Valid(raw) {
		return "" // it hits by its name, or not at all
	}
	return string(raw)
}

// roots are the folders that are looked into: those that are configured, else the workspace's own.
func roots(workspace string, configured []string, own string) []string {
	if len(configured) == 0 {
		configured = []string{own}
	}
	var out []string
	for _, folder := range configured {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(workspace, folder)
		}
		if !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// documents lists the documents below folders. A folder that is not there has none.
func documents(ctx context.Context, workspace string, folders []string) ([]document, error) {
	var out []document
	seen := 0
	for _, root := range folders {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch seen++; {
			case ctx.Err() != nil || seen > mostEntries:
				return fs.SkipAll
			case err != nil && path == root && !errors.Is(err, fs.ErrNotExist):
				return err
			case err != nil:
				return nil // what cannot be read is not there
			case path != root && strings.HasPrefix(entry.Name(), "."), entry.IsDir() && entry.Name() == "node_modules",
				path == filepath.Join(workspace, "outputs"): // what Baton itself writes of its sessions
				if entry.IsDir() {
					return fs.SkipDir
				}
				return nil
			case !entry.Type().IsRegular() || !slices.Contains(kinds, strings.ToLower(filepath.Ext(path))):
				return nil
			}
			info, err := entry.Info()
			if err != nil {
				return nil
			}
			out = append(out, document{path, shown(workspace, path), info})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func shown(workspace, path string) string {
	if rel, err := filepath.Rel(workspace, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
