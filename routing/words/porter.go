package words

import (
	"github.com/kljensen/snowball/english"
)

// Porter gives the stem of an English word by Porter's second algorithm, after names of doers were
// made verbs: organizer, organization and organize are one. It joins more than [Stem] does, so it is
// for finding what may be meant, not for telling what is.
func Porter(word string) string {
	if len(word) > 0 && word[0] >= 0x80 {
		return word
	}
	if verb, ok := doers[word]; ok {
		word = verb
	} else if verb, ok := doers[stripS(word)]; ok {
		word = verb
	}
	return english.Stem(word, true)
}

func stripS(w string) string {
	if len(w) > 1 && w[len(w)-1] == 's' {
		return w[:len(w)-1]
	}
	return w
}
