package sentinel

import (
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// clause is a part of a request in the forms that words are looked for in: Chinese in the text as
// it is, English among the stems, so that it never matches inside a word.
type clause struct {
	text  string
	stems string // with a blank before and after each
	verbs string // the same without the forms that ask for nothing: hacked, attacks
}

func newClause(text string) clause {
	return clause{text: text, stems: stems(text, false), verbs: stems(text, true)}
}

func stems(text string, askingOnly bool) string {
	var b strings.Builder
	b.WriteByte(' ')
	for run := range words.Runs(text) {
		if run.CJK {
			b.WriteString("， ")
			continue
		}
		for _, part := range words.Split(run.Text) {
			stem := words.Stem(part)
			if askingOnly && (strings.HasSuffix(part, "ed") || len(stem) > 3 && part == stem+"s") {
				stem = "，"
			}
			b.WriteString(stem)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// word is a word of a rule, ready to be looked for.
type word struct {
	text string // as the rule has it
	key  string // what is looked for
	raw  bool   // in the text, not among the stems
}

func compile(list []string) []word {
	out := make([]word, 0, len(list))
	for _, w := range list {
		w = words.Fold(w)
		if strings.ContainsFunc(w, words.CJK) || strings.ContainsRune(w, '/') {
			out = append(out, word{w, w, true})
			continue
		}
		out = append(out, word{w, stems(w, false), false})
	}
	return out
}

// first gives the longest of a list's words that the clause holds, leaving out what is a part of
// the word given as taken.
func (c clause) first(list []word, taken string) (string, bool) {
	return c.find(list, taken, c.stems)
}

// verb gives the longest of a list's verbs in a form that asks for something.
func (c clause) verb(list []word) (string, bool) { return c.find(list, "", c.verbs) }

func (c clause) find(list []word, taken, stems string) (string, bool) {
	best := ""
	for _, w := range list {
		in := stems
		if w.raw {
			in = c.text
		}
		if len(w.text) > len(best) && strings.Contains(in, w.key) && !(taken != "" && strings.Contains(taken, w.text)) {
			best = w.text
		}
	}
	return best, best != ""
}
