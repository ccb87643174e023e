package fromtext

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/batonflow/baton/routing/words"
)

// part is a stretch of a sentence between stops and joining words.
type part struct {
	text string
	at   int // in bytes
}

var joins = regexp.MustCompile(`(?i)[,.;:!?，。；：！？、\n]+|\s(and|then|finally|afterwards)\s|然后|接着|随后|最后|并且|并|再|后`)

func parts(text string) []part {
	var out []part
	add := func(from, to int) {
		piece := text[from:to]
		left := strings.TrimLeftFunc(piece, unicode.IsSpace)
		if trimmed := strings.TrimSpace(piece); trimmed != "" {
			out = append(out, part{trimmed, from + len(piece) - len(left)})
		}
	}
	at := 0
	for _, m := range joins.FindAllStringIndex(text, -1) {
		add(at, m[0])
		at = m[1]
	}
	add(at, len(text))
	return out
}

var negations = regexp.MustCompile(`\b(not|never|no|without|don't|dont)\b|不|别|勿|无需|禁止`)

// negated says that a part asks for something not to be done.
func negated(text string) bool { return negations.MatchString(words.Fold(text)) }
