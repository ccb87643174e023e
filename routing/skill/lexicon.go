package skill

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/batonflow/baton/routing/words"
)

//go:embed lexicon.yaml
var lexiconFile []byte

// lexicon joins words of one meaning. Its groups are numbered.
type lexicon struct {
	groups  map[string][]int // by Chinese word, or English phrase of stems
	generic map[string]bool
	common  map[string]bool
	longest int // characters of the longest Chinese word
}

// phraseWords is the number of words of the longest English phrase.
const phraseWords = 3

var embedded = sync.OnceValues(func() (*lexicon, error) { return loadLexicon(lexiconFile) })

func loadLexicon(file []byte) (*lexicon, error) {
	var raw struct {
		Groups  [][]string `yaml:"groups"`
		Generic []string   `yaml:"generic"`
		Common  []string   `yaml:"common"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(file))
	dec.KnownFields(true)
	if err := dec.Decode(&raw); err != nil {
		return nil, fmt.Errorf("read the lexicon: %w", err)
	}
	l := &lexicon{groups: map[string][]int{}, generic: map[string]bool{}, common: map[string]bool{}}
	for id, group := range raw.Groups {
		for _, word := range group {
			key := lexiconKey(word)
			l.groups[key] = append(l.groups[key], id)
			l.common[key] = true
			if strings.ContainsFunc(word, words.CJK) {
				l.longest = max(l.longest, utf8.RuneCountInString(word))
			}
		}
	}
	for _, word := range raw.Generic {
		l.generic[lexiconKey(word)] = true
		l.common[lexiconKey(word)] = true
	}
	for _, word := range raw.Common {
		l.common[lexiconKey(word)] = true
	}
	return l, nil
}

func lexiconKey(word string) string {
	if strings.ContainsFunc(word, words.CJK) {
		return word
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '-' || r == '/' })
	for i, p := range parts {
		parts[i] = words.Stem(p)
	}
	return strings.Join(parts, " ")
}

// generics marks where generic words without a meaning of their own begin in folded text; in
// Chinese every character of one.
func (l *lexicon) generics(text string) map[int]bool {
	out := map[int]bool{}
	for _, t := range terms(text) {
		if l.generic[t.key] && len(l.groups[t.key]) == 0 {
			for i := t.start; i < t.end; i++ {
				out[i] = true
			}
		}
	}
	return out
}
