package local

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// pattern is what is asked for: a folder and what a file there is about.
type pattern struct {
	folder string // "": any
	about  string
}

// readPattern reads "memory/*solid-state batteries*". What is sought may itself hold a slash, so the
// folder ends where the first star stands.
func readPattern(text string) pattern {
	before, after, starred := strings.Cut(text, "*")
	if !starred {
		return pattern{about: strings.TrimSpace(text)}
	}
	return pattern{folder: strings.Trim(before, "/"), about: strings.TrimSpace(strings.Trim(after, "*"))}
}

// plain lets blanks, hyphens and underscores be one thing, as they are in names of files.
var plain = strings.NewReplacer("_", " ", "-", " ", ".", " ", "/", " ")

func alike(text string) string {
	return strings.Join(strings.Fields(plain.Replace(strings.ToLower(text))), " ")
}

// found is a hit with what decides its place.
type found struct {
	Hit
	kind   int
	byName bool
}

// files lists the documents that fit the pattern.
func files(ctx context.Context, workspace string, s settings) ([]Hit, error) {
	p := readPattern(s.Query)
	about := alike(p.about)
	if about == "" {
		return nil, nil
	}
	folders := roots(workspace, s.Folders, ".")
	for i := range folders {
		folders[i] = filepath.Join(folders[i], filepath.FromSlash(p.folder))
	}
	docs, err := documents(ctx, workspace, folders)
	if err != nil {
		return nil, err
	}
	var all []found
	for _, d := range docs {
		if ctx.Err() != nil {
			break
		}
		name := filepath.Base(d.path)
		byName := strings.Contains(alike(name), about)
		text := d.text()
		at := strings.Index(strings.ToLower(text), strings.ToLower(p.about))
		if !byName && at < 0 {
			continue
		}
		kind := slices.Index(kinds, strings.ToLower(filepath.Ext(name)))
		all = append(all, found{Hit{Title: name, Path: d.shown, Text: excerpt(text, at), Date: d.date()}, kind, byName})
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(truth(b.byName), truth(a.byName)), cmp.Compare(a.kind, b.kind), cmp.Compare(a.Path, b.Path))
	})
	hits := make([]Hit, len(all))
	for i, f := range all {
		hits[i] = f.Hit
	}
	return hits, nil
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

const (
	excerptBefore = 200 // bytes before the place that was found
	excerptBytes  = 1000
)

// excerpt is the text around a place, of whole characters; its beginning when the place is not known.
func excerpt(text string, at int) string {
	from := max(0, min(at, len(text))-excerptBefore)
	to := min(len(text), from+excerptBytes)
	return strings.TrimSpace(strings.ToValidUTF8(text[from:to], ""))
}
