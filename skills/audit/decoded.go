package audit

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	base64ish  = lazily(`[A-Za-z0-9+/_-]{16,}={0,2}(?:\s*\n\s*[A-Za-z0-9+/_-]{16,}={0,2})*`)
	hexish     = lazily(`(?:[0-9a-fA-F]{2}){12,}|(?:(?:\\x|0x|%|\\u00)[0-9a-fA-F]{2}[,\s]*){6,}`)
	entityish  = lazily(`(?:&#x?[0-9a-fA-F]{2,6};){6,}`)
	numberish  = lazily(`(?:(?:chr\()?\b\d{2,3}\)?\s*[,+.]\s*){7,}(?:chr\()?\d{2,3}\b`)
	octalish   = lazily(`(?:\\[0-7]{3}){8,}`)
	rotated    = lazily(`(?i)rot[-_ ]?13|a-za-z['"]?\s+['"]?n-za-m`)
	turned     = lazily(`\[::-1\]|\breverse\(\)|\|\s*rev\b`)
	quotedText = lazily(`"([^"\n]{8,})"|'([^'\n]{8,})'`)
	digits     = lazily(`\d{2,3}`)
	hexPair    = lazily(`[0-9a-fA-F]{2}`)
)

// mostDeep is how often what was decoded is decoded again.
const mostDeep = 3

// decoded gives what the text holds in encoded form, as readings of their own.
func decoded(r *reading, source string) []*reading {
	var out []*reading
	var dig func(s string, line, deep int)
	dig = func(s string, line, deep int) {
		for _, p := range encodedParts(s) {
			at := line
			if deep == 0 {
				at = 1 + strings.Count(s[:p.at], "\n")
			}
			d := newReading(r.path, script, p.text)
			d.lines = r.lines
			moved(d, at)
			out = append(out, d)
			if deep+1 < mostDeep {
				dig(p.text, at, deep+1)
			}
		}
	}
	dig(source, 1, 0)
	for at, hiddenText := range tagged(source) {
		d := newReading(r.path, document, hiddenText)
		d.lines = r.lines
		moved(d, at)
		out = append(out, d)
	}
	return out
}

// moved lets all of a reading come from one line of the file.
func moved(r *reading, line int) {
	for _, t := range []*text{&r.plain, &r.joined, &r.prose} {
		t.marks = []mark{{0, line}}
	}
}

// part is a text that was decoded from a place.
type part struct {
	at   int
	text string
}

func encodedParts(s string) []part {
	var out []part
	each := func(re *lazy, decode func(string) string) {
		for _, m := range re.FindAllStringIndex(s, 200) {
			if t := decode(s[m[0]:m[1]]); legible(t) {
				out = append(out, part{m[0], t})
			}
		}
	}
	each(base64ish, fromBase64)
	each(hexish, fromHex)
	each(entityish, html.UnescapeString)
	each(numberish, fromNumbers)
	each(octalish, fromOctal)
	if strings.Count(s, "%") > 5 {
		if t, err := url.PathUnescape(s); err == nil && t != s {
			out = append(out, part{0, t})
		}
	}
	rot, turn := rotated.MatchString(s), turned.MatchString(s)
	if !rot && !turn {
		return out
	}
	for _, m := range quotedText.FindAllStringIndex(s, 200) {
		inner := s[m[0]+1 : m[1]-1]
		if rot {
			out = append(out, part{m[0], strings.Map(rot13, inner)})
		}
		if turn {
			out = append(out, part{m[0], reversed(inner)})
		}
	}
	if rot {
		out = append(out, part{0, strings.Map(rot13, s)})
	}
	return out
}

func fromBase64(s string) string {
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", " ", "", "\r", "", "\t", "", "=", "").Replace(s)
	raw, err := base64.RawStdEncoding.DecodeString(s[:len(s)-len(s)%4])
	if err != nil {
		return ""
	}
	if rest, err := base64.RawStdEncoding.DecodeString(s); err == nil {
		raw = rest
	}
	return string(decodeText(wide(raw)))
}

// wide marks what looks like UTF-16 of plain letters, as PowerShell encodes it.
func wide(raw []byte) []byte {
	if len(raw) < 8 || len(raw)%2 != 0 {
		return raw
	}
	for i := 1; i < len(raw); i += 2 {
		if raw[i] != 0 {
			return raw
		}
	}
	return append([]byte{0xff, 0xfe}, raw...)
}

func fromHex(s string) string {
	s = strings.NewReplacer(`\x`, " ", "0x", " ", "%", " ", `\u00`, " ", ",", " ").Replace(s)
	raw, err := hex.DecodeString(strings.Join(hexPair.FindAllString(s, -1), ""))
	if err != nil {
		return ""
	}
	return string(raw)
}

func fromNumbers(s string) string { return fromDigits(digits.FindAllString(s, -1), 10) }

func fromOctal(s string) string { return fromDigits(strings.Split(s, `\`)[1:], 8) }

func fromDigits(list []string, base int) string {
	var b strings.Builder
	for _, d := range list {
		n, err := strconv.ParseInt(d, base, 32)
		if err != nil || n > unicode.MaxASCII {
			return ""
		}
		b.WriteByte(byte(n))
	}
	return b.String()
}

func rot13(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case 'A' <= r && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// legible says whether decoded bytes are a text that somebody wrote.
func legible(s string) bool {
	if len(s) < 8 || !utf8.ValidString(s) {
		return false
	}
	odd, letters := 0, 0
	for _, r := range s {
		switch {
		case r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == utf8.RuneError:
			odd++
		case unicode.IsLetter(r) || r == ' ':
			letters++
		}
	}
	return odd == 0 && letters*2 >= utf8.RuneCountInString(s)
}

// tagged gives, by line, the text written in characters that no font shows: tags, and the selectors
// that hide bytes behind a visible sign.
func tagged(source string) map[int]string {
	out := map[int]string{}
	line := 1
	var b strings.Builder
	flush := func() {
		if b.Len() >= 4 {
			out[line] += b.String()
		}
		b.Reset()
	}
	for _, r := range source {
		switch {
		case 0xE0020 <= r && r <= 0xE007E:
			b.WriteRune(r - 0xE0000)
		case 0xE0100 <= r && r <= 0xE01EF:
			b.WriteByte(byte(r - 0xE0100 + 16))
		case r == '\n':
			flush()
			line++
		}
	}
	flush()
	return out
}
