package skill

import (
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// Alike says how much two requests ask for the same thing, from 0 to 1. It compares shingles: words
// and pairs of words, characters, pairs and triples of characters where no blanks stand. Requests of
// which only one is negated, or that differ in opposites, are not alike at all.
func Alike(a, b string) float64 {
	return alike(newShape(a), newShape(b))
}

// AlikeRounded is [Alike] as it stands in a [Recalled].
func AlikeRounded(a, b string) float64 { return round(Alike(a, b)) }

// AlikeEnough says whether a lesson that is so much alike moves scores.
func AlikeEnough(alike float64) bool { return alike > alikeEnough }

// shape is what is compared of a request.
type shape struct {
	key      string          // the text without blanks and punctuation
	shingles map[string]bool // of words and of characters
	tokens   map[string]bool // words and single characters
	text     string          // folded
}

func newShape(task string) shape {
	s := shape{text: words.Fold(task), shingles: map[string]bool{}, tokens: map[string]bool{}}
	var key strings.Builder
	last := ""
	for run := range words.Runs(s.text) {
		key.WriteString(run.Text)
		if !run.CJK {
			stem := words.Stem(run.Text)
			s.tokens[stem], s.shingles[stem], s.shingles[last+" "+stem] = true, true, true
			last = stem
			continue
		}
		last = ""
		runes := []rune(run.Text)
		for i := range runes {
			s.tokens[string(runes[i])] = true
			for n := 1; n <= 3 && i+n <= len(runes); n++ {
				s.shingles[string(runes[i:i+n])] = true
			}
		}
	}
	s.key = key.String()
	return s
}

func alike(a, b shape) float64 {
	if a.key == b.key {
		if a.key == "" {
			return 0 // nothing was asked, so nothing was learned
		}
		return 1
	}
	if opposed(a, b) || opposed(b, a) {
		return 0
	}
	common := 0
	for shingle := range a.shingles {
		if b.shingles[shingle] {
			common++
		}
	}
	if len(a.shingles)+len(b.shingles) == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a.shingles)+len(b.shingles))
}

// negations are what turns a request into its opposite.
var negations = strings.Fields("not no never without dont don't except 不 别 勿 无 非 没 未 免 禁")

// opposites are pairs of which one asks for what the other takes back.
var opposites = [][2]string{
	{"on", "off"}, {"start", "stop"}, {"open", "close"}, {"enable", "disable"}, {"add", "remove"}, {"create", "delete"},
	{"increase", "decrease"}, {"up", "down"}, {"install", "uninstall"}, {"lock", "unlock"}, {"encrypt", "decrypt"},
	{"import", "export"}, {"upload", "download"}, {"compress", "decompress"}, {"test", "production"}, {"staging", "production"},
	{"buy", "sell"}, {"send", "receive"}, {"show", "hide"}, {"follow", "unfollow"}, {"push", "pull"}, {"encode", "decode"},
	{"merge", "split"}, {"before", "after"}, {"public", "private"}, {"with", "without"}, {"subscribe", "unsubscribe"},
	{"开", "关"}, {"启", "停"}, {"增", "减"}, {"增", "删"}, {"加", "减"}, {"加", "删"}, {"上", "下"}, {"入", "出"}, {"买", "卖"}, {"公", "私"},
	{"升", "降"}, {"前", "后"}, {"收", "发"}, {"测", "产"}, {"加", "解"}, {"合", "拆"}, {"合", "分"}, {"进", "出"}, {"装", "卸"},
}

// opposed says whether one has a negation that the other lacks, or one of a pair where the other has
// its opposite.
func opposed(a, b shape) bool {
	only := func(word string) bool { return a.tokens[word] && !b.tokens[word] }
	for _, word := range negations {
		if only(word) {
			return true
		}
	}
	for _, pair := range opposites {
		x, y := words.Stem(pair[0]), words.Stem(pair[1])
		if only(x) && b.tokens[y] && !a.tokens[y] {
			return true
		}
	}
	return false
}
