package intent

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

//go:embed vocabulary.yaml
var vocabularyFile []byte

// vocabulary is the file vocabulary.yaml, which explains its fields.
type vocabulary struct {
	Types     []actionType `yaml:"types"`
	Make      []string     `yaml:"make"`
	Yield     []string     `yaml:"yield"`
	Drawing   []string     `yaml:"drawing"`
	Product   []string     `yaml:"product"`
	Gather    []string     `yaml:"gather"`
	Shields   []string     `yaml:"shields"`
	Negations []string     `yaml:"negations"`
	After     []string     `yaml:"after"`
	First     []string     `yaml:"first"`
	Joins     []string     `yaml:"joins"`
	Material  []string     `yaml:"material"`
	Domains   []struct {
		Domain string   `yaml:"domain"`
		Words  []string `yaml:"words"`
	} `yaml:"domains"`
	Labels []struct {
		Types []string `yaml:"types"`
		Label string   `yaml:"label"`
	} `yaml:"labels"`

	byType  map[string]actionType
	entries map[string]sense // by Chinese word or stemmed English phrase
	longest int              // characters of the longest Chinese entry
}

type actionType struct {
	Type   string   `yaml:"type"`
	Needs  []string `yaml:"needs"`
	Skills []string `yaml:"skills"`
	Open   bool     `yaml:"open"` // the object may make it another type
	Verbs  []string `yaml:"verbs"`
	Nouns  []string `yaml:"nouns"`
	order  int
}

// role is what a word does to the reading beside naming an action or a thing.
type role int

const (
	none role = iota
	makes
	yields
	shields
	negates
	comesAfter
	comesFirst
	joins
	gives // material follows
)

// sense is all that a word of the vocabulary can be.
type sense struct {
	verb, noun      string // action types
	role            role
	drawing, gather bool
}

// embedded is the vocabulary of the binary; that it loads is checked by a test.
var embedded = sync.OnceValues(func() (*vocabulary, error) { return load(vocabularyFile) })

func load(file []byte) (*vocabulary, error) {
	v := &vocabulary{byType: map[string]actionType{}, entries: map[string]sense{}}
	dec := yaml.NewDecoder(bytes.NewReader(file))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		return nil, fmt.Errorf("read the intent vocabulary: %w", err)
	}
	for i, t := range v.Types {
		t.order = i
		v.byType[t.Type] = t
		v.each(t.Verbs, func(s *sense) { s.verb = t.Type })
		v.each(t.Nouns, func(s *sense) { s.noun = t.Type })
	}
	v.each(v.Drawing, func(s *sense) { s.drawing = true })
	v.each(v.Gather, func(s *sense) { s.gather = true })
	for _, list := range []struct {
		words []string
		role  role
	}{{v.Make, makes}, {v.Yield, yields}, {v.Shields, shields}, {v.Negations, negates}, {v.After, comesAfter}, {v.First, comesFirst}, {v.Joins, joins}, {v.Material, gives}} {
		v.each(list.words, func(s *sense) { s.role = list.role })
	}
	return v, nil
}

func (v *vocabulary) each(list []string, set func(*sense)) {
	for _, word := range list {
		key := entryKey(word)
		s := v.entries[key]
		set(&s)
		v.entries[key] = s
		v.longest = max(v.longest, utf8.RuneCountInString(word))
	}
}

// entryKey is a Chinese word as it is, an English one by the stems of its words.
func entryKey(word string) string {
	if strings.ContainsFunc(word, words.CJK) {
		return word
	}
	parts := strings.Fields(word)
	for i, p := range parts {
		parts[i] = words.Stem(p)
	}
	return strings.Join(parts, " ")
}
