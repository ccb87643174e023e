package intent

import (
	"regexp"
	"slices"
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
	quoted     bool // or in brackets
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
	return hush(v.phrases(out), text)
}

// aside are stretches that are quoted or put in brackets.
var asides = regexp.MustCompile(`"[^"\n]*"|'[^'\n]{2,}'|“[^”\n]*”|「[^」\n]*」|《[^》\n]*》|\([^()\n]*\)|（[^（）\n]*）|\[[^\[\]\n]*\]`)

// label is a name with a value behind it, as in a list of data.
var label = regexp.MustCompile(`[:：]\s*\S`)

// Bounds of what counts as an aside and as data.
const (
	mostAside  = 0.7 // a text that is quoted as a whole is the request
	dataLabels = 3
)

// hush takes the meaning of actions from words that are quoted or in brackets, and in lists of data
// from those behind a label.
func hush(marks []mark, text string) []mark {
	spans := asides.FindAllStringIndex(text, -1)
	covered := 0
	for _, s := range spans {
		covered += s[1] - s[0]
	}
	if float64(covered) > mostAside*float64(len(text)) {
		spans = nil
	}
	data := len(label.FindAllString(text, dataLabels)) == dataLabels
	labelled := false
	for i := range marks {
		m := &marks[i]
		if m.boundary {
			labelled = data && strings.ContainsAny(text[m.start:m.end], ":：")
		}
		quoted := slices.ContainsFunc(spans, func(s []int) bool { return s[0] <= m.start && m.end <= s[1] })
		if quoted && !m.boundary {
			m.sense, m.quoted = sense{}, true
		}
		if labelled {
			m.verb = ""
			if m.role == makes {
				m.role = none
			}
		}
	}
	return marks
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
