package web

import (
	"regexp"
	"strings"
)

// typed finds http and https addresses in a text up to white space, a quote, a bracket or a mark of
// Chinese punctuation.
var typed = regexp.MustCompile("(?i)https?://[^\\s<>\"'`，。；：！？、（）《》「」【】“”‘’]+")

// TypedURLs lists the addresses that a user wrote in the text of a task, without the marks that end
// a sentence.
func TypedURLs(task string) []string {
	var out []string
	for _, found := range typed.FindAllString(task, -1) {
		found = strings.TrimRight(found, ".,;:!?")
		if !strings.Contains(found, "(") {
			found = strings.TrimRight(found, ").,;:!?")
		}
		out = append(out, found)
	}
	return out
}
