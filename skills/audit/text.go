package audit

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/words"
)

// text is one form of a file's text that knows on which line of the file each part began.
type text struct {
	s     string
	marks []mark
}

// mark says that from an offset on the text comes from a line.
type mark struct{ offset, line int }

// line gives the line of the file, from 1, that the byte at an offset came from.
func (t text) line(offset int) int {
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].offset > offset })
	if i == 0 {
		return 1
	}
	return t.marks[i-1].line
}

// weaver puts a text together from parts.
type weaver struct {
	b     strings.Builder
	marks []mark
}

func (w *weaver) add(part string, line int) {
	if part == "" {
		return
	}
	if n := len(w.marks); n == 0 || w.marks[n-1].line != line {
		w.marks = append(w.marks, mark{w.b.Len(), line})
	}
	w.b.WriteString(part)
}

func (w *weaver) text() text { return text{w.b.String(), w.marks} }

// replace gives the text with what a pattern finds put in other words; a result may not depend on
// where it stands.
func (t text) replace(re *lazy, with func(groups []string) string) text {
	found := re.FindAllStringSubmatchIndex(t.s, -1)
	if len(found) == 0 {
		return t
	}
	var w weaver
	at := 0
	for _, m := range found {
		t.copyTo(&w, at, m[0])
		groups := make([]string, len(m)/2)
		for i := range groups {
			if m[2*i] >= 0 {
				groups[i] = t.s[m[2*i]:m[2*i+1]]
			}
		}
		w.add(with(groups), t.line(m[0]))
		at = m[1]
	}
	t.copyTo(&w, at, len(t.s))
	return w.text()
}

// copyTo appends the part from i to j with its lines.
func (t text) copyTo(w *weaver, i, j int) {
	for i < j {
		next := sort.Search(len(t.marks), func(k int) bool { return t.marks[k].offset > i })
		end := j
		if next < len(t.marks) {
			end = min(end, t.marks[next].offset)
		}
		w.add(t.s[i:end], t.line(i))
		i = end
	}
}

// plain is the text as it is compared: one case, one script, nothing invisible, line by line.
func plain(source string) text {
	var w weaver
	n := 0
	for line := range strings.Lines(source) {
		n++
		w.add(fold(line), n)
	}
	return w.text()
}

func fold(line string) string {
	if ascii(line) {
		return strings.ToLower(line)
	}
	folded := latin(words.Fold(strings.Map(untagged, line)))
	if strings.HasSuffix(line, "\n") && !strings.HasSuffix(folded, "\n") {
		folded += "\n"
	}
	return folded
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// untagged takes out the characters that stand in no font and yet are read by a model.
func untagged(r rune) rune {
	if 0xE0000 <= r && r <= 0xE01EF {
		return -1
	}
	return r
}

var (
	leaders  = lazily(`(?m)^[ \t]*(?:(?:[>#*+;%|-]|//+|/\*+|"""|'''|<!--|\d{1,2}[.)]|rem\b)[ \t]*)+`)
	brackets = lazily(`<!--|-->|\*/|</?(?:b|i|u|em|strong|span|div|p|br|font|small|sub|sup|a)\b[^<>\n]{0,200}>`)
	emphasis = lazily(`[*~]+`)
	spelled  = []*lazy{ // with one sign between the letters
		lazily(`\b[a-z](?: [a-z]){5,}\b`), lazily(`\b[a-z](?:\.[a-z]){5,}\b`),
		lazily(`\b[a-z](?:-[a-z]){5,}\b`), lazily(`\b[a-z](?:[_*][a-z]){5,}\b`),
	}
	signs   = strings.NewReplacer(" ", "", ".", "", "_", "", "*", "", "-", "")
	blanks  = lazily(`[\s_]+`)
	asQuote = strings.NewReplacer("`", `"`, "“", `"`, "”", `"`, "「", `"`, "」", `"`, "『", `"`, "』", `"`, "‘", "'", "’", "'")
)

// prose is plain text as a reader takes it: without marks of comments, lists and emphasis, its lines
// joined, letters that were spelled out put together.
func prose(t text) text {
	none := func([]string) string { return "" }
	t = t.replace(leaders, none)
	t = t.replace(brackets, func([]string) string { return " " })
	for _, re := range spelled {
		t = t.replace(re, func(g []string) string { return signs.Replace(g[0]) })
	}
	t = t.replace(emphasis, none)
	t = t.replace(blanks, func([]string) string { return " " })
	for range 2 { // what one pass joined is the beginning of the next gap
		t = t.replace(cjkGap, func(g []string) string { return g[1] + g[2] })
	}
	return t.replace(quoteMarks, func(g []string) string { return asQuote.Replace(g[0]) })
}

var (
	cjkGap     = lazily(`([\p{Han}，、])[ ,.、·-]([\p{Han}])`)
	quoteMarks = lazily("[`“”「」『』‘’]+")
	mixedWord  = lazily(`[a-z]*[0-9@$!|][a-z0-9@$!|]*[a-z][a-z0-9@$!|]*|[a-z]+[0-9@$!|][a-z0-9@$!|]*`)
	asLetters  = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i", "|", "l")
)

// unleet reads digits and signs within words as the letters they look like.
func unleet(t text) text {
	return t.replace(mixedWord, func(g []string) string { return asLetters.Replace(g[0]) })
}

// excerpt is the line of the source, short enough to be shown.
func excerpt(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	return shorten(strings.TrimSpace(lines[line-1]))
}

// mostExcerpt is how many characters of a line a report shows.
const mostExcerpt = 200

func shorten(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	r := []rune(s)
	if len(r) <= mostExcerpt {
		return s
	}
	return string(r[:mostExcerpt-1]) + "…"
}
