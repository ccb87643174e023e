package task

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/words"
)

// index finds a word in folded text from an offset on: Chinese anywhere, other words between
// characters that are no letters of such words. The blanks inside a phrase may be of any kind and
// number. Without a hit start is -1.
func index(text, word string, from int) (start, end int) {
	first, _, _ := strings.Cut(word, " ")
	for at := from; at < len(text); {
		i := strings.Index(text[at:], first)
		if i < 0 {
			break
		}
		if end, ok := matchAt(text, at+i, word); ok {
			return at + i, end
		}
		_, size := utf8.DecodeRuneInString(text[at+i:])
		at += i + size
	}
	return -1, -1
}

func contains(text, word string) bool {
	start, _ := index(text, word, 0)
	return start >= 0
}

// firstOf gives the first word of a list that a text contains; "": none.
func firstOf(text string, list []string) string {
	for _, word := range list {
		if contains(text, word) {
			return word
		}
	}
	return ""
}

// matchAt says whether a word stands at an offset, and where it ends.
func matchAt(text string, at int, word string) (end int, ok bool) {
	end = at
	for i, part := range strings.Fields(word) {
		if i > 0 {
			rest := strings.TrimLeftFunc(text[end:], unicode.IsSpace)
			if len(rest) == len(text)-end {
				return 0, false
			}
			end = len(text) - len(rest)
		}
		if !strings.HasPrefix(text[end:], part) {
			return 0, false
		}
		end += len(part)
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	after, _ := utf8.DecodeRuneInString(text[end:])
	return end, !(letter(before) && letter(first)) && !(letter(last) && letter(after))
}

// letter says whether a character belongs to words that are set apart by blanks.
func letter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r)) && !words.CJK(r)
}

// longestAt gives the end of the longest word of a list that stands at an offset; -1: none does.
func longestAt(text string, at int, lists ...[]string) int {
	longest := -1
	for _, list := range lists {
		for _, word := range list {
			if end, ok := matchAt(text, at, word); ok {
				longest = max(longest, end)
			}
		}
	}
	return longest
}

// hit gives the first word of a rule, in the order of the file, that a text contains; "": none.
func (r rule) hit(text string) string {
	for _, word := range r.Words {
		if r.Unless != nil && word == r.Unless.Word {
			if r.Unless.remains(text) {
				return word
			}
			continue
		}
		if contains(text, word) {
			return word
		}
	}
	return ""
}

// remains says whether the word occurs in a place that the exception does not cover.
func (u unless) remains(text string) bool {
	for start, end := index(text, u.Word, 0); start >= 0; start, end = index(text, u.Word, end) {
		if !u.covers(text[end:]) {
			return true
		}
	}
	return false
}

func (u unless) covers(rest string) bool {
	for _, word := range u.Before {
		if start, _ := index(rest, word, 0); start >= 0 && utf8.RuneCountInString(rest[:start]) <= u.Within {
			return true
		}
	}
	return false
}
