package acquire

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
)

// Item is one file of a skill: enough to find that it was changed.
type Item struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Run    bool   `json:"run,omitempty"` // it may be executed
}

// Digest is one digest for a list of files, whatever their order.
func Digest(items []Item) string {
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, i := range items {
		fmt.Fprintf(h, "%s %d %t %q\n", i.SHA256, i.Size, i.Run, i.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ItemsOf lists the files below a folder, the manifest left out. Anything but files and folders fails.
func ItemsOf(dir string) ([]Item, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var items []Item
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || name == ManifestFile:
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", name)
		}
		item, err := itemOf(root, name)
		items = append(items, item)
		return err
	})
	return items, err
}

func itemOf(root *os.Root, name string) (Item, error) {
	f, err := root.Open(name)
	if err != nil {
		return Item{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return Item{}, errors.Join(err, f.Close())
	}
	sum, size, err := digestOf(f)
	return Item{Path: name, SHA256: sum, Size: size, Run: info.Mode()&0o111 != 0}, errors.Join(err, f.Close())
}

func digestOf(r io.Reader) (string, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	return sum(h), n, err
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// fileDigest is the SHA-256 of a file.
func fileDigest(file string) (string, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	digest, n, err := digestOf(f)
	return digest, n, errors.Join(err, f.Close())
}

// itemsOfPackage lists what a package unpacks to, read from the package itself.
func itemsOfPackage(p *pack) ([]Item, error) {
	items := make([]Item, 0, len(p.files))
	for _, f := range p.files {
		digest, n, err := digestOfEntry(f.entry)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{Path: f.name, SHA256: digest, Size: n, Run: f.entry.Mode()&0o111 != 0})
	}
	return items, nil
}

func digestOfEntry(f *zip.File) (string, int64, error) {
	r, err := f.Open()
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", f.Name, err)
	}
	digest, n, err := digestOf(io.LimitReader(r, MaxSize+1))
	return digest, n, errors.Join(err, r.Close())
}
