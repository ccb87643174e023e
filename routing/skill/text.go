package skill

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// term is a piece of text that can be matched: the stem of a word, one to three CJK characters, or
// a meaning of the lexicon.
type term struct {
	key        string
	size       int // CJK characters; 0 for a word or a meaning
	start, end int // bytes of the folded text
}

// groupKey is the key of a meaning; no stem begins with #.
func groupKey(id int) string { return "#" + strconv.Itoa(id) }

// fieldKey is the key of a field.
func fieldKey(id int) string { return "~" + strconv.Itoa(id) }

// derived says whether a key is a meaning or a field, not a word.
func derived(key string) bool { return key != "" && (key[0] == '#' || key[0] == '~') }

// stems remembers the stems of words, which texts have in common.
type stems map[string]string

func (s stems) of(word string) string {
	stem, ok := s[word]
	if !ok {
		stem = words.Porter(word)
		s[word] = stem
	}
	return stem
}

// terms lists the words and characters of folded text. Function words are left out.
func terms(text string, st stems) []term {
	var out []term
	for run := range words.Runs(text) {
		if run.CJK {
			out = append(out, grams(run)...)
			continue
		}
		for _, w := range wordsOf(run) {
			if !words.Stop(w.key) {
				w.key = st.of(w.key)
				out = append(out, w)
			}
		}
	}
	return out
}

// wordsOf cuts a run of letters at its hyphens and the like.
func wordsOf(run words.Run) []term {
	var out []term
	at := run.Start
	for _, part := range words.Split(run.Text) {
		i := strings.Index(run.Text[at-run.Start:], part)
		start := at + max(i, 0)
		at = start + len(part)
		if len(part) == 1 && part != "c" && part != "r" {
			continue
		}
		out = append(out, term{key: part, start: start, end: at})
	}
	return out
}

// particles are in no word; what reaches over one is none.
const particles = "的了吗呢啊吧呀们我你您他她它这那请"

func grams(run words.Run) []term {
	var out []term
	at := -1
	runes := []rune(run.Text)
	offsets := make([]int, len(runes)+1)
	for i, r := range runes {
		offsets[i+1] = offsets[i] + len(string(r))
	}
	for i := range runes {
		for n := 1; n <= 3 && i+n <= len(runes); n++ {
			key := string(runes[i : i+n])
			if words.Function(key) || n > 1 && strings.ContainsAny(key, particles) {
				continue
			}
			at = run.Start + offsets[i]
			out = append(out, term{key: key, size: n, start: at, end: run.Start + offsets[i+n]})
		}
	}
	return out
}

// meanings lists the lexicon's words in folded text with all the meanings each has, the longest
// ones first where they overlap.
func (l *lexicon) meanings(text string, st stems) []meaning {
	var out []meaning
	var phrase []term
	for run := range words.Runs(text) {
		if !run.CJK {
			phrase = append(phrase, wordsOf(run)...)
			continue
		}
		out = l.english(out, phrase, st)
		phrase = phrase[:0]
		out = l.chinese(out, run)
	}
	return l.english(out, phrase, st)
}

// meaning is a word of the lexicon in a text.
type meaning struct {
	groups     []int
	fields     []int
	words      int // English words; 0 for Chinese
	chars      int // Chinese characters
	start, end int
}

func (l *lexicon) chinese(out []meaning, run words.Run) []meaning {
	runes := []rune(run.Text)
	at := run.Start
	for i := 0; i < len(runes); {
		n := 1
		for k := min(l.longest, len(runes)-i); k > 0; k-- {
			word := string(runes[i : i+k])
			groups, fields := l.groups[word], l.fields[word]
			if len(groups)+len(fields) > 0 {
				out = append(out, meaning{groups: groups, fields: fields, chars: k, start: at, end: at + len(word)})
				n = k
				break
			}
		}
		at += len(string(runes[i : i+n]))
		i += n
	}
	return out
}

func (l *lexicon) english(out []meaning, list []term, st stems) []meaning {
	keys := make([]string, len(list))
	for i, t := range list {
		keys[i] = st.of(t.key)
	}
	for i := 0; i < len(list); {
		n := 1
		for k := min(phraseWords, len(list)-i); k > 0; k-- {
			key := strings.Join(keys[i:i+k], " ")
			groups, fields := l.groups[key], l.fields[key]
			if len(groups)+len(fields) > 0 {
				out = append(out, meaning{groups: groups, fields: fields, words: k, start: list[i].start, end: list[i+k-1].end})
				n = k
				break
			}
		}
		i += n
	}
	return out
}

// refusal finds the part of a description that says what the skill is not for.
var refusal = regexp.MustCompile(`(?:(?:\b(?:is |are )?not (?:for|suitable for|meant for|intended for|to be used)|\b(?:do not|don't|never|should not|must not) (?:use|invoke|trigger|apply|choose)|\bnot? (?:applicable|appropriate)|\bexcept for)|不适用于|不适合|不要用于|不用于|不得用于|不能用于|请勿用于|不可用于|不支持|不负责|不处理|禁止用于)[^.。;；!！\n]*`)

// purpose cuts a folded description into what the skill is for and what it says it is not for.
func purpose(text string) (positive, negative string) {
	var no strings.Builder
	positive = refusal.ReplaceAllStringFunc(text, func(part string) string {
		no.WriteString(part)
		no.WriteString(" . ")
		return " "
	})
	return positive, no.String()
}
