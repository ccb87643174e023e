package skill

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/routing/words"
)

//go:embed lexicon.yaml
var lexiconFile []byte

// lexicon joins words of one meaning and words of one field, and knows the words that say little. Its
// groups and fields are numbered.
type lexicon struct {
	groups  map[string][]int // by Chinese word, or English phrase of stems
	fields  map[string][]int // the same
	light   map[string]float64
	common  map[string]bool
	longest int // characters of the longest Chinese word
}

// phraseWords is the number of words of the longest English phrase.
const phraseWords = 4

// How much words count that nearly every request has, and those that only hold it together.
const (
	genericWeight = 0.5
	fillerWeight  = 0.1
)

var embedded = sync.OnceValues(func() (*lexicon, error) { return loadLexicon(string(lexiconFile)) })

// ErrLexicon is a lexicon that does not parse or check.
var ErrLexicon = errors.New("E_LEXICON: the lexicon is not valid; mend the file or remove it")

//go:embed lexicon.schema.json
var lexiconSchema []byte

// LexiconSchema is the JSON Schema of a lexicon.
func LexiconSchema() []byte { return bytes.Clone(lexiconSchema) }

var checkedLexicon = sync.OnceValues(func() (*table.Schema, error) { return table.Compile(lexiconSchema) })

// lexiconText is a lexicon as it is written.
type lexiconText struct {
	Groups  [][]string `yaml:"groups"`
	Fields  [][]string `yaml:"fields"`
	Generic []string   `yaml:"generic"`
	Filler  []string   `yaml:"filler"`
	Common  []string   `yaml:"common"`
}

// loadLexicon reads texts, each added to those before it.
func loadLexicon(texts ...string) (*lexicon, error) {
	schema, err := checkedLexicon()
	if err != nil {
		return nil, err
	}
	l := &lexicon{groups: map[string][]int{}, fields: map[string][]int{}, light: map[string]float64{}, common: map[string]bool{}}
	var all lexiconText
	for _, text := range texts {
		raw, err := table.Read[lexiconText]([]byte(text), schema)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrLexicon, err)
		}
		all.Groups, all.Fields = append(all.Groups, raw.Groups...), append(all.Fields, raw.Fields...)
		l.lighten(raw.Generic, genericWeight)
		l.lighten(raw.Filler, fillerWeight)
		for _, word := range raw.Common {
			l.common[lexiconKey(word)] = true
		}
	}
	l.enter(l.groups, all.Groups)
	l.enter(l.fields, all.Fields)
	return l, nil
}

// enter numbers lists of words.
func (l *lexicon) enter(into map[string][]int, lists [][]string) {
	for id, list := range lists {
		for _, word := range list {
			key := lexiconKey(word)
			if slices.Contains(into[key], id) {
				continue
			}
			into[key] = append(into[key], id)
			l.common[key] = true
			if strings.ContainsFunc(word, words.CJK) {
				l.longest = max(l.longest, utf8.RuneCountInString(word))
			}
		}
	}
}

func (l *lexicon) lighten(list []string, weight float64) {
	for _, word := range list {
		l.light[lexiconKey(word)] = weight
		l.common[lexiconKey(word)] = true
	}
}

// generic says whether a word says little by itself.
func (l *lexicon) generic(key string) bool { return l.light[key] > 0 }

func lexiconKey(word string) string {
	word = words.Fold(word)
	if strings.ContainsFunc(word, words.CJK) {
		return word
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '-' || r == '/' })
	for i, p := range parts {
		parts[i] = words.Porter(p)
	}
	return strings.Join(parts, " ")
}

// lightness gives for each byte of folded text how much the word there counts, where it is light.
func (l *lexicon) lightness(text string, st stems) map[int]float64 {
	out := map[int]float64{}
	for _, t := range terms(text, st) {
		if light := l.light[t.key]; light > 0 {
			for i := t.start; i < t.end; i++ {
				out[i] = light
			}
		}
	}
	return out
}
