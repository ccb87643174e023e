package acquire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source is a place that packages come from.
type Source interface {
	// Places gives where a file of a version may be had, in the order in which to try.
	Places(e Entry, version string) []string
	// Open gives the file from an offset on, the offset that it really begins at (0 where the place
	// cannot go on) and its whole size (-1: not known). It fails with [fs.ErrNotExist] where there is
	// none, and with an error that errRetry matches where another try may help.
	Open(ctx context.Context, place string, offset int64) (body io.ReadCloser, at, size int64, err error)
}

// errRetry says that another try may help.
var errRetry = errors.New("try again")

// sources are the kinds of source by name.
func (s Shop) sources() map[string]Source {
	web := newWeb(s.Env)
	return map[string]Source{"github": github{web, s.Mirrors}, "https": https{web}, "dir": dir{}}
}

// Kinds are the names of the kinds of source.
func Kinds() []string { return []string{"dir", "github", "https"} }

// fill puts slug and version into a pattern, for an address escaped.
func fill(pattern string, e Entry, version string, escape func(string) string) string {
	return strings.NewReplacer("{slug}", escape(e.Slug), "{version}", escape(version)).Replace(pattern)
}

func asIs(s string) string { return s }

// github has packages in the releases of a repository.
type github struct {
	web
	mirrors []string
}

// Places are the mirrors and then github.com itself.
func (g github) Places(e Entry, version string) []string {
	name := fill(e.Asset, e, version, url.PathEscape)
	var out []string
	for _, base := range append(slices.Clone(g.mirrors), "https://github.com") {
		out = append(out, fmt.Sprintf("%s/%s/releases/download/%s/%s", strings.TrimSuffix(base, "/"), e.Repo, url.PathEscape(version), name))
	}
	return out
}

// https has packages at an address.
type https struct{ web }

// Places is the entry's address, with the asset's name behind it where it ends with a slash.
func (https) Places(e Entry, version string) []string {
	address := fill(e.URL, e, version, url.PathEscape)
	if strings.HasSuffix(address, "/") {
		asset := e.Asset
		if asset == "" {
			asset = DefaultAsset
		}
		address += fill(asset, e, version, url.PathEscape)
	}
	return []string{address}
}

// dir has packages in a folder of this machine.
type dir struct{}

// Places is the file in the entry's folder.
func (dir) Places(e Entry, version string) []string {
	return []string{filepath.Join(e.Dir, fill(e.Asset, e, version, asIs))}
}

// Open opens the file.
func (dir) Open(_ context.Context, place string, offset int64) (io.ReadCloser, int64, int64, error) {
	f, err := os.Open(place)
	if err != nil {
		return nil, 0, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, 0, 0, errors.Join(err, f.Close())
	}
	return f, offset, info.Size(), nil
}
