package skill

import (
	"slices"
	"strings"
	"sync"

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
	key      string   // the text without blanks and punctuation
	shingles []uint64 // hashes of words and of characters, sorted
	text     string   // folded
	signs    signs
}

// signs are the words of a text that can turn a request into its opposite, a bit each.
type signs struct{ negations, left, right uint64 }

func newShape(task string) shape {
	s := shape{text: words.Fold(task)}
	add := func(shingle string) { s.shingles = append(s.shingles, hashed(shingle)) }
	tokens := map[string]bool{} // words and single characters
	var key strings.Builder
	last := ""
	for run := range words.Runs(s.text) {
		key.WriteString(run.Text)
		if !run.CJK {
			stem := words.Stem(run.Text)
			tokens[stem] = true
			add(stem)
			add(last + " " + stem)
			last = stem
			continue
		}
		last = ""
		runes := []rune(run.Text)
		for i := range runes {
			tokens[string(runes[i])] = true
			for n := 1; n <= 3 && i+n <= len(runes); n++ {
				add(string(runes[i : i+n]))
			}
		}
	}
	slices.Sort(s.shingles)
	s.shingles = slices.Compact(s.shingles)
	s.key, s.signs = key.String(), signsOf(tokens)
	return s
}

// hashed is the FNV-1a hash of a text, so that shingles are compared as numbers.
func hashed(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

func alike(a, b shape) float64 {
	if a.key == b.key {
		if a.key == "" {
			return 0 // nothing was asked, so nothing was learned
		}
		return 1
	}
	if a.signs.oppose(b.signs) || b.signs.oppose(a.signs) {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a.shingles) && j < len(b.shingles); {
		switch x, y := a.shingles[i], b.shingles[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			common++
			i++
			j++
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

// stemmedOpposites are the pairs as they stand among the words of a text.
var stemmedOpposites = sync.OnceValue(func() [][2]string {
	var out [][2]string
	for _, pair := range opposites {
		out = append(out, [2]string{words.Stem(pair[0]), words.Stem(pair[1])})
	}
	return out
})

func signsOf(tokens map[string]bool) signs {
	var s signs
	for i, word := range negations {
		if tokens[word] {
			s.negations |= 1 << i
		}
	}
	for i, pair := range stemmedOpposites() {
		if tokens[pair[0]] {
			s.left |= 1 << i
		}
		if tokens[pair[1]] {
			s.right |= 1 << i
		}
	}
	return s
}

// oppose says whether one has a negation that the other lacks, or one of a pair where the other has
// its opposite.
func (s signs) oppose(other signs) bool {
	return s.negations&^other.negations != 0 || s.left&^other.left&other.right&^s.right != 0
}
