package local

import (
	"context"
	"path/filepath"
	"strings"
)

// cached lists the sections of *_cache.md that hold every word of the query; where none does, those
// that hold the subject.
func cached(ctx context.Context, workspace string, s settings) ([]Hit, error) {
	docs, err := documents(ctx, workspace, roots(workspace, s.Folders, "memory"))
	if err != nil {
		return nil, err
	}
	var all, about []Hit
	words := wordsOf(s.Query)
	subject := strings.ToLower(strings.TrimSpace(s.Subject))
	for _, d := range docs {
		if !strings.HasSuffix(strings.ToLower(filepath.Base(d.path)), "_cache.md") || ctx.Err() != nil {
			continue
		}
		for _, section := range sections(d.text()) {
			text := strings.ToLower(section)
			hit := Hit{Title: title(section), Path: d.shown, Text: excerpt(section, 0), Date: d.date()}
			if holdsAll(text, words) {
				all = append(all, hit)
			}
			if subject != "" && strings.Contains(text, subject) {
				about = append(about, hit)
			}
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	return about, nil
}

// wordsOf are the words of a query; those that only a search engine understands are left out.
func wordsOf(query string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if !strings.HasPrefix(w, "site:") {
			out = append(out, w)
		}
	}
	return out
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return len(words) > 0
}

// sections cuts a note where a heading begins.
func sections(text string) []string {
	var out []string
	var now strings.Builder
	end := func() {
		if s := strings.TrimSpace(now.String()); s != "" {
			out = append(out, s)
		}
		now.Reset()
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			end()
		}
		now.WriteString(line)
	}
	end()
	return out
}

func title(section string) string {
	first, _, _ := strings.Cut(section, "\n")
	return strings.TrimSpace(strings.TrimLeft(first, "# "))
}
