package projections

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape shows what would move the cursor, turn the reading direction or stay invisible: line
// breaks and other control characters, bidirectional marks, invisible format characters and bytes
// that are no UTF-8. The result is one line. Joiners stay, since words and emoji are made with them.
func Escape(s string) string {
	if strings.IndexFunc(s, unseen) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unseen(r):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func unseen(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d': // joiners
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func escaped(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// short is the escaped text, cut after so many characters.
func short(s string, limit int) string {
	s = Escape(s)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}
