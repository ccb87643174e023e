package skills

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

var (
	keyLine   = regexp.MustCompile(`^(\s*(?:- )?)([A-Za-z_][A-Za-z0-9_-]*):[ ]+(\S.*)$`)
	surrogate = regexp.MustCompile(`\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`)
)

// repair rewrites front matter that YAML refuses where people clearly meant plain text, keeping
// the number of lines. It is tried only after the YAML reader has failed.
func repair(front string, start int) (string, []Finding) {
	var found []Finding
	if surrogate.MatchString(front) {
		front = surrogate.ReplaceAllStringFunc(front, joinSurrogates)
		found = append(found, warning(CodeJSONEscape, start, "escaped surrogate pairs were joined to characters"))
	}
	lines := strings.Split(front, "\n")
	for i := 0; i < len(lines); i++ {
		m := keyLine.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		end := i + 1
		for end < len(lines) && (deeper(lines[end], m[1]) || blankInside(lines, end, m[1])) {
			end++
		}
		if strings.ContainsAny(m[3][:1], "|>") {
			i = end - 1 // a block scalar: its lines are text
			continue
		}
		code := plainFault(m[3])
		if code == "" {
			continue
		}
		text := m[3]
		for j := i + 1; j < end; j++ {
			text += " " + strings.TrimSpace(lines[j])
			lines[j] = ""
		}
		lines[i] = m[1] + m[2] + ": '" + strings.ReplaceAll(strings.TrimSpace(text), "'", "''") + "'"
		found = append(found, warning(code, start+i, "the value of "+m[2]+" was read as plain text; put it in quotes"))
		i = end - 1
	}
	return strings.Join(lines, "\n"), found
}

// plainFault names what keeps an unquoted value from being YAML, or "".
func plainFault(value string) string {
	switch value[0] {
	case '"', '\'', '[', '{', '#':
		return ""
	case '`', '@', '%', '*', '&', '!':
		return CodeReservedFirst
	}
	if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") {
		return CodeUnquotedColon
	}
	return ""
}

func deeper(line, indent string) bool {
	return strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) > len(indent)
}

func blankInside(lines []string, i int, indent string) bool {
	return strings.TrimSpace(lines[i]) == "" && i+1 < len(lines) && deeper(lines[i+1], indent)
}

func joinSurrogates(pair string) string {
	high, _ := strconv.ParseUint(pair[2:6], 16, 32)
	low, _ := strconv.ParseUint(pair[8:12], 16, 32)
	return string(utf16.DecodeRune(rune(high), rune(low)))
}
