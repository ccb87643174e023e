package skills

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Catalogue says how much of its skills an agent tells its model: names and descriptions up to a
// limit. What does not fit is left out, and mostly nobody is told.
type Catalogue struct {
	Share      float64 `yaml:"share"`      // of the model's window, or
	Characters int     `yaml:"characters"` // a fixed size
	Base       int     `yaml:"base"`       // taken by the frame around the list
	Each       int     `yaml:"each"`       // taken by each entry besides its text
	Location   bool    `yaml:"location"`   // the path of the SKILL.md is told too
	Cut        string  `yaml:"cut"`        // what goes first: one of the Cut constants
}

// What a host leaves out of a catalogue that is too large.
const (
	CutAlphabet = "alphabet" // whole skills, from the end of the alphabet
	CutUse      = "use"      // descriptions, of the skills that were used least
	CutAll      = "all"      // every description first, then skills
)

// Budget is how the skills that a host sees fit its catalogue.
type Budget struct {
	Host   string   `json:"host"`
	Skills int      `json:"skills"`
	Limit  int      `json:"limit"` // in Unit; 0: none is known
	Used   int      `json:"used"`  // what all of them would take
	Unit   string   `json:"unit"`  // characters or tokens
	Fits   int      `json:"fits"`  // skills that the model learns of with their description
	Hidden []string `json:"hidden"`
	Cut    string   `json:"cut,omitempty"`
}

// Weigh says what of the skills in some hosts' folders fits the catalogue of one. window is the size of
// its model's context in tokens. Where a host goes by use, which Baton does not know, the names that
// are told as hidden are those at the end of the alphabet; their number is right.
func Weigh(x Index, host string, folders []string, c Catalogue, window int) Budget {
	b := Budget{Host: host, Unit: "characters", Limit: c.Characters, Cut: c.Cut, Hidden: []string{}}
	size := func(text string) int { return len([]rune(text)) }
	if c.Share > 0 {
		b.Unit, b.Limit, size = "tokens", int(c.Share*float64(window)), tokens
	}
	var seen []Skill
	for _, s := range x.Skills {
		if s.Usable && !s.ManualOnly && slices.Contains(folders, s.Host) {
			seen = append(seen, s)
		}
	}
	slices.SortStableFunc(seen, func(a, b Skill) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	b.Skills, b.Used = len(seen), c.Base
	for _, s := range seen {
		cost := c.Each + size(s.Name) + size(s.Description)
		if c.Location {
			cost += size(s.File)
		}
		b.Used += cost
		if b.Limit > 0 && b.Used > b.Limit {
			b.Hidden = append(b.Hidden, s.Name)
		}
	}
	if c.Cut == CutAll && len(b.Hidden) > 0 {
		b.Hidden = names(seen)
	}
	b.Fits = b.Skills - len(b.Hidden)
	return b
}

func names(list []Skill) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, s.Name)
	}
	return out
}

// tokens guesses how many tokens a model sees in a text: one for four Latin letters, one for each
// character of a script that is written without blanks.
func tokens(text string) int {
	quarters := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			quarters += 4
		} else {
			quarters++
		}
	}
	return (quarters + 3) / 4
}
