// Package words turns text as people write it into words that can be compared.
//
// The routers, the intent reader and the sentinel all read the same requests: Chinese and English,
// full-width and accented, with invisible characters in them, in Traditional characters. They agree
// on one folding (NFKC, lower case, zero-width removed, Traditional to Simplified), one way to cut
// text into tokens and one light stemmer, so that what one of them sees the others see too.
//
// Everything here is pure and knows no skill.
package words

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:embed t2s.txt
var pairs string

// simplified maps Traditional characters to Simplified ones where the meaning is not in doubt.
var simplified = sync.OnceValue(func() map[rune]rune {
	table := map[rune]rune{}
	for pair := range strings.FieldsSeq(pairs) {
		r := []rune(pair)
		table[r[0]] = r[1]
	}
	return table
})

// Fold gives text in the form in which it is compared.
func Fold(text string) string { return FoldMap(text).Text }

// Folded is folded text that remembers what it was made of.
type Folded struct {
	Text     string
	original string
	origin   []int // per byte of Text, and one past it: offset in original
}

// FoldMap folds text and keeps the way back.
func FoldMap(text string) Folded {
	text = norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD"))
	f := Folded{original: text, origin: make([]int, 0, len(text)+1)}
	var b strings.Builder
	b.Grow(len(text))
	table := simplified()
	for i, r := range text {
		if invisible(r) {
			continue
		}
		part := foldRune(r, table)
		b.WriteString(part)
		for range len(part) {
			f.origin = append(f.origin, i)
		}
	}
	f.Text = b.String()
	f.origin = append(f.origin, len(text))
	return f
}

func foldRune(r rune, table map[rune]rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToLower(r))
	}
	if s, ok := table[r]; ok {
		return string(s)
	}
	part := strings.ToLower(norm.NFKC.String(string(r)))
	if s, ok := table[[]rune(part)[0]]; ok && utf8.RuneCountInString(part) == 1 {
		return string(s)
	}
	return part
}

// Original gives what the bytes from i to j of the folded text were made of.
func (f Folded) Original(i, j int) string { return f.original[f.origin[i]:f.origin[j]] }

func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	return '\ufe00' <= r && r <= '\ufe0f' || '\u202a' <= r && r <= '\u202e'
}

// CJK says whether a character is written without blanks between words: Han, kana or Hangul.
func CJK(r rune) bool {
	return r > 0x2e7f && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Hangul, r))
}
