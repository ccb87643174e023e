package intent

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/table"
	"github.com/batonflow/baton/routing/words"
)

//go:embed vocabulary.yaml
var vocabularyFile []byte

//go:embed addition.schema.json
var additionSchema []byte

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
	Asks      []string     `yaml:"asks"`
	Wishes    []string     `yaml:"wishes"`
	Subjects  []string     `yaml:"subjects"`
	Speaks    []string     `yaml:"speaks"`
	Told      []string     `yaml:"told"`
	Domains   []struct {
		Domain string   `yaml:"domain"`
		Words  []string `yaml:"words"`
	} `yaml:"domains"`
	Labels []struct {
		Types []string `yaml:"types"`
		Label string   `yaml:"label"`
	} `yaml:"labels"`

	byType  map[string]actionType
	written map[string]bool  // verbs as they stand in the file
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

// manner is what a word says about who wants what. Words of action may have one beside their role.
type manner struct{ asks, wishes, subject, speaks, told bool }

// sense is all that a word of the vocabulary can be.
type sense struct {
	verb, noun      string // action types
	role            role
	drawing, gather bool
	manner          manner
}

// embedded is the vocabulary of the binary; that it loads is checked by a test.
var embedded = sync.OnceValues(func() (*vocabulary, error) { return load(string(vocabularyFile)) })

// ErrVocabulary is a vocabulary that does not parse or check.
var ErrVocabulary = errors.New("E_VOCABULARY: the vocabulary of intents is not valid; mend the file or remove it")

// Vocabulary is the vocabulary of the binary, as it is written.
func Vocabulary() []byte { return bytes.Clone(vocabularyFile) }

// AdditionSchema is the JSON Schema of what can be added to the vocabulary.
func AdditionSchema() []byte { return bytes.Clone(additionSchema) }

var checkedAddition = sync.OnceValues(func() (*table.Schema, error) { return table.Compile(additionSchema) })

// addition is what a user's file adds: words by type of action, and words in which those are only a
// part.
type addition struct {
	Verbs   map[string][]string `yaml:"verbs"`
	Nouns   map[string][]string `yaml:"nouns"`
	Shields []string            `yaml:"shields"`
}

// load reads a vocabulary and what is added to it.
func load(file string, more ...string) (*vocabulary, error) {
	v := &vocabulary{byType: map[string]actionType{}, entries: map[string]sense{}, written: map[string]bool{}}
	if err := table.StrictInto([]byte(file), v); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVocabulary, err)
	}
	for _, text := range more {
		if err := v.extend(text); err != nil {
			return nil, err
		}
	}
	v.enter()
	return v, nil
}

func (v *vocabulary) extend(text string) error {
	schema, err := checkedAddition()
	if err != nil {
		return err
	}
	a, err := table.Read[addition]([]byte(text), schema)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrVocabulary, err)
	}
	for i, t := range v.Types {
		v.Types[i].Verbs = append(t.Verbs, a.Verbs[t.Type]...)
		v.Types[i].Nouns = append(t.Nouns, a.Nouns[t.Type]...)
	}
	v.Shields = append(v.Shields, a.Shields...)
	return nil
}

// enter makes the words ready to be looked up.
func (v *vocabulary) enter() {
	for i, t := range v.Types {
		t.order = i
		v.byType[t.Type] = t
		v.each(t.Verbs, func(s *sense) { s.verb = t.Type })
		for _, verb := range t.Verbs {
			v.written[verb] = true
		}
		v.each(t.Nouns, func(s *sense) { s.noun = t.Type })
	}
	v.each(v.Drawing, func(s *sense) { s.drawing = true })
	v.each(v.Gather, func(s *sense) { s.gather = true })
	v.each(v.Asks, func(s *sense) { s.manner.asks = true })
	v.each(v.Wishes, func(s *sense) { s.manner.wishes = true })
	v.each(v.Subjects, func(s *sense) { s.manner.subject = true })
	v.each(v.Speaks, func(s *sense) { s.manner.speaks = true })
	v.each(v.Told, func(s *sense) { s.manner.told = true })
	for _, list := range []struct {
		words []string
		role  role
	}{{v.Make, makes}, {v.Yield, yields}, {v.Shields, shields}, {v.Negations, negates}, {v.After, comesAfter}, {v.First, comesFirst}, {v.Joins, joins}, {v.Material, gives}} {
		v.each(list.words, func(s *sense) { s.role = list.role })
	}
}

func (v *vocabulary) each(list []string, set func(*sense)) {
	for _, word := range list {
		word = words.Fold(word)
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
