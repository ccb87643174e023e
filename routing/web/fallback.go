package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed site-fallbacks.json
	fallbacksFile []byte
	//go:embed site-fallbacks.schema.json
	fallbacksSchema []byte
)

// FallbacksSchema is the JSON Schema of a list of official entries.
func FallbacksSchema() []byte { return bytes.Clone(fallbacksSchema) }

// Fallback is an official entry of a site, for when nothing can search: its own search, its home or a
// list of what leads there.
type Fallback struct {
	ID              string   `json:"id"`
	Category        string   `json:"category,omitempty"` // search, home or ranking
	URLTemplate     string   `json:"url_template"`       // {query} stands for the query, at most once
	OfficialDomains []string `json:"official_domains"`
}

var embeddedFallbacks = sync.OnceValues(func() ([]Fallback, error) { return ReadFallbacks(fallbacksFile) })

// DefaultFallbacks are the official entries of the binary, in the order in which they are tried.
func DefaultFallbacks() ([]Fallback, error) {
	list, err := embeddedFallbacks()
	return slices.Clone(list), err
}

// ReadFallbacks reads and checks a JSON list of official entries: each must give an official address.
func ReadFallbacks(file []byte) ([]Fallback, error) {
	var list []Fallback
	if err := readStrict(file, &list); err != nil {
		return nil, fmt.Errorf("%w: site fallbacks: %w", ErrTables, err)
	}
	if err := checkFallbacks(list); err != nil {
		return nil, fmt.Errorf("%w: site fallbacks: %w", ErrTables, err)
	}
	return list, nil
}

func checkFallbacks(list []Fallback) error {
	seen := map[string]bool{}
	for i, f := range list {
		switch {
		case f.ID == "" || seen[f.ID]:
			return fmt.Errorf("entry %d has no id of its own", i+1)
		case !slices.Contains([]string{"search", "home", "ranking"}, f.Category):
			return fmt.Errorf("%s: the category %q is none of search, home, ranking", f.ID, f.Category)
		case slices.ContainsFunc(f.OfficialDomains, func(d string) bool { return !strings.Contains(d, ".") }):
			return fmt.Errorf("%s: an official domain covers a whole top level", f.ID)
		}
		if _, err := f.Entry("a query"); err != nil {
			return fmt.Errorf("%s: %w", f.ID, err)
		}
		seen[f.ID] = true
	}
	return nil
}

// Entry gives the address for a query, official as the entry says. The error is a [Fault].
func (f Fallback) Entry(query string) (string, error) {
	address, err := Fill(f.URLTemplate, query)
	if err != nil {
		return "", err
	}
	if _, err := Official(address, f.OfficialDomains); err != nil {
		return "", err
	}
	return address, nil
}

// placeholder is where the query goes in a template.
const placeholder = "{query}"

// Fill puts a query into a template, trimmed and escaped so that it can begin no other part of the
// address. The error is a [Fault].
func Fill(template, query string) (string, error) {
	before, after, holds := strings.Cut(template, placeholder)
	if strings.ContainsAny(before+after, "{}") {
		return "", ErrTemplate
	}
	if !holds {
		return template, nil
	}
	if _, rest, ok := strings.Cut(before, "://"); !ok || !strings.ContainsAny(rest, "/?#") {
		return "", ErrTemplateHost
	}
	query = strings.TrimSpace(query)
	if query == "" {
		return "", ErrQueryEmpty
	}
	return before + encode(query) + after, nil
}

// readStrict reads one JSON value; a field that nobody knows is an error, for a misspelt rule would
// silently not hold.
func readStrict(file []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(file[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("more text after the JSON value, from byte %d on", dec.InputOffset())
	}
	return nil
}
