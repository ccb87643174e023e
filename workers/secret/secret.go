// Package secret replaces references like ${env:NAME} and ${file:PATH} by what they name, at the moment
// it is needed and nowhere else.
//
// Templates and configuration name a secret by its place, so that none stands in a log that forgets
// nothing. Whoever carries out an attempt makes one [Book] for it, resolves what it sends, and masks
// what it says about a failure: a service may repeat what it was given in its answer.
package secret

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/batonflow/baton/workflows/template"
)

// leastMasked is the length in bytes from which a value is masked. What is shorter is no secret, and
// masking it would make a message unreadable.
const leastMasked = 4

// mask stands where a secret stood.
const mask = "•••"

// Book resolves the references of one attempt and remembers what they gave.
type Book struct {
	Env    map[string]string                       // looked at first for ${env:NAME}
	Lookup func(kind, name string) (string, error) // asked for all else; nil: nothing is found

	known []string
}

// Resolve gives the text with its references replaced. It fails as Lookup does, or with
// [template.ErrExpression]; the error holds no secret.
func (b *Book) Resolve(text string) (string, error) { return template.Resolve(text, b.lookup) }

// ResolveAll resolves every value; the error names the key.
func (b *Book) ResolveAll(texts map[string]string) (map[string]string, error) {
	resolved := make(map[string]string, len(texts))
	for key, text := range texts {
		value, err := b.Resolve(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		resolved[key] = value
	}
	return resolved, nil
}

func (b *Book) lookup(kind, name string) (string, error) {
	value, known := "", false
	if kind == template.FromEnv {
		value, known = b.Env[name]
	}
	if !known {
		if b.Lookup == nil {
			return "", fmt.Errorf("%s:%s cannot be looked up here", kind, name)
		}
		var err error
		if value, err = b.Lookup(kind, name); err != nil {
			return "", err
		}
	}
	b.known = append(b.known, value)
	return value, nil
}

// Mask gives the text without the secrets that were resolved so far.
func (b *Book) Mask(text string) string {
	longest := slices.SortedFunc(slices.Values(b.known), func(x, y string) int { return cmp.Compare(len(y), len(x)) })
	for _, value := range longest { // one may be a part of another
		if len(value) >= leastMasked {
			text = strings.ReplaceAll(text, value, mask)
		}
	}
	return text
}
