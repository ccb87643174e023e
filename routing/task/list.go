package task

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/words"
)

// targetWords is what the targets of a parallel query are found by; rules.yaml explains the fields.
type targetWords struct {
	Connectors []string `yaml:"connectors"`
	Verbs      []string `yaml:"verbs"`
	Leads      []string `yaml:"leads"`
	Tails      []string `yaml:"tails"`
	Heads      []string `yaml:"heads"`
	Shields    []string `yaml:"shields"`
	triggers   []string // the words that make a query parallel
}

// list is a query in which a list is looked for.
type list struct {
	targetWords
	text   string
	shield []bool // per byte: a part of a longer word or an address, and nothing by itself
}

// span is a stretch of the folded text, in bytes.
type span struct{ start, end int }

func newList(w targetWords, text string) list {
	l := list{w, text, make([]bool, len(text))}
	for _, word := range w.Shields {
		for start, end := index(text, word, 0); start >= 0; start, end = index(text, word, end) {
			l.cover(start, end)
		}
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "://")
		if i < 0 {
			return l
		}
		start := len(strings.TrimRight(text[:at+i], "abcdefghijklmnopqrstuvwxyz+-."))
		end := at + i + strings.IndexFunc(text[at+i:]+" ", func(r rune) bool { return r >= utf8.RuneSelf || r <= ' ' || strings.ContainsRune(`,;"'<>`, r) })
		l.cover(start, end)
		at = end
	}
}

func (l list) cover(start, end int) {
	for i := start; i < end; i++ {
		l.shield[i] = true
	}
}

// term gives the end of the longest word of the lists at an offset; -1: none, or it is shielded.
func (l list) term(at int, lists ...[]string) int {
	if l.shield[at] {
		return -1
	}
	return longestAt(l.text, at, lists...)
}

func (l list) blanks(at int) int {
	return len(l.text) - len(strings.TrimLeftFunc(l.text[at:], unicode.IsSpace))
}

// punctuation says whether a sentence or a part of it ends at an offset. A point inside a name does
// not end it; quotes and brackets belong to the item.
func (l list) punctuation(at int) bool {
	if l.shield[at] {
		return false
	}
	r, size := utf8.DecodeRuneInString(l.text[at:])
	if r == '.' {
		after, _ := utf8.DecodeRuneInString(l.text[at+size:])
		return at+size == len(l.text) || unicode.IsSpace(after) || words.CJK(after)
	}
	return strings.ContainsRune(",;:!?。…—|\n\r", r)
}

// trim takes blanks, quotes, leads and tails off both ends of an item.
func (l list) trim(s span) span {
	s.end = max(s.start, s.end)
	for {
		before := s
		s.start = s.end - len(strings.TrimLeftFunc(l.text[s.start:s.end], blankOrQuote))
		s.end = s.start + len(strings.TrimRightFunc(l.text[s.start:s.end], blankOrQuote))
		if s.start < s.end {
			if end := l.term(s.start, l.Leads, l.Tails); end >= 0 && end <= s.end {
				s.start = end
			}
		}
		s.end = l.withoutTail(s)
		if s == before {
			return s
		}
	}
}

func (l list) withoutTail(s span) int {
	for _, tail := range l.Tails {
		at := s.end - len(tail)
		if at < s.start || l.shield[at] {
			continue
		}
		if end, ok := matchAt(l.text, at, tail); ok && end == s.end {
			return at
		}
	}
	return s.end
}

func blankOrQuote(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’「」『』《》〈〉【】", r)
}
