package skills

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// twins are letters of other scripts that read as Latin ones. Only those a font cannot tell apart
// are here: a name is compared by how it looks, and a wider net would catch honest names.
var twins = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ѐ': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm',
	'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'т': 't', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'у': 'y', 'ү': 'y',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y', 'ω': 'w', 'ϲ': 'c', 'ϳ': 'j',
	'ı': 'i', 'ȷ': 'j', 'ɑ': 'a', 'ɡ': 'g', 'ⅼ': 'l', 'ⅰ': 'i', 'ⅽ': 'c', 'ⅾ': 'd', 'ⅿ': 'm', 'ⅴ': 'v', 'ⅹ': 'x',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-', '－': '-',
}

// appearance is a name as it looks: compatibility forms, letter case and twins folded together.
func appearance(name string) string {
	if ascii(name) {
		return strings.ToLower(name)
	}
	return strings.Map(func(r rune) rune {
		if latin, ok := twins[r]; ok {
			return latin
		}
		return r
	}, strings.ToLower(norm.NFKC.String(strings.ToLower(name))))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// mixed says that one name has Latin letters beside letters that can pass for them.
func mixed(name string) bool {
	if ascii(name) {
		return false
	}
	latin, twin := false, false
	for _, r := range name {
		latin = latin || unicode.Is(unicode.Latin, r)
		twin = twin || unicode.In(r, unicode.Cyrillic, unicode.Greek)
	}
	return latin && twin
}

// markLookalikes flags each skill whose name looks like the plainer name of another: a person who
// reads it would take it for that one.
func markLookalikes(sorted []Skill) {
	odd := false
	for _, s := range sorted {
		odd = odd || !ascii(s.Name)
	}
	if !odd {
		return
	}
	plain := make(map[string]string, len(sorted))
	for _, s := range sorted {
		if look := appearance(s.Name); look == strings.ToLower(s.Name) {
			plain[look] = s.Name
		}
	}
	for i, s := range sorted {
		other, ok := plain[appearance(s.Name)]
		if ok && !strings.EqualFold(other, s.Name) {
			sorted[i].Flagged = append(sorted[i].Flagged[:len(s.Flagged):len(s.Flagged)], "its name looks like "+other)
		}
	}
}
