package audit

import (
	"strings"
)

var (
	continued = lazily("[ \t]*\\\\\r?\n[ \t]*|[ \t]*\r?\n[ \t]*(\\|[^|\n]?|&& )|(\\||&&)[ \t]*\r?\n[ \t]*")
	ticked    = lazily("[ \t]+[`^]\r?\n[ \t]*")
	tableCell = lazily(`(?m)^[ \t]*\|.*$`)
	concat    = lazily(`["']\s*[+.]\s*["']|""\s*\.\.\s*""`)
	emptied   = lazily(`(\w)(?:""|''|\$@|\$\*|\$\{[@*]\})(\w)`)
	broken    = lazily(`([a-z])\\([a-z])`)
	separator = lazily(`\$\{?ifs\}?(?:%\?\?\})?`)
	adjacent  = lazily(`([a-z])["']{1,2}([a-z]+)["']{1,2}([a-z ]|$)`)
	assigned  = lazily(`(?m)(?:^|[;&{])[ \t]*(?:export |local |readonly |declare (?:-\w+ )?|const |let |var |set |\$)?([a-z_]\w*)[ \t]*:?=[ \t]*(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\s"';|&()]{1,200}))[ \t]*(?:;|$|&&|\n)`)
	used      = lazily(`\$\{([a-z_]\w*)\}|\$([a-z_]\w*)|["']\s*\+\s*([a-z_]\w*)\s*\+\s*["']|["']\s*\+\s*([a-z_]\w*)|([a-z_]\w*)\s*\+\s*["']`)
	passed    = lazily(`([(,+]\s*)([a-z_]\w*)(\s*[),+])`)
	listed    = lazily(`["']{2}\.join\(\s*\[((?:\s*["'][^"'\n]{0,40}["']\s*,?){2,})\s*\]\s*\)|\[((?:\s*["'][^"'\n]{0,40}["']\s*,?){2,})\s*\]\.join\(["']{2}\)`)
	pieces    = lazily(`["']([^"'\n]{0,40})["']`)
	swapped   = lazily(`["']([^"'\n]{8,})["']\s*(?:\[::-1\]|\.split\(["']{2}\)\.reverse\(\)\.join\(["']{2}\))|\becho\s+["']?([^"'|\n]{8,}?)["']?\s*\|\s*rev\b`)
)

// joined is code with its lines that go on joined, its texts that were cut put together, and its
// constants in place of the names that stand for them.
func joined(t text, kind class) text {
	t = t.replace(continued, func(g []string) string { return " " + g[1] + g[2] })
	if kind == data {
		return t
	}
	if kind == document {
		t = t.replace(tableCell, func(g []string) string { return cells.Replace(g[0]) })
	} else {
		t = t.replace(ticked, func([]string) string { return " " })
	}
	keep := func(g []string) string { return g[1] + g[2] }
	t = t.replace(listed, func(g []string) string { return `"` + together(g[1]+g[2]) + `"` })
	t = t.replace(swapped, func(g []string) string { return `"` + reversed(g[1]+g[2]) + `"` })
	t = t.replace(concat, func([]string) string { return "" })
	t = t.replace(emptied, keep)
	t = t.replace(separator, func([]string) string { return " " })
	t = constants(t)
	t = t.replace(concat, func([]string) string { return "" })
	t = t.replace(adjacent, func(g []string) string { return g[1] + g[2] + g[3] })
	if kind == script {
		t = t.replace(broken, keep)
	}
	return t
}

// cells cuts a row of a table into its cells; a bar within a cell is escaped.
var cells = strings.NewReplacer(`\|`, "|", "|", " ; ")

func together(list string) string {
	var b strings.Builder
	for _, m := range pieces.FindAllStringSubmatch(list, -1) {
		b.WriteString(m[1])
	}
	return b.String()
}

func reversed(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

const (
	mostConstants = 200
	mostRounds    = 3
)

// constants puts the values of names in their place.
func constants(t text) text {
	for range mostRounds {
		value := map[string]string{}
		for _, m := range assigned.FindAllStringSubmatch(strings.ReplaceAll(t.s, ";", "\n"), mostConstants) {
			if v := m[2] + m[3] + m[4]; len(m[1]) > 0 && !strings.Contains(v, "$"+m[1]) {
				value[m[1]] = v
			}
		}
		if len(value) == 0 {
			return t
		}
		before := t.s
		t = t.replace(used, func(g []string) string { return inPlace(g, value) })
		t = t.replace(passed, func(g []string) string {
			if v, ok := value[g[2]]; ok {
				return g[1] + `"` + v + `"` + g[3]
			}
			return g[0]
		})
		if t.s == before || len(t.s) > 2*mostText {
			return t
		}
	}
	return t
}

func inPlace(g []string, value map[string]string) string {
	for i, name := range g[1:] {
		v, ok := value[name]
		if name == "" || !ok {
			continue
		}
		switch i {
		case 2: // between two texts
			return v
		case 3: // after a text
			return v + `"`
		case 4: // before a text
			return `"` + v
		}
		return v
	}
	return g[0]
}
