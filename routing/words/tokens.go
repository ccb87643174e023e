package words

import (
	"iter"
	"strings"
	"unicode"
)

// Weights of the tokens that stand for a piece of text: a single character says little, three in a
// row say more than two.
const (
	weightWord   = 1.0
	weightSingle = 0.3
	weightPair   = 1.0
	weightTriple = 1.2
)

// Tokens gives the tokens of text with their weights, and its mass: how much there is to be
// explained, a word counting one and a CJK character half.
func Tokens(text string) (tokens map[string]float64, mass float64) {
	tokens = map[string]float64{}
	for run := range Runs(Fold(text)) {
		if !run.CJK {
			for _, word := range Split(run.Text) {
				if !stopped(word) {
					tokens[word] = weightWord
					mass += 1
				}
			}
			continue
		}
		mass += float64(len([]rune(run.Text))) / 2
		for gram, n := range Grams(run.Text) {
			tokens[gram] = max(tokens[gram], []float64{weightSingle, weightPair, weightTriple}[n-1])
		}
	}
	return tokens, mass
}

// Run is a stretch of folded text of one kind: a word of letters, digits and what belongs to
// them, or CJK characters in a row.
type Run struct {
	Text  string
	Start int // byte offset
	CJK   bool
}

// Runs cuts folded text into runs, leaving out blanks and punctuation. A hyphen, a dot, an
// underscore or an apostrophe inside a word belongs to it, and so do the signs of C++, C# and F#.
func Runs(text string) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		runes := []rune(text)
		offset := 0
		for i := 0; i < len(runes); {
			j, cjk := runEnd(runes, i)
			if j == i {
				offset += len(string(runes[i]))
				i++
				continue
			}
			part := string(runes[i:j])
			if !yield(Run{Text: part, Start: offset, CJK: cjk}) {
				return
			}
			offset += len(part)
			i = j
		}
	}
}

func runEnd(runes []rune, i int) (end int, cjk bool) {
	j := i
	if CJK(runes[i]) {
		for j < len(runes) && CJK(runes[j]) {
			j++
		}
		return j, true
	}
	for j < len(runes) {
		inner := j > i && j+1 < len(runes) && strings.ContainsRune("-._'’", runes[j]) && letter(runes[j+1])
		sign := j > i && (runes[j] == '+' || runes[j] == '#')
		if !letter(runes[j]) && !inner && !sign {
			break
		}
		j++
	}
	return j, false
}

func letter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !CJK(r)
}

// Split cuts a word at hyphens, dots and underscores, and takes a possessive off.
func Split(word string) []string {
	word = strings.ReplaceAll(word, "’", "'")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
	return strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '.' || r == '_' || r == '\'' })
}

// Grams gives the characters, pairs and triples of a run of CJK text with their length, leaving
// out those made of function characters alone.
func Grams(run string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		runes := []rune(run)
		for i := range runes {
			for n := 1; n <= 3 && i+n <= len(runes); n++ {
				gram := string(runes[i : i+n])
				if strings.Trim(gram, functionCharacters) == "" {
					continue
				}
				if !yield(gram, n) {
					return
				}
			}
		}
	}
}

// stopped says whether a word carries no meaning of its own. A single digit or letter says
// nothing either, but for the names of languages and the like.
func stopped(word string) bool {
	if len(word) == 1 && word != "c" && word != "r" {
		return true
	}
	return Stop(word)
}

// Stop says whether an English word is a function word.
func Stop(word string) bool { return stopWords[word] }

// functionCharacters hold a Chinese sentence together and mean little by themselves.
const functionCharacters = "的了是在我你他她它们这那有和与及或就都而也被把给让请帮个些吧吗呢啊呀么什怎样一不要想用对从到为以之其于中上下会能可并后再先最里来去出等将所因此若如"

var stopWords = setOf(`a an the of for to and or with use using when skill help me my please i it is
on in at by from as be this that these those you your we our can could should would will do does
how so into some any all not are was were has have had its their them they he she his her if then
than but about up out just want need like let us new there here what which who via per against between
during within into over under across through before after while each every only very such own same`)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Function says whether a piece of Chinese is made of function characters alone.
func Function(text string) bool { return strings.Trim(text, functionCharacters) == "" }

// Apart puts blanks into namesLikeThis and HTMLNames, before anything is folded.
func Apart(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			begins := unicode.IsLower(runes[i-1])
			endsCapitals := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if begins || endsCapitals {
				b.WriteByte(' ')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}
