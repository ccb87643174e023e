package source

import (
	"strings"
	"unicode"
)

const (
	longestDomain = 253
	longestLabel  = 63
)

// isDomain says whether a text, in lower case, is a host name that a search can be limited to:
// labels with dots between, in any script. A URL, a port or an address is none.
func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	if len(labels) < 2 || len(s) > longestDomain {
		return false
	}
	for _, label := range labels {
		if !isLabel(label) {
			return false
		}
	}
	return strings.ContainsFunc(labels[len(labels)-1], unicode.IsLetter) // else it is an address
}

func isLabel(s string) bool {
	if s == "" || len(s) > longestLabel || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
