package sessions

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxText = 16 << 10 // bytes of a goal, intent, reason or note
	maxKey  = 256      // bytes of a context key
)

var queueName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// checkText refuses what no reader could show: bytes that are no UTF-8, NUL, and texts without end.
// Other control characters are kept and shown escaped.
func checkText(what, text string) error {
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return Refuse(Usage, "bad_text", "give it as UTF-8 without NUL", "the %s is not readable text", what)
	case len(text) > maxText:
		return Refuse(Usage, "text_too_long", "put the text into the context with --from-file and name the key",
			"the %s has %d bytes, the limit is %d", what, len(text), maxText)
	}
	return nil
}

// CheckKey refuses a context key that could not be typed, listed or told from another.
func CheckKey(key string) error {
	bad := key == "" || len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool {
		return r < 0x20 || r == 0x7f || r == ' '
	})
	if bad {
		return Refuse(Usage, "bad_key", "use a name like research.raw: no spaces, no control characters, at most 256 bytes",
			"%q cannot be a context key", key)
	}
	return nil
}

// covers says whether a listing by prefix includes the key: "a." covers the branch under a, "a" only itself.
func covers(prefix, key string) bool {
	if prefix == "" || strings.HasSuffix(prefix, ".") {
		return strings.HasPrefix(key, prefix)
	}
	return key == prefix
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
