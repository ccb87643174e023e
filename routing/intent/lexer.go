package intent

import (
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// mark is a piece of the folded text that the reading looks at.
type mark struct {
	sense
	text       string
	start, end int // bytes of the folded text
	cjk        bool
	boundary   bool // punctuation that ends a clause
}

// longestPhrase is the number of words of the longest English entry.
const longestPhrase = 4

// lex cuts folded text into marks: Chinese by longest match over the vocabulary, English word by
// word with phrases joined. What the vocabulary does not know is a mark without sense.
func (v *vocabulary) lex(text string) []mark {
	var out []mark
	end := 0
	for run := range words.Runs(text) {
		if strings.ContainsAny(text[end:run.Start], ",，.。;；!！?？、\n:：") {
			out = append(out, mark{boundary: true, start: end, end: run.Start})
		}
		end = run.Start + len(run.Text)
		if run.CJK {
			out = v.chinese(out, run)
			continue
		}
		out = append(out, mark{sense: v.entries[words.Stem(run.Text)], text: run.Text, start: run.Start, end: end})
	}
	return v.phrases(out)
}

func (v *vocabulary) chinese(out []mark, run words.Run) []mark {
	runes := []rune(run.Text)
	offset := run.Start
	for i := 0; i < len(runes); {
		n := 1
		var s sense
		for k := min(v.longest, len(runes)-i); k > 0; k-- {
			if known, ok := v.entries[string(runes[i:i+k])]; ok {
				n, s = k, known
				break
			}
		}
		text := string(runes[i : i+n])
		out = append(out, mark{sense: s, text: text, start: offset, end: offset + len(text), cjk: true})
		offset += len(text)
		i += n
	}
	return out
}

// phrases joins English words that the vocabulary knows together, the longest first.
func (v *vocabulary) phrases(in []mark) []mark {
	out := make([]mark, 0, len(in))
	for i := 0; i < len(in); {
		joined, n := in[i], 1
		for k := min(longestPhrase, len(in)-i); k > 1; k-- {
			key, ok := phraseKey(in[i : i+k])
			if s, known := v.entries[key]; ok && known {
				joined.sense, joined.end, n = s, in[i+k-1].end, k
				joined.text = key
				break
			}
		}
		out = append(out, joined)
		i += n
	}
	return out
}

func phraseKey(list []mark) (string, bool) {
	stems := make([]string, len(list))
	for i, m := range list {
		if m.cjk || m.boundary {
			return "", false
		}
		stems[i] = words.Stem(m.text)
	}
	return strings.Join(stems, " "), true
}
